/**
 * Measures the slowest responses to each kind of request. Requests of all kinds arrive together, at
 * a rate that every server sustains.
 */
import { type Kind, kinds } from '../load/mix.js'
import type { OpenRan } from '../load/open.js'
import type { TailRan, TailRound } from '../load/tail.js'
import { type Tail, type TailFigures, type TailServer, tailFigures } from '../report/tail.js'
import type { ServerName } from '../servers/index.js'
import { workloadOf } from '../workloads/index.js'
import type { Participant } from './participants.js'
import { checkOne, type Environment, endOne, type Running, startOne } from './server.js'

/** The default servers of `--tail`. */
export const tailServers: readonly ServerName[] = ['fastify-tuned', 'mounted-helper']

/**
 * The rate of requests, as a share of the capacity of the slowest server. At this rate, servers are
 * busy, but their queues do not grow.
 */
const share = 0.6
const checked = ['pg-item', 'pg-not-modified', 'pg-page-any', 'pg-create', 'pg-patch'] as const

interface Timed extends Running {
  capacity: number
  readonly rounds: OpenRan[]
}

/** Runs all rounds, one server at a time. All servers receive the same sequence of requests. */
export async function runTail(participants: readonly Participant[], environment: Environment): Promise<Tail> {
  const { rounds, seconds } = environment.options
  const running: Timed[] = []
  try {
    for (const one of participants)
      running.push({ ...(await startOne({ database: true }, one, environment)), capacity: 0, rounds: [] })
    for (const one of running) for (const name of checked) await checkOne(workloadOf(name), one, environment)
    for (const one of running) await roundOf(one, environment, { seconds: Math.min(5, 2 * seconds) })
    for (const one of running) one.capacity = await capacityOf(one, environment)
    const rate = Math.floor(share * Math.min(...running.map(({ capacity }) => capacity)))
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? running : [...running].reverse()
      for (const one of order) one.rounds.push((await roundOf(one, environment, { seconds, rate })) as OpenRan)
      environment.say(`tail: round ${round + 1} of ${rounds}`)
    }
    return { rate, servers: running.map(serverOf) }
  } finally {
    await Promise.all(running.map(({ child }) => endOne(child, environment)))
  }
}

async function roundOf(
  one: Timed,
  { load, secrets }: Environment,
  how: Pick<TailRound, 'seconds' | 'rate'>,
): Promise<TailRan> {
  const { id, port, token } = one
  const said = await load.ask({ tail: { port, token, secrets, ...how } }).catch((cause: Error) => {
    throw new Error(`${id}: ${cause.message}`, { cause })
  })
  return (said as { tailRan: TailRan }).tailRan
}

async function capacityOf(one: Timed, environment: Environment): Promise<number> {
  const ran = await roundOf(one, environment, { seconds: Math.min(3, environment.options.seconds) })
  return (ran as { capacity: number }).capacity
}

function serverOf({ id, capacity, rounds }: Timed): TailServer {
  const figures = (kind: Kind): TailFigures => tailFigures(rounds.map(({ times }) => times[kind]))
  return {
    id,
    capacity,
    late: Math.max(...rounds.map(({ late }) => late)),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, figures(kind)])) as TailServer['kinds'],
  }
}
