/**
 * The adapter suite on hash-partitioned tables for records, associations and idempotency keys.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { adapterSuite } from '../../src/testing/index.js'
import { call } from '../adapters/memory/requests.js'
import { freshDatabase, type Place } from '../servers/databases.js'
import { share } from '../size.js'

const attached = {
  favourites: { table: 'favourites', parent: 'client', key: 'contract' },
  archives: { table: 'archives', parent: 'client', key: 'contract' },
}

/** Splits each table of the DDL into three partitions, by the first column of its key. */
const partitioned = (ddl: string): string =>
  ddl.replaceAll(/^CREATE TABLE (?:IF NOT EXISTS )?(\S+) \(([^;]*?)\n\);/gm, (_, table: string, lines: string) => {
    const key = /PRIMARY KEY \(("[^"]+")/.exec(lines)?.[1] ?? 'id'
    const parts = [0, 1, 2].map(
      (n) =>
        `CREATE TABLE ${table.replace(/"$/, `_${n}"`)} PARTITION OF ${table} FOR VALUES WITH (MODULUS 3, ` +
        `REMAINDER ${n});`,
    )
    return `CREATE TABLE ${table} (${lines}\n) PARTITION BY HASH (${key});\n${parts.join('\n')}`
  })

describe('the PostgreSQL adapter over hash partitions', () => {
  let place: Place
  let pools: readonly [pg.Pool, pg.Pool]
  beforeAll(async () => {
    place = await freshDatabase()
    pools = [new pg.Pool({ connectionString: place.url, max: 6 }), new pg.Pool({ connectionString: place.url, max: 3 })]
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await place.drop()
  })

  let schemas = 0
  const suite = adapterSuite(async ({ definition, records }) => {
    const schema = `check_${++schemas}`
    const inSchema = (name: string) => ({ schema, name })
    const options = {
      table: inSchema(definition.collection),
      version: { column: 'version' },
      idempotency: { table: inSchema('idempotency_keys') },
      attached: Object.fromEntries(
        Object.entries(attached).map(([as, join]) => [as, { ...join, table: inSchema(join.table) }]),
      ),
    } as never as PostgresAdapterOptions
    await place.sql(`CREATE SCHEMA ${schema}; ${partitioned(tableDdl(definition, options))}`)
    const tables = await place.sql(
      `SELECT relkind::text FROM pg_class WHERE oid IN ('${schema}."${definition.collection}"'::regclass, ` +
        `'${schema}.idempotency_keys'::regclass)`,
    )
    expect(tables).toEqual([{ relkind: 'p' }, { relkind: 'p' }])
    const [pool, other] = pools
    const adapter = postgresAdapter(pool, { ...options, resource: definition })
    await adapter.ready()
    for (const record of records) expect(await adapter.create(record, call)).toHaveProperty('created')
    return {
      adapter,
      peers: [postgresAdapter(other, { ...options, resource: definition })],
      close: async () => void (await place.sql(`DROP SCHEMA ${schema} CASCADE`)),
    }
  })
  it('the suite skips no check', () => expect(suite.skipped).toEqual([]))
  for (const check of share(suite, 3)) it(`${check.id}: ${check.title}`, check.run)
})
