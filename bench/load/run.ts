/** One round against one server: so many connections, each asking again as soon as it is answered. */
import { asker } from '../workloads/ask.js'
import { type WorkloadName, workloadOf } from '../workloads/index.js'
import { keysOf, type Secrets } from '../workloads/keys.js'
import { Connection } from './connection.js'

export interface Round {
  readonly port: number
  readonly workload: WorkloadName
  /** Whether requests bear a token. */
  readonly token: boolean
  readonly secrets: Secrets
  /** When it ends: whichever comes first. */
  readonly seconds: number
  readonly requests: number
}

/** Times in milliseconds. */
export interface Ran {
  readonly requests: number
  readonly elapsed: number
  readonly median: number
  readonly p99: number
}

/** Throws where an answer has another status than it should. `begun` is called when everything is prepared, and the clock starts. */
export async function runRound({ port, workload, token, secrets, seconds, requests }: Round, begun: () => Promise<void>): Promise<Ran> {
  const { status, tags = false, connections: count = 10, turns } = workloadOf(workload)
  const keys = keysOf(secrets)
  const common = token ? { authorization: `Bearer ${keys.token('*:read *:write')}` } : {}
  const ask = asker(port, common)
  const connections = Array.from({ length: count }, () => new Connection(port, common, tags))
  try {
    const plans = await Promise.all(connections.map((_, at) => turns(ask, at, keys)))
    await begun()
    const times: number[] = []
    let left = requests
    const start = performance.now()
    const end = start + seconds * 1000
    const work = async (connection: Connection, at: number): Promise<void> => {
      const turn = plans[at] as (typeof plans)[number]
      let tag: string | undefined
      for (let now = start; now < end && left-- > 0; ) {
        const reply = await connection.send(turn(tag), !tags)
        if (reply.status !== status) throw new Error(`${workload} was answered ${reply.status} in place of ${status}.`)
        tag = reply.tag
        const done = performance.now()
        times.push(done - now)
        now = done
      }
    }
    await Promise.all(connections.map(work))
    const elapsed = performance.now() - start
    times.sort((a, b) => a - b)
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
    return { requests: times.length, elapsed, median: at(0.5), p99: at(0.99) }
  } finally {
    for (const connection of connections) connection.close()
  }
}
