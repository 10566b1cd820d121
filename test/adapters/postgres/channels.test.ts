/** What the adapter tells operators on channels: waits for a connection, and lists that no index serves. */
import { channel, tracingChannel } from 'node:diagnostics_channel'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import type { AdapterCall, Condition, ListRequest, PoolWaitMessage, SlowListMessage } from '../../../src/index.js'
import { defineResource } from '../../../src/index.js'
import { freshSchema, type Place } from '../../servers/databases.js'

const cosas = defineResource<{ id: string; lote: string; peso: number }>()({
  collection: 'cosas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'lote', 'peso'],
    properties: { id: { type: 'string' }, lote: { type: 'string' }, peso: { type: 'integer' } },
  },
})
const call = (left = 20_000): AdapterCall =>
  ({ principal: undefined, scope: {}, signal: new AbortController().signal, left: () => left }) as AdapterCall
const by = (field: string, value: string | number): Condition => ({ field, path: [field], op: 'eq', value })
const list = (where: readonly Condition[] = []): ListRequest => ({
  where,
  sort: [{ field: 'id', path: ['id'], descending: true }],
  page: 1,
  offset: 0,
  size: 5,
})

let place: Place
let holder: pg.Client
const undo: (() => unknown)[] = []
beforeAll(async () => {
  place = await freshSchema()
  holder = new pg.Client({ connectionString: place.url })
  await holder.connect()
  await holder.query(
    `CREATE TABLE cosas (id text PRIMARY KEY, lote text NOT NULL, peso int NOT NULL);
     INSERT INTO cosas SELECT 'c' || i, 'l' || i % 1000 || repeat('x', 100), i % 1000 FROM generate_series(1, 60000) i;
     CREATE INDEX ON cosas (peso); ANALYZE cosas`,
  )
})
afterAll(async () => {
  await holder.end()
  await place.drop()
})
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

function over(max: number, options: Partial<PostgresAdapterOptions> = {}) {
  const pool = new pg.Pool({ connectionString: place.url, max })
  undo.push(() => pool.end())
  return postgresAdapter(pool, { resource: cosas, table: 'cosas', onWarning: () => {}, ...options })
}

/** Holds the table until so many statements have waited for it for `milliseconds`. */
async function held<T>(work: () => Promise<T>, waiting: number, milliseconds: number): Promise<T> {
  await holder.query('BEGIN; LOCK TABLE cosas IN ACCESS EXCLUSIVE MODE')
  const done = work()
  done.catch(() => {})
  const blocked = `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted
    AND l.relation = (SELECT oid FROM pg_class WHERE oid = to_regclass('cosas')) AND clock_timestamp() - a.query_start > interval '${milliseconds} ms'`
  await expect.poll(async () => (await place.sql(blocked))[0]?.count, { timeout: 10_000 }).toBe(String(waiting))
  await holder.query('ROLLBACK')
  return done
}

describe('the channel pool-wait', () => {
  function hear() {
    const told: [string, PoolWaitMessage][] = []
    const handlers = {
      start: (message: unknown) => void told.push(['start', message as PoolWaitMessage]),
      asyncEnd: (message: unknown) => void told.push(['end', message as PoolWaitMessage]),
    } as never
    const waits = tracingChannel('express-rest-conventions:pool-wait')
    waits.subscribe(handlers)
    undo.push(() => waits.unsubscribe(handlers))
    return told
  }

  it('tells of each call that waits, from its start to its turn; of calls that need not wait nothing', async () => {
    const told = hear()
    const adapter = over(2)
    await adapter.list(list(), call())
    expect(told).toEqual([])
    await held(() => Promise.all([1, 2, 3, 4].map(() => adapter.list(list(), call()))), 2, 0)
    const starts = told.filter(([event]) => event === 'start').map(([, message]) => message)
    const ends = told.filter(([event]) => event === 'end').map(([, message]) => message)
    expect(starts.map(({ size, waiting }) => [size, waiting])).toEqual([
      [2, 1],
      [2, 2],
    ])
    expect(new Set(ends)).toEqual(new Set(starts))
    expect(ends.every(({ failed, duration = 0 }) => !failed && duration > 0)).toBe(true)
  })

  it('tells once of a call that gives up, with its error', async () => {
    const told = hear()
    const adapter = over(1, { acquireTimeout: 300 })
    await adapter.list(list(), call())
    await held(
      async () => {
        const first = adapter.list(list(), call())
        await expect(adapter.list(list(), call())).rejects.toMatchObject({ status: 503 })
        return first
      },
      1,
      500,
    )
    expect(told.map(([event, { failed }]) => [event, failed])).toEqual([
      ['start', true],
      ['end', true],
    ])
    expect(told[1]?.[1].error).toMatchObject({ message: 'No connection was free within 300 ms.' })
  })
})

describe('the channel slow-list', () => {
  function hear() {
    const told: SlowListMessage[] = []
    const hears = (message: unknown) => void told.push(message as SlowListMessage)
    channel('express-rest-conventions:slow-list').subscribe(hears)
    undo.push(() => channel('express-rest-conventions:slow-list').unsubscribe(hears))
    return told
  }

  it('says which filters no index serves, and warns of each statement once', async () => {
    const told = hear()
    const onWarning = vi.fn()
    const adapter = over(3, { onWarning })
    const unserved = list([by('lote', 'l7')])
    const served = list([by('peso', 7)])
    await adapter.list(list(), call())
    await held(() => Promise.all([adapter.list(unserved, call()), adapter.list(served, call())]), 2, 1_050)
    await expect.poll(() => told.length).toBe(2)
    const of = (filter: string) => told.filter(({ filters }) => filters.includes(filter))
    expect(of('lote')).toEqual([
      {
        collection: 'cosas',
        duration: expect.any(Number),
        filters: ['lote'],
        sort: ['-id'],
        search: false,
        readWhole: ['cosas'],
      },
    ])
    expect(of('peso')[0]?.readWhole).toEqual([])
    expect(told.every(({ duration }) => duration >= 1_000)).toBe(true)
    await held(async () => adapter.list(list([by('lote', 'l8')]), call()), 1, 1_050)
    await expect.poll(() => told.length).toBe(3)
    expect(of('lote')).toHaveLength(2)
    expect(onWarning.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^A list of "cosas", filtered by lote, sorted by -id took \d+ ms and reads the whole of cosas\./,
        ),
      ],
    ])
    expect(String(onWarning.mock.calls)).not.toMatch(/l7|l8/)
  })

  it('a wait for a connection is no slow statement, and a warning that throws ends nothing', async () => {
    const told = hear()
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    undo.push(() => log.mockRestore())
    const onWarning = () => {
      throw new Error('of the team')
    }
    const adapter = over(1, { onWarning })
    await adapter.list(list(), call())
    await held(
      () => Promise.all([adapter.list(list([by('lote', 'l1')]), call()), adapter.list(list([by('peso', 1)]), call())]),
      1,
      1_050,
    )
    await expect.poll(() => log.mock.calls.length).toBe(1)
    expect(told.map(({ filters }) => filters)).toEqual([['lote']])
  })

  it('a quick list tells nothing', async () => {
    const told = hear()
    const adapter = over(1)
    await adapter.list(list([by('lote', 'l7')]), call())
    expect(told).toEqual([])
  })
})
