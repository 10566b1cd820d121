/** The whole cluster under load: switchover and loss of the primary, with synchronous replication. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster, ttl } from './cluster.js'
import { holds, under } from './scenario.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
}, 180_000)
afterAll(() => cluster?.remove(), 60_000)

describe('with synchronous replication, 50 clients', () => {
  const timeout = 240_000

  it('lose nothing by a switchover', { timeout }, async () => {
    holds(cluster, await under(cluster, 'switchover', () => cluster.switchover()))
  })

  it('lose nothing by the loss of the primary', { timeout }, async () => {
    const lost = await cluster.primary()
    const outcome = await under(
      cluster,
      'kill -9 of the primary',
      () => lost.kill(),
      () => lost.start(),
    )
    holds(cluster, outcome)
    // Patroni waits for the lease of the leader, looks every two seconds, and promotes.
    expect(outcome.failover).toBeGreaterThan(1_000)
    expect(outcome.failover).toBeLessThan((ttl + 10) * 1_000)
  })
})
