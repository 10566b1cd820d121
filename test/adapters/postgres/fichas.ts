/** The resource and the table for the tests of cached rows. */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import {
  type PostgresAdapterOptions,
  type PostgresClient,
  postgresAdapter,
} from '../../../src/adapters/postgres/index.js'
import { cachesOf } from '../../../src/cache.js'
import { defineResource } from '../../../src/index.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { call, listRequest } from '../memory/requests.js'
import { until } from './bultos.js'

const text = { type: ['string', 'null'] } as const
export const fichas = defineResource({
  collection: 'fichas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, a: text, b: text, n: { type: ['integer', 'null'] }, json: {}, padreId: text },
  },
  sort: ['a', 'n'],
  filters: { a: true },
  links: { padre: { to: 'fichas', by: 'padreId', show: ['b'] } },
})
export type Ficha = NonNullable<typeof fichas.types>['record']
export type Options = Partial<PostgresAdapterOptions<Ficha, string>>

export const moves =
  'CREATE FUNCTION mueve() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.version := gen_random_uuid(); ' +
  'RETURN NEW; END $$'
export const trigger = 'CREATE TRIGGER mueve BEFORE UPDATE ON fichas FOR EACH ROW EXECUTE FUNCTION mueve()'
export const columns =
  'id text COLLATE "C" PRIMARY KEY, a text, b text, n bigint, json json, padre_id text COLLATE ' + '"C", oculto text'
export const uuid = 'version uuid NOT NULL DEFAULT gen_random_uuid()'
export const rows =
  `INSERT INTO fichas (id, a, b, n, json, padre_id) SELECT 'f' || i, 'a', NULL, i, '{"x": ` +
  `[1]}', 'f2' FROM ` +
  'generate_series(1, 5) i'

type Over = ReturnType<typeof adapterOver>
const adapterOver = (options: Options, client: PostgresClient) =>
  postgresAdapter(client, {
    resource: fichas,
    table: 'fichas',
    version: { column: 'version' },
    keepRows: 2 ** 23,
    onWarning: () => {},
    ...options,
  })

/**
 * An option that removes the adapter's own limit for cached rows, so that all resources over a
 * client share one limit.
 */
export const sharing = { keepRows: undefined } as unknown as Options

export const counted = (adapter: object) =>
  cachesOf(adapter)
    ?.counts()
    .find(({ name }) => name === 'rows')
export const read = async (adapter: Over, id = 'f1') => (await adapter.read([id], call))[0]
export const listed = (adapter: Over) => adapter.list(listRequest({ sort: 'n,id' }), call)

/**
 * Repeats a list request until rows are cached, and then stops the clock, so that the catalog
 * result stays valid however slow the test is. Several requests are needed, because the adapter
 * queries the catalog in parallel with the first requests, and can cache rows only after that.
 */
export async function warm(adapter: Over): Promise<void> {
  vi.useRealTimers()
  await adapter.ready()
  await until(async () => (await listed(adapter)).items.length && counted(adapter)?.entries).toBeGreaterThan(0)
  vi.useFakeTimers({ toFake: ['performance'] })
}

/** Repeats a list request until the adapter assumes that most of its rows are cached. */
export async function listOften(adapter: Over): Promise<void> {
  for (let i = 0; i < 17; i++) await listed(adapter)
}

/** A client that records the texts of all statements for the table. */
export class Recording extends pg.Client {
  static readonly texts: string[] = []

  // biome-ignore lint/suspicious/noExplicitAny: tracers override the method like this
  override query(given: any, ...more: any[]): any {
    const text = typeof given === 'string' ? given : given.text
    if (text.includes('"fichas"')) Recording.texts.push(text)
    return super.query(given, ...more)
  }
}

/** Whether a statement reads only keys and versions. */
export const isSlim = (text: string): boolean => /SELECT p\.c0, p\.v, /.test(text)

/**
 * Creates a schema for the tests of a file. Returns functions that fill the table `fichas` and
 * create adapters over it.
 */
export function place() {
  let place: Place
  let pool: pg.Pool
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(moves)
    pool = new pg.Pool({ connectionString: place.url, max: 4, Client: Recording } as pg.PoolConfig)
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => pool.end().then(() => place.drop()))
  return {
    sql: (text: string) => place.sql(text),
    get url() {
      return place.url
    },
    get pool() {
      return pool
    },
    fill: (ddl = `CREATE TABLE fichas (${columns}, ${uuid}); ${trigger}`) =>
      place.sql(`DROP TABLE IF EXISTS fichas, copia CASCADE; ${ddl}; ${rows}`),
    over: (options: Options = {}, client: PostgresClient = pool) => adapterOver(options, client),
  }
}
