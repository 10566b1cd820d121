/** The databases in which random tables are created. */
import { citext } from '@electric-sql/pglite/contrib/citext'
import pg from 'pg'
import { type PostgresAdapterOptions, type PostgresClient, postgresAdapter } from '../../src/adapters/postgres/index.js'
import { defineResource } from '../../src/definition/resource.js'
import { ConfigurationError } from '../../src/problem.js'
import { freshSchema } from '../servers/databases.js'
import { freshPglite } from '../servers/pglite.js'
import { size } from '../size.js'
import type { Kind } from './kinds.js'

export interface LawStore {
  readonly client: PostgresClient
  /** A role that owns no table, but may use all of them. */
  readonly role: string
  /** Options for an adapter that sends its statements as `role`, for the tenant `mine`. */
  readonly secured: {
    readonly client: PostgresClient
    readonly session: NonNullable<PostgresAdapterOptions['session']>
  }
  /** Runs statements. Returns the rows of the last one. */
  sql(text: string): Promise<Record<string, unknown>[]>
  /**
   * The kinds of columns that `ready()` accepts in this database. Throws if `ready()` refuses a
   * kind that it must accept, or refuses a kind without naming the column.
   */
  servable(kinds: readonly Kind[]): Promise<readonly Kind[]>
  close(): Promise<void>
}

/** The databases. `usual` is the number of cases in a run without `LAWS_RUNS`. */
export const databases: readonly {
  readonly name: string
  readonly open: () => Promise<LawStore>
  readonly usual: number
}[] = [
  { name: 'PostgreSQL', open: openPostgres, usual: size(8, 40) },
  { name: 'PGlite', open: openPglite, usual: size(4, 20) },
]

/** Statements that create a role with access to all tables that are created later in a schema. */
const roleDdl = (role: string, schema: string): string => `
  CREATE ROLE ${role} NOSUPERUSER NOLOGIN;
  GRANT USAGE ON SCHEMA ${schema} TO ${role};
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${role}`

const tenant = `SELECT set_config('app.tenant', 'mine', true)`

async function openPostgres(): Promise<LawStore> {
  const place = await freshSchema()
  const role = `laws_${place.name}`
  await place.sql(roleDdl(role, place.name))
  const connect = (options: string): pg.Pool => {
    const url = new URL(place.url)
    // The extensions are in the schema public.
    url.searchParams.set('options', `-c search_path=${place.name},public ${options}`)
    return new pg.Pool({ connectionString: url.href, max: 4 })
  }
  const client = connect('')
  const restricted = connect(`-c role=${role}`)
  const sql = async (text: string) => [await client.query(text)].flat().at(-1)?.rows ?? []
  return {
    client,
    role,
    secured: { client: restricted, session: async (tx) => void (await tx.query(tenant)) },
    sql,
    servable: (kinds) => servable(client, sql, kinds),
    async close() {
      await restricted.end()
      await client.end()
      await place.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
      await place.drop()
    },
  }
}

async function openPglite(): Promise<LawStore> {
  const client = await freshPglite({ citext })
  const role = 'laws_role'
  await client.exec(roleDdl(role, 'public'))
  const sql = async (text: string) => (await client.exec(text)).at(-1)?.rows ?? []
  return {
    client,
    role,
    secured: {
      client,
      // PGlite has only one connection, so each transaction changes to the role.
      async session(tx) {
        await tx.query(`SET LOCAL ROLE ${role}`)
        await tx.query(tenant)
      },
    },
    sql,
    servable: (kinds) => servable(client, sql, kinds),
    close: () => client.close(),
  }
}

async function servable(
  client: PostgresClient,
  sql: LawStore['sql'],
  kinds: readonly Kind[],
): Promise<readonly Kind[]> {
  const found: Kind[] = []
  for (const kind of kinds) {
    if (kind.setup !== undefined) await sql(kind.setup)
    await sql(`CREATE TABLE laws_kind (id int PRIMARY KEY, valor ${kind.type})`)
    const resource = defineResource<Record<string, unknown>>()({
      collection: 'cosas',
      key: 'id' as never,
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, valor: kind.schema } },
    })
    try {
      await postgresAdapter(client, { resource: resource as never, table: 'laws_kind' }).ready()
      found.push(kind)
    } catch (error) {
      const isReported =
        error instanceof ConfigurationError && /laws_kind|"cosas"/.test(error.message) && /"valor"/.test(error.message)
      if (!isReported || kind.optional !== true)
        throw new Error(`ready() refuses a column of the kind ${kind.name}: ${error}`, { cause: error })
    } finally {
      await sql('DROP TABLE laws_kind')
    }
  }
  return found
}
