/**
 * Faults of the cluster under load, with synchronous replication. Each fault occurs alone, and then
 * during a restart of all services.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.js'
import type { Node } from './node.js'
import { type Fault, holds, rolling, under } from './scenario.js'

const timeout = 300_000
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
}, 180_000)
afterAll(() => cluster?.remove(), 60_000)

const standbys = async (): Promise<readonly Node[]> => {
  const { name } = await cluster.primary()
  return cluster.nodes.filter((node) => node.name !== name)
}

/** How long the standbys are down, in milliseconds. */
const away = 10_000

/**
 * The duration of two faults, in milliseconds: a frozen primary, and replicas that apply every
 * change 10 seconds late. The duration is longer than the lease of the primary, so another node is
 * the primary when the frozen node continues.
 */
const longAway = 25_000

type Scenario = Pick<Fault, 'fault' | 'repair' | 'through' | 'counters'>

/**
 * The scenarios. Each function creates a scenario for the current state of the cluster.
 */
const scenarios: Readonly<Record<string, () => Promise<Scenario> | Scenario>> = {
  switchover: () => ({ fault: () => cluster.switchover() }),
  'kill -9 of the primary': async () => {
    const lost = await cluster.primary()
    return { fault: () => lost.kill(), repair: () => lost.start() }
  },
  'partition of the primary from everything': async () => {
    const lost = await cluster.primary()
    return { fault: () => lost.partition('all'), repair: () => lost.heal() }
  },
  'partition of the primary from etcd and the standbys, not from the services': async () => {
    const lost = await cluster.primary()
    return { fault: () => lost.partition('peers'), repair: () => lost.heal() }
  },
  'SIGSTOP of the primary, then SIGCONT after its lease has expired': async () => {
    const lost = await cluster.primary()
    return {
      fault: async () => {
        lost.freeze()
        await sleep(longAway)
        lost.thaw()
      },
    }
  },
  'kill -9 of all standbys': async () => {
    const lost = await standbys()
    return {
      fault: async () => {
        await Promise.all(lost.map((node) => node.kill()))
        await sleep(away)
        for (const node of lost) node.start()
      },
    }
  },
  'kill -9 of PgBouncer': () => ({ fault: () => cluster.restartPooler(), through: 'pgbouncer' }),
  'replicas that lag by 10 seconds': async () => {
    const behind = await standbys()
    const lag = (time: string) => async (node: Node) => {
      await node.query(`ALTER SYSTEM SET recovery_min_apply_delay = '${time}'`)
      await node.query('SELECT pg_reload_conf()')
    }
    return {
      counters: 'lecturas',
      fault: async () => {
        await Promise.all(behind.map(lag('10s')))
        await sleep(longAway)
        await Promise.all(behind.map(lag('0')))
      },
    }
  },
}

describe('with synchronous replication, 50 clients lose nothing', () => {
  for (const [name, make] of Object.entries(scenarios)) {
    it(`in this fault: ${name}`, { timeout }, async () => {
      holds(cluster, await under(cluster, { name, ...(await make()) }))
    })

    it(`in this fault, during a restart of all services: ${name}`, { timeout }, async () => {
      const scenario = await make()
      const fault = rolling(cluster, scenario.fault)
      holds(cluster, await under(cluster, { ...scenario, name: `${name}, rolling`, fault }))
    })
  }
})
