/** A fault of the cluster under the load of 50 clients, and what they must not see of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Cluster, sqlOf } from './cluster.js'
import { startWorkload, type Verdict } from './workload.js'

export interface Outcome extends Verdict {
  /** Milliseconds from the fault until a write through HAProxy alone succeeds again; 0 where each did. */
  readonly failover: number
  /** Milliseconds from then until the first write of a client is acknowledged. */
  readonly recovery: number
}

/** Milliseconds within which services answer again once the database does. */
const recoveryTime = 2_000

/** Runs `fault` under load and goes on until the cluster is whole; `after` undoes the fault. */
export async function under(
  cluster: Cluster,
  what: string,
  fault: () => Promise<void>,
  after: () => Promise<void> | void = () => {},
): Promise<Outcome> {
  const load = startWorkload(cluster)
  await sleep(3_000)
  const began = performance.now()
  let faulting = true
  const faulted = fault().finally(() => {
    faulting = false
  })
  let [failover, recovery, isDown] = [0, 0, false]
  const end = began + 120_000
  while (faulting || isDown) {
    if (performance.now() > end) throw new Error('The database took no writes again.')
    const wasDown = isDown
    isDown = !(await isWritable(cluster))
    if (!isDown && wasDown) {
      const there = performance.now()
      failover = Math.round(there - began)
      while (load.lastWrite() < there && performance.now() - there < 30_000) await sleep(20)
      recovery = Math.max(recovery, Math.round(performance.now() - there))
    }
    await sleep(100)
  }
  await faulted
  await after()
  await cluster.whole()
  await sleep(3_000)
  const outcome = { ...(await load.end()), failover, recovery }
  console.log(
    `${what}: ${JSON.stringify({ ...outcome, untrue: outcome.untrue.slice(0, 5), failures: outcome.failures.slice(0, 5) })}`,
  )
  return outcome
}

/** Whether a write through HAProxy alone is confirmed within a second. */
async function isWritable({ databaseUrl }: Cluster): Promise<boolean> {
  try {
    await sqlOf(databaseUrl, `INSERT INTO outbox (clave) VALUES ('probe')`, 1_000)
    return true
  } catch {
    return false
  }
}

/** No acknowledged write lost, no double, no untrue answer, no 5xx but 503, no death, and a quick recovery. */
export function holds(cluster: Cluster, outcome: Outcome): void {
  expect(outcome).toMatchObject({ lost: 0, doubles: 0, untrue: [], failures: [] })
  expect(outcome.updates).toBeGreaterThan(100)
  expect(outcome.creates).toBeGreaterThan(100)
  expect(outcome.recovery).toBeLessThan(recoveryTime)
  expect(cluster.deaths()).toBe(0)
}
