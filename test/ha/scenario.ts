/**
 * Causes faults in the cluster under the load of 50 clients, and measures what the clients observe.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Cluster } from './cluster.js'
import { sqlOf } from './programs.js'
import { startWorkload, type Verdict, type Workload, type WorkloadOptions } from './workload.js'

export interface Outcome extends Verdict {
  /**
   * Milliseconds from the fault until writes that bypass the services succeed again; 0 if no such
   * write failed.
   */
  readonly failover: number
  /** Milliseconds from the end of the failover until a write of a client is acknowledged. */
  readonly recovery: number
}

export interface Fault extends WorkloadOptions {
  /** The name of the scenario in the output. */
  readonly name: string
  /** Causes the fault. The scenario lasts at least until the returned promise resolves. */
  fault(): Promise<void> | void
  /**
   * Repairs everything that does not recover by itself. Called when the database accepts writes
   * again, or when the scenario fails.
   */
  repair?(): Promise<void> | void
  /** The proxy through which the downtime of the database is measured. Default: HAProxy. */
  readonly through?: 'haproxy' | 'pgbouncer'
}

/** The limit of `recovery`, in milliseconds. */
const recoveryTime = 2_000

/**
 * Maximum time from the start of the fault until the fault has ended and the database accepts
 * writes, in milliseconds. After this time, the scenario fails.
 */
const failoverTimeout = 120_000

/** Causes the fault under load, and waits until the cluster is healthy again. */
export async function under(cluster: Cluster, { name, fault, repair, through, ...load }: Fault): Promise<Outcome> {
  const workload = startWorkload(cluster, load)
  const url = through === 'pgbouncer' ? cluster.poolerUrl : cluster.databaseUrl
  let timed: Timed
  try {
    await sleep(3_000)
    timed = await timing(url, workload, fault)
  } catch (error) {
    await workload.end()
    throw error
  } finally {
    await repair?.()
    await cluster.whole()
  }
  await sleep(3_000)
  const outcome = { ...(await workload.end()), ...timed }
  const shown = { ...outcome, untrue: outcome.untrue.slice(0, 5), failures: outcome.failures.slice(0, 5) }
  console.log(`${name}: ${JSON.stringify(shown)}`)
  return outcome
}

type Timed = Pick<Outcome, 'failover' | 'recovery'>

/**
 * Causes the fault, and measures the failover and the recovery. Resolves when the fault has ended
 * and the database accepts writes again.
 */
async function timing(url: string, workload: Workload, fault: Fault['fault']): Promise<Timed> {
  const began = performance.now()
  let faulting = true
  const faulted = Promise.resolve(fault()).finally(() => {
    faulting = false
  })
  faulted.catch(() => {})
  let [failover, recovery, isDown] = [0, 0, false]
  while (faulting || isDown) {
    if (performance.now() > began + failoverTimeout) throw new Error('The database did not accept writes again.')
    const wasDown = isDown
    isDown = !(await isWritable(url))
    if (!isDown && wasDown) {
      const there = performance.now()
      failover = Math.round(there - began)
      while (workload.lastWrite() < there && performance.now() - there < 30_000) await sleep(20)
      recovery = Math.max(recovery, Math.round(performance.now() - there))
    }
    await sleep(100)
  }
  await faulted
  return { failover, recovery }
}

/** Whether a write is confirmed within one second. */
async function isWritable(url: string): Promise<boolean> {
  try {
    await sqlOf(url, `INSERT INTO outbox (clave) VALUES ('probe')`, 1_000)
    return true
  } catch {
    return false
  }
}

/**
 * Expects that no acknowledged write is lost or duplicated, that no response is wrong, that every
 * 5xx is a 503, that no service has ended unexpectedly, and that the recovery is quick.
 */
export function holds(cluster: Cluster, outcome: Outcome): void {
  expect(outcome).toMatchObject({ lost: 0, doubles: 0, untrue: [], failures: [] })
  expect(outcome.updates).toBeGreaterThan(100)
  expect(outcome.creates).toBeGreaterThan(100)
  expect(outcome.recovery).toBeLessThan(recoveryTime)
  expect(outcome.gap).toBeLessThan(outcome.failover + recoveryTime)
  expect(cluster.deaths()).toBe(0)
}

/** Causes the fault during a rolling restart of all services. */
export const rolling = (cluster: Cluster, fault: () => Promise<void> | void) => async (): Promise<void> => {
  await Promise.all([cluster.rollServices(), fault()])
}
