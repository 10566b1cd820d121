/**
 * REP-1..3: when link targets (the records that links point to) are joined, and when separate
 * statements read them because a join might give a different result.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdapterCall, ShownLink, ShownLinks, Stored } from '../../../src/adapters/contract.js'
import {
  type PostgresAdapter,
  type PostgresAdapterOptions,
  type PostgresClient,
  postgresAdapter,
} from '../../../src/adapters/postgres/index.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import { callOf, listRequest } from '../memory/requests.js'
import { clientes, contratos } from './linked.js'

const ddl = `CREATE TABLE clientes (id integer PRIMARY KEY, nombre text);
  CREATE TABLE contratos (codigo text PRIMARY KEY, n integer, cliente_id integer);
  CREATE VIEW vista AS SELECT * FROM clientes;
  CREATE TABLE textos (id text PRIMARY KEY, nombre text);
  INSERT INTO clientes VALUES (1, 'Ana'); INSERT INTO textos VALUES ('1', 'Ana');
  INSERT INTO contratos VALUES ('a', 0, 1), ('b', 0, 404), ('c', 0, NULL)`

let place: Place
let pool: pg.Pool
let other: pg.Pool
beforeAll(async () => {
  place = await freshSchema()
  await place.sql(ddl)
  pool = new pg.Pool({ connectionString: place.url, max: 2 })
  other = new pg.Pool({ connectionString: place.url, max: 2 })
})
afterAll(async () => {
  await pool.end()
  await other.end()
  await place.drop()
})

type Target = PostgresAdapter<{ id: number; nombre: string }, number>
type Options = Partial<Omit<PostgresAdapterOptions, 'resource'>>

const target = (client: PostgresClient, options: Options = {}): Target =>
  postgresAdapter(client, { table: 'clientes', onWarning: () => {}, ...options, resource: clientes } as never)
const source = (client: PostgresClient, options: Options = {}) =>
  postgresAdapter(client, {
    table: 'contratos',
    onWarning: () => {},
    ...options,
    resource: contratos,
  } as never) as PostgresAdapter<{ codigo: string }, string>

/**
 * Returns `call`, an adapter call for a response that shows the customer (`cliente`) of each
 * contract. Also returns `joined`, an object that receives the customers that the join has read.
 */
function showing(adapter: object, more: Partial<ShownLink> = {}, own: Partial<AdapterCall> = {}) {
  const joined: Record<string, Stored<unknown> | undefined> = {}
  const links: ShownLinks = {
    all: [{ by: ['clienteId'], adapter, ...more }],
    callOf: () => callOf(own),
    found(_link, key, stored) {
      joined[key] = stored
    },
  }
  return { call: callOf({ links }), joined }
}

async function joinedBy(
  from: PostgresAdapter<{ codigo: string }, string>,
  to: Target,
  more: Partial<ShownLink> = {},
  own: Partial<AdapterCall> = {},
) {
  const { call, joined } = showing(to, more, own)
  const { items } = await from.list(listRequest({ sort: 'codigo' }), call)
  expect(items).toHaveLength(3)
  const one = showing(to, more, own)
  expect((await from.read(['a'], one.call))[0]?.value).toMatchObject({ codigo: 'a' })
  expect(one.joined).toEqual('1' in joined ? { 1: joined[1] } : {})
  return joined
}

describe('a linked table of the same database', () => {
  it.each([
    ['PostgreSQL', async () => ({ client: pool as PostgresClient, release: async () => {} })],
    [
      'PGlite',
      async () => {
        const lent = await lentPglite()
        await lent.client.exec(ddl)
        return lent
      },
    ],
  ])('is joined to the records of a page and to a single record, on %s', async (_name, open) => {
    const { client, release } = await open()
    const to = target(client)
    const [whole] = await to.read([1], callOf())
    expect(await joinedBy(source(client), to)).toEqual({ 1: whole, 404: undefined })
    const some = await joinedBy(source(client), to, { members: [] })
    expect(some).toEqual({ 1: { value: { id: 1 }, version: whole?.version }, 404: undefined })
    await release()
  })

  it('is not joined before its columns are known', async () => {
    expect(await joinedBy(source(pool), target(pool))).toEqual({})
  })

  it.each<[string, () => Promise<{ from?: Options; to?: Options; client?: PostgresClient }>]>([
    ['uses another client', async () => ({ client: other })],
    ['is read from a replica', async () => ({ client: { read: other, write: pool }, to: { replica: true } })],
    ['is read from a view', async () => ({ to: { readFrom: 'vista', version: { expression: 'nombre' } } })],
    ['is a view', async () => ({ to: { table: 'vista', version: { expression: 'nombre' } } })],
    ['has a session function', async () => ({ to: { session: async () => {} } })],
    ['is linked from a table with a session function', async () => ({ from: { session: async () => {} } })],
    [
      'is linked by a computed member',
      async () => ({ from: { columns: { clienteId: { expression: 'cliente_id' } } } as Options }),
    ],
  ])('is not joined if it %s', async (_why, given) => {
    const { from, to, client = pool } = await given()
    const adapter = target(client, to)
    await adapter.read([1], callOf())
    expect(await joinedBy(source(pool, from), adapter)).toEqual({})
  })

  it('is not joined if the request will use the records for a write', async () => {
    const to = target(pool)
    await to.read([1], callOf())
    expect(await joinedBy(source(pool), to, {}, { fresh: true })).toEqual({})
  })

  it('is not joined in a transaction of the caller, which a failed statement would abort', async () => {
    const to = target(pool)
    await to.read([1], callOf())
    const client = await pool.connect()
    await client.query('BEGIN')
    expect(await joinedBy(source(pool).within(client), to.within(client))).toEqual({})
    await client.query('ROLLBACK')
    client.release()
  })
})
