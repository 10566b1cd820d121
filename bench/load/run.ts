/**
 * One round against one server. Each connection sends its next request as soon as it has received a
 * response.
 */
import { asker } from '../workloads/ask.js'
import { type WorkloadName, workloadOf } from '../workloads/index.js'
import { keysOf, type Secrets } from '../workloads/keys.js'
import { type Bounds, clocked, type Ran } from './clocked.js'
import { Connection } from './connection.js'

export interface Round extends Bounds {
  readonly port: number
  readonly workload: WorkloadName
  /** Whether requests have a token. */
  readonly token: boolean
  readonly secrets: Secrets
}

/**
 * Runs one round. Calls `begun` when all requests are prepared, and starts the round when the
 * promise that `begun` returns has resolved. Throws if a response has an unexpected status.
 */
export async function runRound(
  { port, workload, token, secrets, seconds, requests }: Round,
  begun: () => Promise<void>,
): Promise<Ran> {
  const { status, tags = false, connections: count = 10, turns } = workloadOf(workload)
  const keys = keysOf(secrets)
  const common = token ? { authorization: `Bearer ${keys.token('*:read *:write')}` } : {}
  const ask = asker(port, common)
  const connections = Array.from({ length: count }, () => new Connection(port, common, tags))
  try {
    const plans = await Promise.all(connections.map((_, at) => turns(ask, at, keys)))
    await begun()
    const tagsOf: (string | undefined)[] = []
    return await clocked(count, { seconds, requests }, async (at) => {
      const turn = plans[at] as (typeof plans)[number]
      const reply = await (connections[at] as Connection).send(turn(tagsOf[at]), !tags)
      if (reply.status !== status) throw new Error(`${workload} got the status ${reply.status} instead of ${status}.`)
      tagsOf[at] = reply.tag
    })
  } finally {
    for (const connection of connections) connection.close()
  }
}
