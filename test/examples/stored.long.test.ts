/**
 * The example with data that outlives a process (`DATA_DIR`), and with data that several processes
 * share (`DATABASE_URL`).
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshSchema, type Place } from '../servers/databases.js'
import { startProxy } from '../servers/proxy.js'
import { ask, asOperator, type Running, start } from './running.js'

// Each process creates its own database, or waits for a database. This takes seconds, and longer on
// a busy machine.
vi.setConfig({ testTimeout: 180_000 })

const home = mkdtempSync(join(tmpdir(), 'pre-piezas-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const running = new Set<Running>()
const run = (env: Record<string, string>): Running => {
  const one = start({ SEED_SIZE: '20', ...env })
  running.add(one)
  return one
}
afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL')
    await ended
  }
  running.clear()
})

async function end({ child, ended }: Running, signal: NodeJS.Signals = 'SIGTERM') {
  child.kill(signal)
  return ended
}

const json = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json', ...headers },
})

async function read(address: string) {
  const response = await ask(address)
  return {
    status: response.status,
    tag: response.headers.get('etag') ?? '',
    body: (await response.json()) as Record<string, never>,
  }
}

describe('DATA_DIR', () => {
  it('keeps written data, including Etags, when the process ends or is killed', async () => {
    const dataDir = join(home, 'kept', 'data')
    const first = run({ DATA_DIR: dataDir })
    const item = `${await first.base}/v8/pre-piezas/1`
    const written = await ask(item, json('PATCH', { lote: 'KEPT' }))
    const tag = written.headers.get('etag') as string
    expect(await end(first)).toEqual({ code: 0, stderr: '' })

    const second = run({ DATA_DIR: dataDir })
    const again = `${await second.base}/v8/pre-piezas/1`
    expect((await read(again)).body.lote).toBe('KEPT')
    const changed = await ask(again, json('PATCH', { lote: 'KILLED' }, { 'If-Match': tag }))
    expect(changed.status).toBe(200)

    const other = await run({ DATA_DIR: join(dataDir, '.') }).ended
    expect(other).toEqual({
      code: 1,
      stderr: `DATA_DIR ${join(dataDir, '.')} is in use by process ${second.child.pid}.\n`,
    })

    await end(second, 'SIGKILL')
    const third = run({ DATA_DIR: dataDir })
    const after = `${await third.base}/v8/pre-piezas/1`
    expect((await read(after)).body.lote).toBe('KILLED')
    expect((await ask(after, json('PATCH', {}, { 'If-Match': tag }))).status).toBe(412)
    expect((await ask(after, json('PATCH', {}, { 'If-Match': changed.headers.get('etag') as string }))).status).toBe(
      200,
    )
  })

  it('makes the process exit with one line and code 1 if the directory cannot be used', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    const taken = join(home, 'taken')
    mkdirSync(taken)
    writeFileSync(join(taken, 'letter.txt'), '')
    const broken = join(home, 'broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'PG_VERSION'), '18\n')
    const [unusable, foreign, half] = await Promise.all(
      [file, taken, broken].map((dataDir) => run({ DATA_DIR: dataDir }).ended),
    )
    expect(unusable?.stderr).toMatch(/^DATA_DIR .*file cannot be used: EEXIST[^\n]*\n$/)
    expect(foreign?.stderr).toBe(
      `DATA_DIR ${taken} does not contain a complete database: give a new or empty directory.\n`,
    )
    expect(half?.stderr).toMatch(/^DATA_DIR .*broken cannot be opened: [^\n]*\n$/)
    expect([unusable, foreign, half].map((ended) => ended?.code)).toEqual([1, 1, 1])
  })
})

describe('DATABASE_URL', () => {
  let place: Place
  beforeAll(async () => {
    place = await freshSchema()
  })
  afterAll(() => place.drop())

  it('HDR-3: two processes that start at the same time on an empty database share it, and lose no update', async () => {
    const both = [run({ DATABASE_URL: place.url }), run({ DATABASE_URL: place.url })]
    const bases = await Promise.all(both.map((one) => one.base))
    expect(await place.sql('SELECT count(*)::int AS n FROM pre_piezas')).toEqual([{ n: 20 }])
    for (const base of bases) {
      const made = await ask(
        `${base}/v8/clientes`,
        json('POST', { razonSocial: 'Nueva', cuit: `30-${Math.random().toFixed(8).slice(2)}-1` }),
      )
      expect(made.status).toBe(201)
    }

    const item = '/v8/pre-piezas/1'
    await ask(`${bases[0]}${item}`, json('PATCH', { valorACobrar: 0 }))
    let changed = 0
    const client = async (base: string): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const { tag, body } = await read(`${base}${item}`)
        const { status } = await ask(
          `${base}${item}`,
          json('PATCH', { valorACobrar: Number(body.valorACobrar) + 1 }, { 'If-Match': tag }),
        )
        expect([200, 412]).toContain(status)
        if (status === 200) changed++
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, i) => client(bases[i % 2] as string)))
    expect(changed).toBeGreaterThan(0)
    for (const base of bases) expect((await read(`${base}${item}`)).body.valorACobrar).toBe(changed)
    expect(await Promise.all(both.map((one) => end(one)))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
  })

  it('a process responds to a request in flight at SIGTERM, and then exits', async () => {
    const name = `pre-piezas ${randomUUID()}`
    const one = run({ DATABASE_URL: place.url })
    const base = await one.base
    const body = JSON.stringify({ codigo: 9999, ciudad: name, idCiudad: 1, idPais: 54, idProvincia: 1 })
    const slow = send(`${base}/v8/codigos-postales`, {
      method: 'POST',
      headers: { ...asOperator, 'Content-Type': 'application/json', Expect: '100-continue' },
    })
    slow.flushHeaders()
    await once(slow, 'continue')
    slow.write(body.slice(0, 10))
    one.child.kill('SIGTERM')
    slow.end(body.slice(10))
    const [created] = await once(slow, 'response')
    created.resume()
    expect(created.statusCode).toBe(201)
    expect(await one.ended).toEqual({ code: 0, stderr: '' })
    expect(await place.sql('SELECT ciudad FROM codigos_postales WHERE codigo = 9999')).toEqual([{ ciudad: name }])
  })

  it('an unreachable database causes a 503 with Retry-After, and recovery is automatic', async () => {
    const { hostname: host, port } = new URL(place.url)
    const proxy = await startProxy({ host, port: Number(port || 5432) })
    const one = run({ DATABASE_URL: proxy.through(place.url) })
    const base = await one.base
    const ready = (status: number) =>
      expect.poll(async () => (await ask(`${base}/ready`)).status, { timeout: 10_000 }).toBe(status)
    await ready(204)
    proxy.refuse()
    proxy.cut('reset')
    const away = [
      await ask(`${base}/v8/pre-piezas/1`),
      await ask(`${base}/v8/pre-piezas/1`, json('PATCH', { lote: 'X' })),
    ]
    expect(away.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [503, '1'],
      [503, '1'],
    ])
    await ready(503)
    await proxy.accept()
    expect((await ask(`${base}/v8/pre-piezas/1`, json('PATCH', { lote: 'BACK' }))).status).toBe(200)
    await ready(204)
    // The probe does not hang if the network drops all packets.
    proxy.stall()
    await ready(503)
    proxy.resume()
    await ready(204)
    expect((await end(one)).code).toBe(0)
    await proxy.close()
  })

  it('half-open connections delay requests for seconds, not until TCP times out', async () => {
    const { hostname: host, port } = new URL(place.url)
    const proxy = await startProxy({ host, port: Number(port || 5432) })
    const one = run({ DATABASE_URL: proxy.through(place.url) })
    const base = await one.base
    const item = `${base}/v8/pre-piezas/1`
    const round = () =>
      Promise.all(
        Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? ask(item, json('PATCH', { lote: `L${n}` })) : ask(item))),
      )
    for (const { status } of await round()) expect(status).toBe(200)
    // After this pause, the connections are checked before they are used. The pool has not closed
    // them yet.
    await sleep(1_000)
    proxy.forget()
    // A request that takes too long would get 503.
    for (const { status } of await round()) expect(status).toBe(200)
    // The connections were used recently, so they are not checked. Reads wait for the statement
    // timeout, and are then retried. The number of reads does not exceed the number of connections
    // in the pool, because a further read would wait for a connection and get 503.
    proxy.forget()
    const reads = await Promise.all(Array.from({ length: 8 }, () => ask(item)))
    for (const { status } of reads) expect(status).toBe(200)
    expect((await end(one)).code).toBe(0)
    await proxy.close()
  })

  it('under load, terminated connections do not end the process', async () => {
    const name = `erc_${randomUUID().slice(0, 8)}`
    const one = run({ DATABASE_URL: `${place.url}&application_name=${name}` })
    const base = await one.base
    let going = true
    const statuses = new Set<number>()
    const client = async (path: string): Promise<void> => {
      while (going) statuses.add((await ask(`${base}${path}`)).status)
    }
    const clients = Array.from({ length: 12 }, (_, n) => client(n % 2 === 0 ? '/v8/pre-piezas/1' : '/ready'))
    for (let i = 0; i < 30; i++) {
      await place.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [name])
      await sleep(30)
    }
    going = false
    await Promise.all(clients)
    for (const status of statuses) expect([200, 204, 503]).toContain(status)
    const { code, stderr } = await end(one)
    expect(stderr).not.toMatch(/Unhandled|uncaught/i)
    expect(code).toBe(0)
  })

  it('the process exits with one line and code 1 if the server is unreachable or lacks the database', async () => {
    const nowhere = new URL(place.url)
    nowhere.port = '1'
    const unknownDatabase = new URL(place.url)
    unknownDatabase.pathname = '/erc_test_no_such_database'
    const [absent, refused] = await Promise.all(
      [nowhere, unknownDatabase].map(({ href }) => run({ DATABASE_URL: href }).ended),
    )
    expect(absent?.stderr).toMatch(/^DATABASE_URL cannot be used: connect ECONNREFUSED [^\n]*\n$/)
    expect(refused?.stderr).toBe('DATABASE_URL cannot be used: database "erc_test_no_such_database" does not exist.\n')
    expect([absent?.code, refused?.code]).toEqual([1, 1])
  })
})
