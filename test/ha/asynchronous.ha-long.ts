/**
 * With asynchronous replication, acknowledged writes that the new primary never received are lost.
 * These tests check that nothing else goes wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.js'
import { type Outcome, under } from './scenario.js'

const timeout = 300_000
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ synchronous: false })
}, 180_000)
afterAll(() => cluster?.remove(), 60_000)

/**
 * Expects no fault other than lost writes. If a write is lost, a counter can have an unexpected
 * value or be gone.
 */
function holdsButForLosses({ untrue, failures, doubles }: Outcome): void {
  expect({ failures, doubles }).toEqual({ failures: [], doubles: 0 })
  expect(untrue.filter((text) => !/ is -?\d+, expected from | is gone$/.test(text))).toEqual([])
  expect(cluster.deaths()).toBe(0)
}

describe('with asynchronous replication, 50 clients', () => {
  it('lose nothing in a switchover, which waits for the standby', { timeout }, async () => {
    const outcome = await under(cluster, { name: 'asynchronous: switchover', fault: () => cluster.switchover() })
    expect(outcome).toMatchObject({ lost: 0, doubles: 0, untrue: [], failures: [] })
  })

  it('see no fault other than lost writes when the primary is killed', { timeout }, async () => {
    const lost = await cluster.primary()
    const fault = { name: 'asynchronous: kill', fault: () => lost.kill(), repair: () => lost.start() }
    holdsButForLosses(await under(cluster, fault))
  })

  it('see no fault other than lost writes when the primary is cut off from its peers', { timeout }, async () => {
    const lost = await cluster.primary()
    const outcome = await under(cluster, {
      name: 'asynchronous: partition',
      fault: async () => {
        lost.partition('peers')
        while ((await cluster.primary()).name === lost.name) await sleep(200)
      },
      repair: () => lost.heal(),
    })
    holdsButForLosses(outcome)
    expect(outcome.lost).toBeGreaterThan(0)
  })
})
