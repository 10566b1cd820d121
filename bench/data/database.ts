/** Creates a schema in an existing PostgreSQL database, fills it, and drops it at the end. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { define, tables } from '../servers/library.js'
import { contracts, pieces } from './records.js'

/**
 * Thrown if the schema cannot be created, for example because there is no server or no permission.
 */
export class NoDatabase extends Error {}

export interface Database {
  /** A URL of the database. Connections to this URL use the schema. */
  readonly url: string
  /**
   * Resolves when the tables are filled. Rejects with `NoDatabase` if the schema cannot be created.
   */
  readonly ready: Promise<void>
  /**
   * Waits until `ready` resolves or rejects. Then drops the schema with its tables, if it was
   * created.
   */
  drop(): Promise<void>
}

/**
 * Returns `DATABASE_URL`, or a URL from `PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER` and
 * `PGPASSWORD`. By default, the server is on this machine.
 */
export function databaseUrl(env: Readonly<Record<string, string | undefined>>): string {
  if (env.DATABASE_URL) return env.DATABASE_URL
  const host = env.PGHOST && !env.PGHOST.startsWith('/') ? env.PGHOST : '127.0.0.1'
  const url = new URL(`postgres://${host}:${env.PGPORT || '5432'}/${env.PGDATABASE || 'postgres'}`)
  url.username = encodeURIComponent(env.PGUSER || 'postgres')
  if (env.PGPASSWORD) url.password = encodeURIComponent(env.PGPASSWORD)
  return url.href
}

/** Creates and fills the schema, by default with the tables of the workloads. */
export function makeDatabase(server: string, checkout: string, fillIt: typeof fill = fill): Database {
  const name = `erc_bench_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${name}`)
  const made = withConnection(server, (client) => client.query(`CREATE SCHEMA ${name}`)).catch((cause: Error) => {
    throw new NoDatabase(cause.message || String(cause), { cause })
  })
  const ready = made.then(() => withConnection(url.href, (client) => fillIt(client, checkout)))
  return {
    url: url.href,
    ready,
    async drop() {
      const failure = await ready.catch((error: unknown) => error)
      if (!(failure instanceof NoDatabase))
        await withConnection(server, (client) => client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`))
    },
  }
}

/**
 * Creates and fills the tables that every server uses, with the library's own DDL. Adds the index
 * for pages that are filtered by branch and sorted by date.
 */
async function fill(client: pg.Client, checkout: string): Promise<void> {
  const load = (path: string) => import(pathToFileURL(join(checkout, path)).href)
  const definitions = define((await load('dist/index.js')) as typeof import('express-rest-conventions'))
  const { snakeCase, tableDdl } = (await load(
    'dist/adapters/postgres/index.js',
  )) as typeof import('express-rest-conventions/postgres')
  await client.query(tableDdl(definitions.contratos, tables.contratos))
  await client.query(tableDdl(definitions.piezas, tables.piezas))
  await client.query('CREATE INDEX ON pre_piezas (sucursal_de_distribucion, fecha_de_entrada, numero)')
  for (const [table, records] of [
    [tables.contratos.table, contracts()],
    [tables.piezas.table, pieces()],
  ] as const) {
    const members = Object.keys(records[0] ?? {})
    const columns = members.map(snakeCase).join(', ')
    const rows = records.map((record) =>
      Object.fromEntries(Object.entries(record).map(([member, value]) => [snakeCase(member), value])),
    )
    await client.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, ` +
        '$1::text::jsonb)',
      [JSON.stringify(rows)],
    )
  }
  // The next assigned number follows the highest inserted number.
  await client.query(`SELECT setval(pg_get_serial_sequence('pre_piezas', 'numero'), max(numero)) FROM pre_piezas`)
  await client.query(`ANALYZE ${tables.contratos.table}, ${tables.piezas.table}`)
}

/** Opens one connection, passes it to `use`, and closes it. */
export async function withConnection<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3000 })
  // If the connection is lost, the queries reject, so this listener ignores the error.
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}
