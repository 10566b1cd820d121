import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnServer, ownServer } from './own-server.js'

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {}) // this event can be ignored, because a failed query rejects
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

describe('a server of our own', () => {
  let server: OwnServer
  beforeAll(async () => {
    server = await ownServer({ settings: { max_connections: '7' } })
    await query(server.url, 'CREATE TABLE t (n int PRIMARY KEY)')
  })
  afterAll(() => server.remove())

  it('accepts connections only with its password, and has the requested settings', async () => {
    expect(await query(server.url, 'SHOW max_connections')).toEqual([{ max_connections: '7' }])
    const wrong = new URL(server.url)
    wrong.password = 'guess'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
  })

  it('folds the case of non-ASCII letters and sorts by code point, on every machine', async () => {
    expect(
      await query(server.url, `SELECT lower('Ñ') AS l, 'Z' < 'a' AS z, current_setting('server_encoding') AS e`),
    ).toEqual([{ l: 'ñ', z: true, e: 'UTF8' }])
  })

  for (const [n, how] of (['fast', 'immediate', 'kill'] as const).entries()) {
    it(`the shutdown "${how}" cuts open connections, and start() keeps the port and acknowledged data`, async () => {
      await query(server.url, `INSERT INTO t VALUES (${n})`)
      const open = new pg.Client(server.url)
      const cut = new Promise((resolve) => open.on('error', resolve))
      await open.connect()
      await (how === 'kill' ? server.kill() : server.stop(how))
      expect(await cut).toBeInstanceOf(Error)
      await expect(query(server.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      await server.start()
      expect(await query(server.url, `SELECT n FROM t WHERE n = ${n}`)).toEqual([{ n }])
    })
  }

  it('starts again after kill -9 under load without losing an acknowledged row', async () => {
    await query(server.url, 'CREATE TABLE load (n serial)')
    let acknowledged = 0
    const writers = Array.from({ length: 4 }, async () => {
      const client = new pg.Client(server.url)
      client.on('error', () => {})
      await client.connect()
      for (;;) {
        await client.query('INSERT INTO load DEFAULT VALUES')
        acknowledged++
      }
    }).map((writer) => writer.catch(() => {}))
    while (acknowledged < 50) await new Promise((resolve) => setImmediate(resolve))
    await server.kill()
    await Promise.all(writers)
    await server.start()
    const [row] = await query(server.url, 'SELECT count(*)::int AS n FROM load')
    expect(row?.n).toBeGreaterThanOrEqual(acknowledged)
  })

  it('cannot be started twice', async () => {
    await expect(server.start()).rejects.toThrow('runs already')
  })
})

describe('the guard of a server', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
    it(`stops the server and removes its data when the process that started the server ends by ${signal}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'erc-guard-'))
      const guard = fileURLToPath(new URL('guard.mjs', import.meta.url))
      // Simulates a test run: a process that starts a server and its guard, and then keeps running.
      const tests = `
        const { spawn } = require('node:child_process')
        const listen = "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))"
        const server = spawn(process.execPath, ['-e', listen], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] })
        const guard = spawn(process.execPath, [${JSON.stringify(guard)}, ${JSON.stringify(folder)}], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
        guard.stdin.write(server.pid + '\\n')
        setInterval(() => {}, 1000)`
      const keeper = spawn(process.execPath, ['-e', tests], { stdio: ['ignore', 'pipe', 'inherit'] })
      const [said] = await once(keeper.stdout, 'data')
      expect(await listens(Number(said))).toBe(true)
      keeper.kill(signal)
      await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false)
      expect(await listens(Number(said))).toBe(false)
    })
  }
})

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
