/** The mix against one server: as fast as it answers, to learn what it can do, or at a rate. */
import { asker } from '../workloads/ask.js'
import { keysOf, type Secrets } from '../workloads/keys.js'
import { clocked } from './clocked.js'
import { Connection } from './connection.js'
import { type Mix, makeMix } from './mix.js'
import { type OpenRan, open } from './open.js'

export interface TailRound {
  readonly port: number
  /** Whether requests bear a token. */
  readonly token: boolean
  readonly secrets: Secrets
  readonly seconds: number
  /** Requests a second. Absent: ten connections ask again as soon as they are answered. */
  readonly rate?: number
}

/** Of a round without a rate: the requests a second that were answered. */
export type TailRan = { readonly capacity: number } | OpenRan

/** More than wait at a time at any rate that a server keeps up with. */
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
