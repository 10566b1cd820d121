import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Unavailable } from '../../../src/problem.js'
import { type OwnServer, ownServer } from '../../servers/own-server.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, tried, unchanged, until, within } from './bultos.js'

describe('the adapter, over a server that restarts,', () => {
  let server: OwnServer
  let pool: pg.Pool
  const sql = async (text: string) => {
    const client = new pg.Client(server.url)
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows as Record<string, unknown>[]
  }
  beforeAll(async () => {
    server = await ownServer({ settings: { max_connections: '12' } })
    await sql(ddl)
    pool = new pg.Pool({ connectionString: server.url, max: 4 })
  }, 60_000)
  afterAll(async () => {
    await pool.end()
    await server.remove()
  })

  /**
   * Runs streams of writes while `what` restarts the server or ends connections. Returns the
   * acknowledged writes and the errors.
   */
  async function underWrites(what: () => Promise<void>, round: string) {
    const store = bultosIn(pool, {
      write: async (tx, change) => {
        await change.apply()
        await tx.query('INSERT INTO buzon VALUES ($1, $2)', [change.key, change.value?.n])
      },
    })
    await store.ready()
    const acknowledged: string[] = []
    const errors: unknown[] = []
    let going = true
    const stream = async (name: number) => {
      for (let i = 0; going; i++) {
        const id = `${round}-${name}-${i}`
        try {
          const answer = await store.create({ id, n: i }, within(5_000))
          expect(answer).toMatchObject({ created: { value: { id } } })
          acknowledged.push(id)
        } catch (error) {
          errors.push(error)
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
    }
    const streams = [0, 1, 2, 3, 4, 5].map(stream)
    await until(() => acknowledged.length).toBeGreaterThan(50)
    await what()
    const before = acknowledged.length
    // The adapter recovers by itself.
    await until(() => acknowledged.length).toBeGreaterThan(before + 50)
    going = false
    await Promise.all(streams)
    return { acknowledged, errors }
  }

  const happenings: readonly (readonly [string, () => Promise<void>])[] = [
    ['a fast restart', () => server.restart('fast')],
    ['an immediate restart', () => server.restart('immediate')],
    ['kill -9 and a restart', () => server.kill().then(() => server.start())],
    [
      'kill -9 of the server process of one connection',
      async () => {
        const [row] = await sql(
          `SELECT string_agg(pid::text, ',') AS pids FROM pg_stat_activity WHERE backend_type = 'client backend' ` +
            'AND pid <> pg_backend_pid()',
        )
        process.kill(Number(String(row?.pids).split(',')[0]), 'SIGKILL')
        await until(() => sql('SELECT 1 AS n').catch(() => [])).toEqual([{ n: 1 }])
      },
    ],
    [
      'pg_terminate_backend of all connections',
      async () => {
        await sql(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type ' +
            '= $$client backend$$',
        )
      },
    ],
  ]
  for (const [i, [title, what]] of happenings.entries()) {
    it(`loses no acknowledged write, makes no partial write, and recovers by itself: ${title}`, async () => {
      const { acknowledged, errors } = await underWrites(what, `r${i}`)
      for (const error of errors) expect(error).toBeInstanceOf(Unavailable)
      const stored = await sql(`SELECT id FROM bultos WHERE id LIKE 'r${i}-%'`)
      const outbox = await sql(`SELECT bulto AS id FROM buzon WHERE bulto LIKE 'r${i}-%'`)
      const ids = new Set(stored.map(({ id }) => id))
      expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
      expect(new Set(outbox.map(({ id }) => id))).toEqual(ids)
    }, 60_000)
  }

  it('is unavailable while the server is down, and says that nothing was changed', async () => {
    const store = bultosIn(pool)
    await store.ready()
    await server.stop('fast')
    expect((await refusedWith(store.create({ id: 'down' }, call))).detail).toMatch(unchanged)
    await refusedWith(store.read(['down'], call))
    await refusedWith(store.list(listRequest({ sort: 'id' }), call))
    const late = bultosIn(pool)
    await refusedWith(late.ready())
    await refusedWith(late.read(['down'], call))
    await server.start()
    expect(await late.read(['down'], call)).toEqual([undefined])
    expect(await store.create({ id: 'up' }, call)).toMatchObject({ created: {} })
  }, 60_000)

  it('is unavailable if the server has too many connections', async () => {
    const others: pg.Client[] = []
    const small = new pg.Pool({ connectionString: server.url, max: 4 })
    try {
      await until(async () => {
        const client = new pg.Client(server.url)
        client.on('error', () => {})
        others.push(client)
        return client.connect().then(
          () => '',
          (error) => error.code,
        )
      }).toBe('53300')
      const store = bultosIn(small)
      expect((await refusedWith(store.create({ id: 'many' }, call))).detail).toMatch(unchanged)
      await Promise.all(others.map((client) => client.end().catch(() => {})))
      await until(() => tried(store.read(['many'], call))).toEqual([undefined])
    } finally {
      await Promise.all(others.map((client) => client.end().catch(() => {})))
      await small.end()
    }
  })

  it('on a read-only primary, refuses a write, closes the connection of the write, and serves reads', async () => {
    const own = new pg.Pool({ connectionString: server.url, max: 2, idleTimeoutMillis: 0 })
    const store = bultosIn(own)
    await store.ready()
    await sql('ALTER SYSTEM SET default_transaction_read_only = on')
    await sql('SELECT pg_reload_conf()')
    await until(() => own.query('SHOW default_transaction_read_only').then(({ rows }) => rows)).toEqual([
      { default_transaction_read_only: 'on' },
    ])
    expect(own.totalCount).toBe(1)
    expect((await refusedWith(store.create({ id: 'standby' }, call))).detail).toMatch(unchanged)
    await until(() => own.totalCount).toBe(0)
    expect(await store.read(['standby'], call)).toEqual([undefined])
    const admin = new pg.Client(`${server.url}?options=-c%20default_transaction_read_only%3Doff`)
    await admin.connect()
    await admin.query('ALTER SYSTEM RESET default_transaction_read_only')
    await admin.query('SELECT pg_reload_conf()')
    await admin.end()
    await until(() => tried(store.create({ id: 'standby' }, call))).toMatchObject({ created: {} })
    await own.end()
  })

  it('reports a wrong password and an unknown database as errors of the service, without the password', async () => {
    for (const [part, code] of [
      ['password', '28P01'],
      ['pathname', '3D000'],
    ] as const) {
      const url = new URL(server.url)
      url[part] = part === 'password' ? 'secreto' : '/nowhere'
      const wrong = new pg.Pool({ connectionString: url.href })
      const failure = await tried(bultosIn(wrong).read(['a'], call))
      expect(failure).not.toBeInstanceOf(Unavailable)
      expect(failure).toMatchObject({ code })
      expect(`${(failure as Error).message} ${(failure as Error).stack} ${JSON.stringify(failure)}`).not.toContain(
        url.password,
      )
      await wrong.end()
    }
  })
})
