/**
 * The environment of a measurement: the CPU cores, the load generator, the database, and the
 * running servers.
 */

import type { Ran } from '../../load/clocked.js'
import { Child, type Cores } from '../../run/child.js'
import type { Tables } from '../data/tables.js'
import type { FromLoad, ToLoad } from '../load/process.js'
import type { Round } from '../load/round.js'
import type { Options } from '../options.js'
import type { FromServer, Held, Started, ToServer, Used } from '../servers/process.js'
import type { Serving } from '../servers/serving.js'

/** A million records need more heap than Node's default maximum. */
const flags = ['--expose-gc', '--max-old-space-size=8192']

export interface Running extends Started {
  /**
   * Runs one round. Returns the response times, the CPU time and the adapter calls of the timed
   * requests.
   */
  time(round: Omit<Round, 'port'>): Promise<Ran & Used>
  /**
   * Opens connections and sends one request over each. Returns the memory of the server before the
   * connections are opened, and while they are open.
   */
  hold(round: Omit<Round, 'port'>): Promise<{ readonly before: Held; readonly open: Held }>
  held(): Promise<Held>
  end(): Promise<void>
}

export class Environment {
  readonly options: Options
  readonly checkout: string
  /** `undefined` if no PostgreSQL is available. */
  readonly tables: Tables | undefined
  readonly say: (line: string) => void
  readonly #cores: Cores | undefined
  readonly #children: Set<{ end(): Promise<void> }>
  readonly #load: Child<ToLoad, FromLoad>

  constructor(
    given: Pick<Environment, 'options' | 'checkout' | 'tables' | 'say'>,
    cores: Cores | undefined,
    /**
     * The running processes. Each process is added when it starts, so that an interrupt can end all
     * processes.
     */
    children: Set<{ end(): Promise<void> }>,
  ) {
    this.options = given.options
    this.checkout = given.checkout
    this.tables = given.tables
    this.say = given.say
    this.#cores = cores
    this.#children = children
    this.#load = new Child('The load', '../growth/load/process.js', this.options.node, cores?.load)
    children.add(this.#load)
  }

  async start(serving: Serving): Promise<Running> {
    const path = '../growth/servers/process.js'
    const child = new Child<ToServer, FromServer>('The server', path, this.options.node, this.#cores?.server, flags)
    this.#children.add(child)
    const end = async (): Promise<void> => {
      await child.end()
      this.#children.delete(child)
    }
    const held = async (): Promise<Held> => memberOf('held', await child.ask('memory'))
    const used = async (): Promise<Used> => memberOf('used', await child.ask('usage'))
    try {
      const started = await child.ask({ start: { checkout: this.checkout, serving } })
      const port = memberOf('port', started)
      return {
        ...(started as Started),
        held,
        end,
        time: async (round) => {
          await this.#load.ask({ round: { ...round, port } })
          const before = await used()
          const { ran } = (await this.#load.ask('go')) as { ran: Ran }
          const after = await used()
          await this.#load.ask('close')
          return { ...ran, cpu: after.cpu - before.cpu, calls: after.calls - before.calls }
        },
        hold: async (round) => {
          const before = await held()
          await this.#load.ask({ round: { ...round, port } })
          const open = await held()
          await this.#load.ask('close')
          return { before, open }
        },
      }
    } catch (error) {
      await end()
      throw error
    }
  }
}

/** Returns one member of a server's reply. Throws if it is missing. */
function memberOf<Said extends object | string, Name extends string>(name: Name, said: Said) {
  if (typeof said !== 'object' || !(name in said)) throw new Error(`The server did not report its ${name}.`)
  return (said as Extract<Said, Record<Name, unknown>>)[name]
}
