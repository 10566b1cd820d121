/**
 * Sends the requests of `mix.ts` to one server. Without a rate, a round measures the capacity of
 * the server. With a rate, a round measures how long requests take.
 */
import { asker } from '../workloads/ask.js'
import { keysOf, type Secrets } from '../workloads/keys.js'
import { clocked } from './clocked.js'
import { Connection } from './connection.js'
import { type Mix, makeMix } from './mix.js'
import { type OpenRan, open } from './open.js'

export interface TailRound {
  readonly port: number
  /** Whether requests have a token. */
  readonly token: boolean
  readonly secrets: Secrets
  readonly seconds: number
  /** Requests per second. Absent: ten connections send requests without a pause. */
  readonly rate?: number
}

/** The result of a round. Without a rate, the result is `capacity`, in responses per second. */
export type TailRan = { readonly capacity: number } | OpenRan

/**
 * The number of connections at a fixed rate. It is higher than the usual number of requests in
 * flight, so that requests rarely wait for a free connection.
 */
const openConnections = 100
const closedConnections = 10

export async function runTailRound({ port, token, secrets, seconds, rate }: TailRound): Promise<TailRan> {
  const common = token ? { authorization: `Bearer ${keysOf(secrets).token('*:read *:write')}` } : {}
  const mix = await makeMix(asker(port, common))
  const count = rate === undefined ? closedConnections : openConnections
  const connections = Array.from({ length: count }, () => new Connection(port, common, true))
  try {
    return rate === undefined
      ? await capacityOf(connections, mix, seconds)
      : await open(connections, mix, { rate, seconds })
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function capacityOf(
  connections: readonly Connection[],
  mix: Mix,
  seconds: number,
): Promise<{ readonly capacity: number }> {
  const bounds = { seconds, requests: Number.MAX_SAFE_INTEGER }
  const { requests, elapsed } = await clocked(connections.length, bounds, async (at) => {
    const { sent, settle } = mix()
    settle(await (connections[at] as Connection).send(sent, false))
  })
  return { capacity: (requests / elapsed) * 1000 }
}
