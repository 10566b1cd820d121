/** One workload: its servers are started, checked, warmed, and timed in turns. */

import type { Ran } from '../load/clocked.js'
import type { FromLoad, ToLoad } from '../load/process.js'
import type { Options } from '../options.js'
import { ratiosOf, rowOf, type Sample, type WorkloadResult } from '../report/result.js'
import type { FromServer, ToServer } from '../servers/process.js'
import { asker } from '../workloads/ask.js'
import { type WorkloadName, workloadOf } from '../workloads/index.js'
import { keysOf, type Secrets } from '../workloads/keys.js'
import { Backends, named, spent } from './backends.js'
import { Child, type Cores } from './child.js'
import type { Participant } from './participants.js'

export type Load = Child<ToLoad, FromLoad>

export interface Place {
  readonly options: Options
  readonly cores: Cores | undefined
  readonly secrets: Secrets
  readonly database: string | undefined
  readonly load: Load
  /** Every process is put in here as it starts, so that whoever is interrupted can end them all. */
  readonly children: Set<{ end(): Promise<void> }>
  readonly say: (line: string) => void
}

/** A server that runs. */
interface Running extends Participant {
  readonly child: Child<ToServer, FromServer>
  readonly port: number
  readonly token: boolean
  readonly samples: Sample[]
}

/** The name of a participant's connections, which nobody else on this machine has. */
const connectionsOf = ({ id }: Pick<Participant, 'id'>): string => `erc_bench ${process.pid} ${id}`

/** Each workload has servers of its own: what one workload leaves behind in memory, and in the compiler, slows no other. */
export async function runWorkload(name: WorkloadName, participants: readonly Participant[], place: Place): Promise<WorkloadResult> {
  const { title, check, warmUp: most = 5000, database: inDatabase = false } = workloadOf(name)
  const { rounds, requests } = place.options
  const warmUp = Math.min(most, requests * 3)
  const running: Running[] = []
  const backends = inDatabase && place.database !== undefined ? await Backends.connect(place.database) : undefined
  try {
    for (const one of participants) running.push(await startOne(name, one, place))
    for (const { id, port, token } of running) {
      const keys = keysOf(place.secrets)
      const common = token ? { authorization: `Bearer ${keys.token('*:read *:write')}` } : {}
      await check(asker(port, common), keys).catch((cause: Error) => {
        throw new Error(`${id} does not answer "${title}" as it should, so nothing was timed: ${cause.message}`, { cause })
      })
    }
    // So many requests for the compiler to see what is hot, and then a second in which it gets to it.
    for (const one of running) await timeOne(name, one, place, backends, { seconds: 10, requests: warmUp })
    for (const one of running) await timeOne(name, one, place, backends, { seconds: 1, requests: warmUp * 2 })
    for (let round = 0; round < rounds; round++) {
      // Reversed every other time: whoever runs first in one round runs last in the next.
      const order = round % 2 === 0 ? running : [...running].reverse()
      for (const one of order) one.samples.push(await timeOne(name, one, place, backends, place.options))
      place.say(`${name}: round ${round + 1} of ${rounds}`)
    }
    const rows = running.map((one) => rowOf(one, one.samples))
    return { name, title, rows, ratios: ratiosOf(name, rows) }
  } finally {
    await backends?.end()
    await Promise.all(running.map(({ child }) => endOne(child, place)))
  }
}

async function startOne(name: WorkloadName, participant: Participant, place: Place): Promise<Running> {
  const { secured = false, browsers = false, ownAdapter = false, database: inDatabase = false } = workloadOf(name)
  const { secret, account } = place.secrets
  const { id, server, checkout, alwaysSecured } = participant
  const child = new Child<ToServer, FromServer>(id, '../servers/process.js', place.options.node, place.cores?.server)
  place.children.add(child)
  try {
    const database = inDatabase && place.database !== undefined ? named(place.database, connectionsOf(participant)) : undefined
    const said = await child.ask({ start: { server, checkout, database, ownAdapter, secured, browsers, secret, account } })
    if (!('port' in said)) throw new Error(`${id} said something else than its port.`)
    return { ...participant, child, port: said.port, token: (secured || alwaysSecured) && name !== 'login', samples: [] }
  } catch (error) {
    await endOne(child, place)
    throw error
  }
}

async function endOne(child: Child<ToServer, FromServer>, { children }: Place): Promise<void> {
  await child.end()
  children.delete(child)
}

/** One round of one server: its CPU is read when the load is ready to start, and when it is done; that of its backends before and after. */
async function timeOne(
  workload: WorkloadName,
  { id, child, port, token }: Running,
  { load, secrets }: Place,
  backends: Backends | undefined,
  { seconds, requests }: Pick<Options, 'seconds' | 'requests'>,
): Promise<Sample> {
  await load.ask({ round: { port, workload, token, secrets, seconds, requests } })
  const name = connectionsOf({ id })
  const idle = await backends?.usage(name)
  const before = await usageOf(child)
  const said = await load.ask('go').catch((cause: Error) => {
    throw new Error(`${id}: ${cause.message}`, { cause })
  })
  const after = await usageOf(child)
  const { requests: done, elapsed, median, p99 } = (said as { ran: Ran }).ran
  if (done === 0) throw new Error(`${id} answered no request of "${workload}" in ${seconds} s.`)
  const database = spent(idle, await backends?.usage(name))
  return {
    requests: done,
    cpu: (after.cpu - before.cpu) / done,
    ...(database === undefined ? {} : { database: database / done }),
    rate: (done / elapsed) * 1000,
    median,
    p99,
    memory: after.memory,
  }
}

async function usageOf(child: Child<ToServer, FromServer>): Promise<{ cpu: number; memory: number }> {
  const said = await child.ask('usage')
  if (!('cpu' in said)) throw new Error('A server said something else than what it has used.')
  return said
}
