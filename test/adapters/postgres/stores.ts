/** The two kinds of PostgreSQL on which many tests of the adapter run. */
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { PostgresAdapterOptions, PostgresClient } from '../../../src/adapters/postgres/index.js'
import { type PostgresAdapter, postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import type { ResourceDefinition } from '../../../src/definition/resource.js'
import { freshSchema } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'

export interface Store {
  readonly client: PostgresClient
  /** Runs statements. Returns the rows of the last one. */
  sql(text: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** PostgreSQL with several connections, and PGlite, which runs in this process. */
export const stores: readonly { readonly name: string; readonly open: () => Promise<Store> }[] = [
  { name: 'PostgreSQL', open: openPostgres },
  { name: 'PGlite', open: openPglite },
]

export async function openPostgres(): Promise<Store & { readonly client: pg.Pool }> {
  const place = await freshSchema()
  const client = new pg.Pool({ connectionString: place.url, max: 8 })
  return {
    client,
    sql: (text) => place.sql(text),
    async close() {
      await client.end()
      await place.drop()
    },
  }
}

async function openPglite(): Promise<Store & { readonly client: PGlite }> {
  const { client, release } = await lentPglite()
  return {
    client,
    sql: async (text) => (await client.exec(text)).at(-1)?.rows ?? [],
    close: release,
  }
}

/** Creates the table with the DDL of `tableDdl`, and returns an adapter over this table. */
export async function tableOf<T, K>(
  { client, sql }: Store,
  resource: ResourceDefinition<T, K>,
  options: Omit<PostgresAdapterOptions<T, K>, 'resource'>,
): Promise<PostgresAdapter<T, K>> {
  await sql(tableDdl(resource, options as PostgresAdapterOptions<T, K>))
  const adapter = postgresAdapter(client, { ...options, resource } as PostgresAdapterOptions<T, K> & {
    resource: ResourceDefinition<T, K>
  })
  await adapter.ready()
  return adapter
}
