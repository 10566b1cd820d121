/**
 * Runs the adapter suite on ordinary tables. A table that imitates the Citus catalog lists these
 * tables as distributed. The tests record the statements of the adapter, and check their query
 * trees against the rules of Citus. If the environment variable CITUS_URL is set, the suite also
 * runs on Citus. Otherwise, that part is skipped, because no package that the tests can install
 * contains Citus.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type PostgresAdapterOptions,
  type PostgresClient,
  postgresAdapter,
  tableDdl,
} from '../../src/adapters/postgres/index.js'
import type { ResourceDefinition } from '../../src/definition/resource.js'
import { adapterSuite } from '../../src/testing/index.js'
import { call } from '../adapters/memory/requests.js'
import { makeCatalog, makeFunction } from '../adapters/postgres/citus/catalog.js'
import { factsOf, refusedByCitus } from '../adapters/postgres/citus/rules.js'
import { recording } from '../adapters/postgres/citus/sent.js'
import { freshDatabase, type Place, postgresVersion } from '../servers/databases.js'
import { isLong, share } from '../size.js'

const attached = {
  favourites: { table: 'favourites', parent: 'client', key: 'contract' },
  archives: { table: 'archives', parent: 'client', key: 'contract' },
}

let schemas = 0
/** Creates distributed tables for a check. Each check has its own tables. */
async function tables(
  definition: ResourceDefinition,
  records: Iterable<unknown>,
  exec: (text: string) => Promise<unknown>,
  client: PostgresClient,
) {
  const schema = `check_${process.pid}_${++schemas}`
  const inSchema = (name: string) => ({ schema, name })
  const options = {
    table: inSchema(definition.collection),
    version: { column: 'version', soleWriter: true },
    idempotency: { table: inSchema('idempotency_keys') },
    attached: Object.fromEntries(
      Object.entries(attached).map(([as, join]) => [as, { ...join, table: inSchema(join.table) }]),
    ),
  } as never as PostgresAdapterOptions
  await exec(`CREATE SCHEMA ${schema}`)
  await exec(tableDdl(definition, options, { distributed: true }))
  const adapter = postgresAdapter(client, { ...options, resource: definition })
  await adapter.ready()
  for (const record of records) {
    const made = await adapter.create(record, call)
    if (!('created' in made)) throw new Error(`A record of the suite was refused: ${JSON.stringify(made)}`)
  }
  return { adapter, options, schema }
}

describe('the PostgreSQL adapter on tables that an imitation of the Citus catalog lists as distributed', () => {
  let place: Place
  let pools: readonly [pg.Pool, pg.Pool]
  const statements = new Set<string>()
  const refused: string[] = []

  beforeAll(async () => {
    place = await freshDatabase()
    pools = [new pg.Pool({ connectionString: place.url, max: 6 }), new pg.Pool({ connectionString: place.url, max: 3 })]
    await makeCatalog((text) => place.sql(text))
    await makeFunction((text) => place.sql(text))
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await place.drop()
  })

  /** Checks the recorded statements. The tables must still exist. */
  async function judge(sent: readonly string[]): Promise<void> {
    const exec = (text: string) => pools[1].query(text).then(({ rows }) => rows as Record<string, unknown>[])
    const facts = await factsOf(exec)
    for (const text of new Set(sent)) {
      if (
        !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text) ||
        !text.includes('check_') ||
        /\bpg_(?:class|attribute)\b/.test(text)
      )
        continue
      statements.add(text.replaceAll(/check_\d+_\d+/g, 'check'))
      for (const fault of await refusedByCitus(exec, text, facts)) refused.push(`${fault}: ${text}`)
    }
  }

  const suite = adapterSuite(async ({ definition, records }) => {
    const recorded = recording(pools[0])
    const { adapter, options, schema } = await tables(definition, records, (text) => place.sql(text), recorded.client)
    return {
      adapter,
      peers: [postgresAdapter(pools[1], { ...options, resource: definition })],
      close: async () => {
        if (postgresVersion() >= 140_000) await judge(recorded.statements)
        await place.sql(
          'DELETE FROM pg_catalog.pg_dist_partition WHERE logicalrelid::oid IN (SELECT oid FROM pg_class WHERE ' +
            `relnamespace = '${schema}'::regnamespace)`,
        )
        await place.sql(`DROP SCHEMA ${schema} CASCADE`)
        await recorded.client.end()
      },
    }
  })
  it('the suite skips no check', () => expect(suite.skipped).toEqual([]))
  for (const check of share(suite, 3)) it(`${check.id}: ${check.title}`, check.run)

  it.skipIf(postgresVersion() < 140_000)('sends only statements that the rules of Citus allow', () => {
    expect(statements.size).toBeGreaterThan(isLong ? 100 : 25)
    expect([...new Set(refused)]).toEqual([])
  })
})

const citus = process.env.CITUS_URL
describe.skipIf(!citus).each([
  ['distributed', (ddl: string) => ddl],
  [
    'reference',
    (ddl: string) =>
      ddl.replaceAll(/create_distributed_table\(('(?:[^']|'')*')[^;\n]*?\)(?=;|\n)/g, 'create_reference_table($1)'),
  ],
] as const)('the PostgreSQL adapter on %s tables of Citus (skipped without CITUS_URL)', (_, made) => {
  let pool: pg.Pool
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: citus as string, max: 6 })
    await pool.query('CREATE EXTENSION IF NOT EXISTS citus')
  })
  afterAll(() => pool.end())

  const suite = adapterSuite(async ({ definition, records }) => {
    const { adapter, options, schema } = await tables(definition, records, (text) => pool.query(made(text)), pool)
    return {
      adapter,
      peers: [postgresAdapter(pool, { ...options, resource: definition })],
      close: async () => void (await pool.query(`DROP SCHEMA ${schema} CASCADE`)),
    }
  })
  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
})
