/**
 * Runs one workload: starts its servers, checks their responses, warms them up, and times them in
 * rounds, one server after another.
 */
import type { Ran } from '../load/clocked.js'
import type { Options } from '../options.js'
import { ratiosOf, rowOf, type Sample, type WorkloadResult } from '../report/result.js'
import type { FromServer, ToServer } from '../servers/process.js'
import { type WorkloadName, workloadOf } from '../workloads/index.js'
import { Backends, spent } from './backends.js'
import type { Child } from './child.js'
import type { Participant } from './participants.js'
import { checkOne, connectionsOf, type Environment, endOne, type Running, startOne } from './server.js'

/** A server that is timed. */
interface Timed extends Running {
  readonly samples: Sample[]
}

/**
 * Runs one workload. It starts its own servers, so that memory and compiled code of another
 * workload do not affect it.
 */
export async function runWorkload(
  name: WorkloadName,
  participants: readonly Participant[],
  environment: Environment,
): Promise<WorkloadResult> {
  const workload = workloadOf(name)
  const { title, warmUp: max = 5000, database: inDatabase = false } = workload
  const { rounds, requests } = environment.options
  const warmUp = Math.min(max, requests * 3)
  const running: Timed[] = []
  const backends =
    inDatabase && environment.database !== undefined ? await Backends.connect(environment.database) : undefined
  try {
    for (const one of participants) running.push({ ...(await startOne(workload, one, environment)), samples: [] })
    for (const one of running) await checkOne(workload, one, environment)
    // The first warm-up lets V8 find hot functions. The second gives V8 time to optimize them.
    for (const one of running) await timeOne(name, one, environment, backends, { seconds: 10, requests: warmUp })
    for (const one of running) await timeOne(name, one, environment, backends, { seconds: 1, requests: warmUp * 2 })
    for (let round = 0; round < rounds; round++) {
      // Every other round is in reverse order, so that the server that is timed first in one round
      // is timed last in the next.
      const order = round % 2 === 0 ? running : [...running].reverse()
      for (const one of order) one.samples.push(await timeOne(name, one, environment, backends, environment.options))
      environment.say(`${name}: round ${round + 1} of ${rounds}`)
    }
    const rows = running.map((one) => rowOf(one, one.samples))
    return { name, title, rows, ratios: ratiosOf(name, rows) }
  } finally {
    await backends?.end()
    await Promise.all(running.map(({ child }) => endOne(child, environment)))
  }
}

/**
 * Runs one round of one server. The CPU times of the server and of its PostgreSQL backends are read
 * when the load generator is ready to start the round, and again after the round.
 */
async function timeOne(
  workload: WorkloadName,
  { id, child, port, token }: Timed,
  { load, secrets }: Environment,
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
  if (done === 0) throw new Error(`${id} completed no request of "${workload}" within ${seconds} s.`)
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
  if (!('cpu' in said)) throw new Error('The server did not report its CPU time.')
  return said
}
