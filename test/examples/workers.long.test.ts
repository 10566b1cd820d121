import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workersSharePort } from '../../examples/pre-piezas/workers.js'
import { freshDatabase } from '../servers/databases.js'
import { freePort } from '../servers/free-port.js'
import { redisUrl } from '../servers/redis-stores.js'
import { ask, start } from './running.js'

/** Starts the example with two workers and a database of its own. */
async function twoWorkers(env: Record<string, string> = {}) {
  const place = await freshDatabase()
  const running = start({ DATABASE_URL: place.url, SEED_SIZE: '20', WORKERS: '2', ...env })
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
    await place.drop()
  })
  const base = await running.base
  const workers = (): number[] => childrenOf(running.child.pid as number)
  return { ...running, base, place, workers }
}

const childrenOf = (pid: number): number[] => {
  try {
    return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

/** Options that give a request its own connection, so that the requests spread over the workers. */
const alone = { headers: { Connection: 'close' } }

describe('the example with the setting WORKERS', () => {
  it('HDR-3, VERB-12: two workers lose no conditional update, and create one record per Idempotency-Key', async () => {
    const { base, workers, place } = await twoWorkers()
    expect(workers()).toHaveLength(2)
    const url = `${base}/v8/pre-piezas/1`
    const tag = (await ask(url, alone)).headers.get('etag') as string
    const patch = (i: number) =>
      ask(url, {
        method: 'PATCH',
        headers: { ...alone.headers, 'If-Match': tag, 'Content-Type': 'application/merge-patch+json' },
        body: JSON.stringify({ lote: `L-${1000 + i}` }),
      })
    const statuses = await Promise.all(Array.from({ length: 30 }, async (_, i) => (await patch(i)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(29)

    const count = async () => Number((await place.sql('SELECT count(*) AS n FROM pre_piezas'))[0]?.n)
    const before = await count()
    const { numero: _numero, ...piece } = (await (await ask(url, alone)).json()) as Record<string, unknown>
    const body = JSON.stringify(piece)
    const keys = Array.from({ length: 10 }, () => randomBytes(8).toString('hex'))
    const headers = { ...alone.headers, 'Content-Type': 'application/json' }
    const post = (key: string) =>
      ask(`${base}/v8/pre-piezas`, { method: 'POST', headers: { ...headers, 'Idempotency-Key': key }, body })
    // Each key is sent four times, concurrently. A request that arrives while the first request
    // with its key is in flight gets a 503.
    const created = async (key: string): Promise<number> => {
      for (;;) {
        const { status } = await post(key)
        if (status !== 503) return status
      }
    }
    const all = await Promise.all(keys.flatMap((key) => Array.from({ length: 4 }, () => created(key))))
    expect(new Set(all)).toEqual(new Set([201]))
    expect(await count()).toBe(before + 10)
  })

  it('LIMIT-1: workers share a limit in Redis, and accept the same user and password', async () => {
    const { base, listening } = await twoWorkers({ REDIS_URL: redisUrl(), RATE_LIMIT: '999999' })
    const left = async (): Promise<number> => {
      const { headers } = await ask(`${base}/v8/sucursales/ROS`, alone)
      return Number(/r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    const counts: number[] = []
    for (let i = 0; i < 20; i++) counts.push(await left())
    expect(counts).toEqual(counts.map((_, i) => (counts[0] as number) - i))
    const account = (await listening).find((line) => line.startsWith('public user')) ?? ''
    const [, user, password] = /^public user (\S+), password ([^\s:]+)/.exec(account) ?? []
    const headers = { Authorization: `Basic ${btoa(`${user}:${password}`)}`, Connection: 'close' }
    const logins = await Promise.all(Array.from({ length: 8 }, () => fetch(`${base}/public/login`, { headers })))
    expect(logins.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    const token = logins[0]?.headers.get('x-authorization-token') as string
    const reads = Array.from({ length: 8 }, () =>
      fetch(`${base}/public/v1/pre-piezas/1`, { headers: { 'x-authorization-token': token, Connection: 'close' } }),
    )
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('replaces a worker that dies, and serves requests meanwhile', async () => {
    const { base, workers } = await twoWorkers()
    const [first = 0] = workers()
    process.kill(first, 'SIGKILL')
    const statuses: Promise<number | string>[] = []
    for (let i = 0; i < 40; i++) {
      // A connection that was just passed to the worker is lost when the worker dies.
      const asked = ask(`${base}/v8/sucursales/ROS`, { ...alone, signal: AbortSignal.timeout(5_000) })
      statuses.push(asked.then(({ status }) => status).catch(() => 'lost'))
      await sleep(50)
    }
    const all = await Promise.all(statuses)
    expect(all.filter((status) => status !== 'lost' && status !== 200)).toEqual([])
    expect(all.filter((status) => status === 'lost').length).toBeLessThan(10)
    expect(workers()).toHaveLength(2)
    expect(workers()).not.toContain(first)
  })

  it('ends on SIGTERM after it has responded to every request', async () => {
    const { base, child, ended, workers } = await twoWorkers()
    const requests = Array.from({ length: 40 }, () => ask(`${base}/v8/pre-piezas?limit=50`, alone))
    await requests[0]
    child.kill('SIGTERM')
    expect((await Promise.all(requests)).every(({ status }) => status === 200)).toBe(true)
    expect(await ended).toEqual({ code: 0, stderr: '' })
    expect(workers()).toEqual([])
  })

  it('ends with one line and code 1 if the first worker cannot start', async () => {
    const port = await freePort()
    const taken = createServer().listen(port)
    onTestFinished(() => void taken.close())
    const place = await freshDatabase()
    onTestFinished(() => place.drop())
    const { ended } = start({ DATABASE_URL: place.url, SEED_SIZE: '0', WORKERS: '2', PORT: String(port) })
    expect(await ended).toEqual({
      code: 1,
      stderr: `Port ${port} is in use: set PORT to another, or to 0 for a free one.\n`,
    })
  })

  it.each([
    [3000, '22.12.0', 'linux', true],
    [3000, '26.0.0', 'linux', true],
    [3000, '22.11.9', 'linux', false],
    [3000, '20.19.0', 'linux', false],
    [3000, '24.1.0', 'darwin', false],
    [0, '24.1.0', 'linux', false],
  ])('workersSharePort() for port %i, with Node %s on %s, returns %s', (port, node, platform, shared) => {
    expect(workersSharePort(port, node, platform)).toBe(shared)
  })
})
