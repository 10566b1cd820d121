/** Faults of the cluster under load, each with a rolling restart of all services. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.js'
import { holds, under } from './scenario.js'

const timeout = 300_000
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
}, 180_000)
afterAll(() => cluster?.remove(), 60_000)

/** The fault while all services are restarted, one after another. */
const rolling =
  (fault: () => Promise<void> | void): (() => Promise<void>) =>
  async () => {
    await Promise.all([cluster.rollServices(), fault()])
  }

describe('with synchronous replication and a rolling restart, 50 clients lose nothing by', () => {
  it('a switchover', { timeout }, async () => {
    holds(
      cluster,
      await under(
        cluster,
        'switchover, rolling',
        rolling(() => cluster.switchover()),
      ),
    )
  })

  it('the loss of the primary', { timeout }, async () => {
    const lost = await cluster.primary()
    const outcome = await under(
      cluster,
      'kill -9, rolling',
      rolling(() => lost.kill()),
      () => lost.start(),
    )
    holds(cluster, outcome)
  })
})
