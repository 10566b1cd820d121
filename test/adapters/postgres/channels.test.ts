/**
 * The diagnostics channels of the adapter. `pool-wait` reports waits for a connection, and
 * `slow-list` reports slow lists, their filters, and the large tables that they read completely.
 */
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

/**
 * Runs `work` while the table is locked. Unlocks the table when `waiting` statements have waited
 * for the lock for `milliseconds`.
 */
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
  function subscribe() {
    const messages: [string, PoolWaitMessage][] = []
    const handlers = {
      start: (message: unknown) => void messages.push(['start', message as PoolWaitMessage]),
      asyncEnd: (message: unknown) => void messages.push(['end', message as PoolWaitMessage]),
    } as never
    const waits = tracingChannel('express-rest-conventions:pool-wait')
    waits.subscribe(handlers)
    undo.push(() => waits.unsubscribe(handlers))
    return messages
  }

  it('reports the start and end of each wait, and nothing for calls that do not wait', async () => {
    const messages = subscribe()
    const adapter = over(2)
    await adapter.list(list(), call())
    expect(messages).toEqual([])
    await held(() => Promise.all([1, 2, 3, 4].map(() => adapter.list(list(), call()))), 2, 0)
    const starts = messages.filter(([event]) => event === 'start').map(([, message]) => message)
    const ends = messages.filter(([event]) => event === 'end').map(([, message]) => message)
    expect(starts.map(({ size, waiting }) => [size, waiting])).toEqual([
      [2, 1],
      [2, 2],
    ])
    expect(new Set(ends)).toEqual(new Set(starts))
    expect(ends.every(({ failed, duration = 0 }) => !failed && duration > 0)).toBe(true)
  })

  it('reports a timeout once, with its error', async () => {
    const messages = subscribe()
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
    expect(messages.map(([event, { failed }]) => [event, failed])).toEqual([
      ['start', true],
      ['end', true],
    ])
    expect(messages[1]?.[1].error).toMatchObject({ message: 'No connection was free within 300 ms.' })
  })
})

describe('the channel slow-list', () => {
  function subscribe() {
    const messages: SlowListMessage[] = []
    const listener = (message: unknown) => void messages.push(message as SlowListMessage)
    channel('express-rest-conventions:slow-list').subscribe(listener)
    undo.push(() => channel('express-rest-conventions:slow-list').unsubscribe(listener))
    return messages
  }

  it('names the filters and the tables that are read completely; the adapter warns once per statement', async () => {
    const messages = subscribe()
    const onWarning = vi.fn()
    const adapter = over(3, { onWarning })
    const unserved = list([by('lote', 'l7')])
    const served = list([by('peso', 7)])
    await adapter.list(list(), call())
    await held(() => Promise.all([adapter.list(unserved, call()), adapter.list(served, call())]), 2, 1_050)
    await expect.poll(() => messages.length).toBe(2)
    const of = (filter: string) => messages.filter(({ filters }) => filters.includes(filter))
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
    expect(messages.every(({ duration }) => duration >= 1_000)).toBe(true)
    await held(async () => adapter.list(list([by('lote', 'l8')]), call()), 1, 1_050)
    await expect.poll(() => messages.length).toBe(3)
    expect(of('lote')).toHaveLength(2)
    expect(onWarning.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^A list of "cosas", filtered by lote, sorted by -id, took \d+ ms and reads all rows of cosas\./,
        ),
      ],
    ])
    expect(String(onWarning.mock.calls)).not.toMatch(/l7|l8/)
  })

  it('does not count the wait for a connection; an error that "onWarning" throws is only logged', async () => {
    const messages = subscribe()
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    undo.push(() => log.mockRestore())
    const onWarning = () => {
      throw new Error('of the service')
    }
    const adapter = over(1, { onWarning })
    await adapter.list(list(), call())
    await held(
      () => Promise.all([adapter.list(list([by('lote', 'l1')]), call()), adapter.list(list([by('peso', 1)]), call())]),
      1,
      1_050,
    )
    await expect.poll(() => log.mock.calls.length).toBe(1)
    expect(messages.map(({ filters }) => filters)).toEqual([['lote']])
  })

  it('reports nothing for a quick list', async () => {
    const messages = subscribe()
    const adapter = over(1)
    await adapter.list(list([by('lote', 'l7')]), call())
    expect(messages).toEqual([])
  })
})
