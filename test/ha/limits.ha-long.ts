/**
 * A failover of Redis under Sentinel. The services respond to all requests, but do not count
 * requests for a while.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, startCluster } from './cluster.js'
import { holds, rolling, under } from './scenario.js'

const timeout = 300_000
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
}, 180_000)
afterAll(() => cluster?.remove(), 60_000)

/**
 * Sends a request. Resolves with the number of requests that the client has left, or with
 * `undefined` if the service did not count this request.
 */
async function left(client: string): Promise<number | undefined> {
  const answer = await fetch(`${cluster.base}/v1/contadores?limit=1`, { headers: { 'X-Client': client } })
  const count = /r=([0-9]+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
  return count === undefined ? undefined : Number(count)
}

/**
 * Sends one request of a client, and then `requests` further requests. Resolves with the number of
 * further requests that were counted.
 */
async function counted(client: string, requests: number): Promise<number> {
  const first = await left(client)
  let last: number | undefined
  for (let i = 0; i < requests; i++) last = await left(client)
  return (first ?? Number.NaN) - (last ?? Number.NaN)
}

/**
 * Kills the master. Resolves with the time until requests are counted again, in milliseconds. The
 * end of this time is the first of 20 consecutive requests that are all counted.
 */
async function masterLost(): Promise<number> {
  const before = await cluster.redis.master()
  await cluster.redis.killMaster()
  const began = performance.now()
  let end = began
  for (let inRow = 0; inRow < 20; ) {
    inRow = (await left('probe')) === undefined ? 0 : inRow + 1
    if (inRow === 1) end = performance.now()
    expect(performance.now() - began).toBeLessThan(60_000)
    await sleep(50)
  }
  expect(await cluster.redis.master()).not.toBe(before)
  return Math.round(end - began)
}

describe('a Sentinel failover under the load of 50 clients', () => {
  for (const name of ['alone', 'while all services restart']) {
    it(`LIMIT-1: stops no request, and every request before and after the failover is counted (${name})`, {
      timeout,
    }, async () => {
      expect(await counted(`${name}-before`, 40)).toBe(40)
      let uncounted = 0
      const fault = async (): Promise<void> => {
        uncounted = await masterLost()
      }
      const outcome = await under(cluster, {
        name: `Sentinel failover, ${name}`,
        fault: name === 'alone' ? fault : rolling(cluster, fault),
        repair: () => cluster.redis.revive(),
      })
      console.log(`Requests were not counted for ${uncounted} ms.`)
      holds(cluster, outcome)
      expect(await counted(`${name}-after`, 40)).toBe(40)
    })
  }
})
