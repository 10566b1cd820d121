/**
 * Processes that share a Redis server. Their counts stay exact even if connections stall or Redis
 * loses data.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisUsageStore, usage } from '../../src/usage/index.js'
import { ownRedis } from '../servers/own-redis.js'
import { startProxy } from '../servers/proxy.js'

const prefix = 'two:{usage}:'

async function start(url: string, calls: number) {
  const peer = spawn(
    process.execPath,
    [fileURLToPath(new URL('peer.mjs', import.meta.url)), url, prefix, String(calls)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void peer.kill('SIGKILL'))
  const counted = once(peer.stdout, 'data')
  return {
    kill: () => peer.kill('SIGKILL'),
    counted,
    async end() {
      await counted
      peer.stdin.end()
      await once(peer, 'exit')
    },
  }
}

async function reader(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: () => 50 } })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.destroy())
  return {
    client,
    counts: usage({ store: redisUsageStore({ prefix, sendCommand: (...command) => client.sendCommand(command) }) }),
  }
}

const expected = (calls: number) => ({
  calls: [
    ['billing', calls],
    ['web', calls],
  ],
  details: 2 * calls,
})

async function found(counts: ReturnType<typeof usage>) {
  const { calls, wouldBreak } = await counts.read()
  return {
    calls: calls.map(({ client, count }) => [client, count]),
    details: wouldBreak.reduce((sum, { count }) => sum + count, 0),
  }
}

describe('usage() over Redis', () => {
  it('the sums of two processes are exact', async () => {
    const server = await ownRedis()
    onTestFinished(() => server.remove())
    const peers = await Promise.all([start(server.url, 5000), start(server.url, 5000)])
    await Promise.all(peers.map((peer) => peer.end()))
    const { counts } = await reader(server.url)
    expect(await found(counts)).toEqual(expected(5000))
    expect((await counts.read()).gaps.map(({ reason }) => reason)).not.toContain('lost-process')
  })

  it('no count is repeated or lost if connections stall and scripts are flushed', async () => {
    const server = await ownRedis()
    onTestFinished(() => server.remove())
    const proxy = await startProxy({ host: '127.0.0.1', port: server.port })
    onTestFinished(() => proxy.close())
    const peers = await Promise.all([start(proxy.through(server.url), 8000), start(server.url, 8000)])
    const { client, counts } = await reader(server.url)
    for (let at = 0; at < 4; at++) {
      await sleep(40)
      proxy.stall()
      await sleep(150)
      await client.sendCommand(['SCRIPT', 'FLUSH'])
      proxy.resume()
    }
    await Promise.all(peers.map((peer) => peer.end()))
    expect(await found(counts)).toEqual(expected(8000))
  })

  it('if Redis loses counts, the processes write these counts again', async () => {
    const server = await ownRedis()
    onTestFinished(() => server.remove())
    const peers = await Promise.all([start(server.url, 4000), start(server.url, 4000)])
    const { client, counts } = await reader(server.url)
    await sleep(100)
    await client.flushAll()
    await Promise.all(peers.map((peer) => peer.counted))
    await client.flushAll()
    await Promise.all(peers.map((peer) => peer.end()))
    expect(await found(counts)).toEqual(expected(4000))
  })

  it('a killed process is reported as a gap in the counts', async () => {
    const server = await ownRedis()
    onTestFinished(() => server.remove())
    const peer = await start(server.url, 1000)
    await peer.counted
    peer.kill()
    const { counts } = await reader(server.url)
    await expect.poll(async () => (await counts.read()).gaps.map(({ reason }) => reason)).toContain('lost-process')
  })
})
