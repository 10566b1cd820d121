/**
 * The PostgreSQL adapter passes the adapter suite, both on a server and embedded with PGlite. On
 * the server, the suite also gets two peers, which are further adapters over the same data: one has
 * a pool of its own, and the other runs in another process.
 */
import type { PGlite } from '@electric-sql/pglite'
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
import { freshDatabase, type Place } from '../servers/databases.js'
import { freshPglite } from '../servers/pglite.js'
import { share } from '../size.js'
import { type PeerProcess, startPeer } from './peer-process.js'

const attached = {
  favourites: { table: 'favourites', parent: 'client', key: 'contract' },
  archives: { table: 'archives', parent: 'client', key: 'contract' },
}

/**
 * The number of schemas so far. Each check has a schema with its own tables. The schema is dropped
 * after the check.
 */
let schemas = 0
async function tables(
  definition: ResourceDefinition,
  records: Iterable<unknown>,
  exec: (text: string) => Promise<unknown>,
  client: PostgresClient,
  version: PostgresAdapterOptions['version'],
) {
  const schema = `check_${++schemas}`
  const inSchema = (name: string) => ({ schema, name })
  const options = {
    table: inSchema(definition.collection),
    version,
    idempotency: { table: inSchema('idempotency_keys') },
    attached: Object.fromEntries(
      Object.entries(attached).map(([as, join]) => [as, { ...join, table: inSchema(join.table) }]),
    ),
  } as never as PostgresAdapterOptions
  await exec(`CREATE SCHEMA ${schema}; ${tableDdl(definition, options)}`)
  const adapter = postgresAdapter(client, { ...options, resource: definition })
  await adapter.ready()
  for (const record of records) {
    const made = await adapter.create(record, call)
    if (!('created' in made)) throw new Error(`A record of the suite was refused: ${JSON.stringify(made)}`)
  }
  return { adapter, options, drop: async () => void (await exec(`DROP SCHEMA ${schema} CASCADE`)) }
}

describe.each([
  ['a version column', { column: 'version' }],
  ['xmin', 'xmin'],
] as const)('the PostgreSQL adapter on a server, with versions in %s', (_, version) => {
  let place: Place
  let pools: readonly pg.Pool[]
  let peer: PeerProcess
  beforeAll(async () => {
    place = await freshDatabase()
    pools = [new pg.Pool({ connectionString: place.url, max: 6 }), new pg.Pool({ connectionString: place.url, max: 3 })]
    peer = startPeer(place.url)
  })
  afterAll(async () => {
    peer.end()
    await Promise.all(pools.map((pool) => pool.end()))
    await place.drop()
  })

  const suite = adapterSuite(async ({ definition, records }) => {
    const [pool, other] = pools as [pg.Pool, pg.Pool]
    const { adapter, options, drop } = await tables(definition, records, (text) => pool.query(text), pool, version)
    return {
      adapter,
      peers: [postgresAdapter(other, { ...options, resource: definition }), peer.adapter(definition, options)],
      close: drop,
    }
  })
  it('the suite skips no check', () => expect(suite.skipped).toEqual([]))
  for (const check of share(suite, 3)) it(`${check.id}: ${check.title}`, check.run)
})

describe('the PostgreSQL adapter, embedded with PGlite', () => {
  let db: PGlite
  beforeAll(async () => {
    db = await freshPglite()
  })
  afterAll(() => db.close())

  const suite = adapterSuite(async ({ definition, records }) => {
    const { adapter, options, drop } = await tables(definition, records, (text) => db.exec(text), db, {
      column: 'version',
    })
    return { adapter, peers: [postgresAdapter(db, { ...options, resource: definition })], close: drop }
  })
  it('the suite skips no check', () => expect(suite.skipped).toEqual([]))
  for (const check of share(suite, 3)) it(`${check.id}: ${check.title}`, check.run)
})
