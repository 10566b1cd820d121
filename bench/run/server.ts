/** Starts a server for a workload, checks its responses before it is timed, and ends it. */
import type { FromLoad, ToLoad } from '../load/process.js'
import type { Options } from '../options.js'
import type { FromServer, ToServer } from '../servers/process.js'
import { asker } from '../workloads/ask.js'
import type { Workload } from '../workloads/index.js'
import { keysOf, type Secrets } from '../workloads/keys.js'
import { named } from './backends.js'
import { Child, type Cores } from './child.js'
import type { Participant } from './participants.js'

export interface Environment {
  readonly options: Options
  readonly cores: Cores | undefined
  readonly secrets: Secrets
  readonly database: string | undefined
  readonly load: Child<ToLoad, FromLoad>
  /**
   * The running processes. Each process is added when it starts, so that an interrupt can end all
   * processes.
   */
  readonly children: Set<{ end(): Promise<void> }>
  readonly say: (line: string) => void
}

/** A running server. */
export interface Running extends Participant {
  readonly child: Child<ToServer, FromServer>
  readonly port: number
  /** Whether requests have a token. */
  readonly token: boolean
}

/** The requirements of a workload for its servers. */
export type Needs = Pick<Workload, 'secured' | 'browsers' | 'ownAdapter' | 'database' | 'anonymous'>

/** The name of a participant's database connections. It is unique on this machine. */
export const connectionsOf = ({ id }: Pick<Participant, 'id'>): string => `erc_bench ${process.pid} ${id}`

export async function startOne(needs: Needs, participant: Participant, environment: Environment): Promise<Running> {
  const {
    secured = false,
    browsers = false,
    ownAdapter = false,
    database: inDatabase = false,
    anonymous = false,
  } = needs
  const { secret, account } = environment.secrets
  const { id, server, checkout, alwaysSecured } = participant
  const child = new Child<ToServer, FromServer>(
    id,
    '../servers/process.js',
    environment.options.node,
    environment.cores?.server,
  )
  environment.children.add(child)
  try {
    const database =
      inDatabase && environment.database !== undefined
        ? named(environment.database, connectionsOf(participant))
        : undefined
    const said = await child.ask({
      start: { server, checkout, database, ownAdapter, secured, browsers, secret, account },
    })
    if (!('port' in said)) throw new Error(`${id} did not report its port.`)
    return { ...participant, child, port: said.port, token: (secured || alwaysSecured) && !anonymous }
  } catch (error) {
    await endOne(child, environment)
    throw error
  }
}

export async function endOne(child: Child<ToServer, FromServer>, { children }: Environment): Promise<void> {
  await child.end()
  children.delete(child)
}

/** Checks the responses of a server for a workload. Throws if a response is wrong. */
export async function checkOne(
  { title, check }: Workload,
  { id, port, token }: Running,
  { secrets }: Environment,
): Promise<void> {
  const keys = keysOf(secrets)
  const common = token ? { authorization: `Bearer ${keys.token('*:read *:write')}` } : {}
  await check(asker(port, common), keys).catch((cause: Error) => {
    throw new Error(`${id} gives a wrong response for "${title}", so nothing was timed: ${cause.message}`, { cause })
  })
}
