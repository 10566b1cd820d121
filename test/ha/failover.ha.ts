/**
 * The whole cluster under load, with synchronous replication: a switchover, and the loss of the
 * primary.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.js'
import { ttl } from './node.js'
import { holds, under } from './scenario.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
}, 180_000)
afterAll(() => cluster?.remove(), 60_000)

describe('with synchronous replication, 50 clients lose nothing', () => {
  const timeout = 240_000

  it('in a switchover', { timeout }, async () => {
    holds(cluster, await under(cluster, { name: 'switchover', fault: () => cluster.switchover() }))
  })

  it('when the primary is killed', { timeout }, async () => {
    const lost = await cluster.primary()
    const outcome = await under(cluster, { name: 'kill', fault: () => lost.kill(), repair: () => lost.start() })
    holds(cluster, outcome)
    // Patroni checks every two seconds whether the lease of the leader has expired. If so, it
    // promotes a standby.
    expect(outcome.failover).toBeGreaterThan(1_000)
    expect(outcome.failover).toBeLessThan((ttl + 10) * 1_000)
  })
})
