/**
 * How the example process ends. No request that arrived before the signal is lost. On SIGTERM,
 * readiness fails first, so that a load balancer stops sending requests.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as send } from 'node:http'
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { times } from '../../examples/pre-piezas/shutdown.js'
import { freshSchema, type Place } from '../servers/databases.js'
import { ask, asOperator, type Running, start } from './running.js'

const run = (env: Record<string, string> = {}): Running => {
  const url = new URL(place.url)
  url.searchParams.set('application_name', name)
  const one = start({ SEED_SIZE: '20', DATABASE_URL: url.href, ...env })
  onTestFinished(async () => {
    one.child.kill('SIGKILL')
    await one.ended
  })
  return one
}

/** The status of the response to a request on a new connection, or the error code. */
const statusOf = (address: string): Promise<number | string | undefined> =>
  new Promise((resolve) => {
    const asked = send(address, { agent: false, headers: asOperator }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    asked.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)).end()
  })

/**
 * The `application_name` of the database connections of the example. Other test files may have
 * connections to the same server.
 */
const name = `ending ${randomUUID()}`

/** The number of connections with this name that wait for a lock. */
const waiting = async (): Promise<number> =>
  (await place.sql(`SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}' AND wait_event_type = 'Lock'`))
    .length

/**
 * All bytes that a connection received until it was closed. If the connection failed, the error
 * code follows.
 */
const outcome = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${text} ${code}`)).on('close', () => resolve(text))
    onTestFinished(() => void socket.destroy())
  })

let place: Place
let other: pg.Client
beforeAll(async () => {
  place = await freshSchema()
  other = new pg.Client({ connectionString: place.url })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await place.drop()
})

describe('the process of the example', () => {
  it('ends within the 30 seconds that Kubernetes waits, even with a preStop of 5 seconds', () => {
    expect(5_000 + times.drain + times.grace + times.close).toBeLessThan(30_000)
  })

  it.each([
    ['SIGTERM', ''],
    ['SIGINT', '60000'],
  ] as const)(
    'on %s responds to 480 requests that are queued on new connections when the signal arrives',
    async (signal, drain) => {
      const { child, base, ended } = run({ DRAIN: drain })
      const { port } = new URL(await base)
      child.kill('SIGSTOP')
      const sockets = Array.from({ length: 480 }, () => connect(Number(port), '127.0.0.1'))
      const outcomes = sockets.map(outcome)
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      const text =
        `GET /v8/pre-piezas/1 HTTP/1.1\r\nHost: x\r\nAuthorization: ${asOperator.Authorization}\r\nConnection: ` +
        'close\r\n\r\n'
      for (const socket of sockets) socket.write(text)
      child.kill(signal)
      child.kill('SIGCONT')
      const lost = (await Promise.all(outcomes)).filter((answer) => !/^HTTP\/1\.1 200 OK\r\n[\s\S]*\}$/.test(answer))
      expect(lost).toEqual([])
      expect(await ended).toEqual({ code: 0, stderr: '' })
    },
  )

  it('on SIGTERM fails readiness first, and serves requests during the drain', async () => {
    const { child, base, ended } = run({ DRAIN: '5000' })
    const at = await base
    expect((await ask(`${at}/ready`)).status).toBe(204)
    child.kill('SIGTERM')
    await expect.poll(() => statusOf(`${at}/ready`)).toBe(503)
    expect(await statusOf(`${at}/v8/pre-piezas/1`)).toBe(200)
    expect(await statusOf(`${at}/live`)).toBe(204)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) child.kill(signal)
    // Each request uses a new connection. The server accepts connections until the drain is over,
    // and then refuses them.
    const seen = new Set<unknown>()
    let last: unknown
    while (last !== 'ECONNREFUSED') {
      last = await statusOf(`${at}/v8/pre-piezas/1`)
      seen.add(last)
    }
    expect(seen.has(200)).toBe(true)
    expect(await ended).toEqual({ code: 0, stderr: '' })
  })

  it('on SIGINT ends without a drain', async () => {
    const { child, base, ended } = run({ DRAIN: '60000' })
    await base
    child.kill('SIGINT')
    expect(await ended).toEqual({ code: 0, stderr: '' })
  })

  it('if a signal arrives during the start, completes the start, never listens, and exits with 0', async () => {
    await other.query('SELECT pg_advisory_lock(8060502)')
    const { child, ended, listening } = run()
    await expect.poll(waiting, { timeout: 20_000 }).toBe(1)
    child.kill('SIGTERM')
    child.kill('SIGTERM')
    await other.query('SELECT pg_advisory_unlock(8060502)')
    expect(await ended).toEqual({ code: 0, stderr: '' })
    await expect(listening).rejects.toThrow()
  })

  it('stays ready until a signal arrives, even while slow requests hold every connection of the pool', async () => {
    const { child, base, ended } = run()
    const at = await base
    expect((await ask(`${at}/ready`)).status).toBe(204)
    await other.query('BEGIN; LOCK TABLE pre_piezas IN ACCESS EXCLUSIVE MODE')
    const slow = Array.from({ length: 20 }, (_, i) => statusOf(`${at}/v8/pre-piezas?lote=L-${i}`))
    await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThanOrEqual(10)
    // Probes readiness for longer than a result is cached.
    const until = performance.now() + 2_500
    const statuses = new Set<unknown>()
    while (performance.now() < until) statuses.add(await statusOf(`${at}/ready`))
    expect([...statuses]).toEqual([204])
    expect(await statusOf(`${at}/live`)).toBe(204)
    child.kill('SIGTERM')
    await other.query('ROLLBACK')
    expect(new Set(await Promise.all(slow))).toEqual(new Set([200]))
    expect(await ended).toEqual({ code: 0, stderr: '' })
  })
})
