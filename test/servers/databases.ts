/**
 * Gives each test file that uses PostgreSQL its own schema or database in the server of this run.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createDatabase } from './find-postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The PostgreSQL server of this run: the URL of its scratch database, and its
     * `server_version_num`.
     */
    postgres: { readonly url: string; readonly version: number }
  }
}

/** A database or a schema of one test file. */
export interface Place extends AsyncDisposable {
  /** The URL for `new pg.Pool({ connectionString: url })`. */
  readonly url: string
  readonly name: string
  /** Runs SQL in the database or schema. Returns the rows of the last statement. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /**
   * Drops the database or schema with its content, despite open connections. Everything that is not
   * dropped in this way is dropped at the end of the run.
   */
  drop(): Promise<void>
}

/** The `server_version_num` of the server of this run. 150020 is version 15.20. */
export function postgresVersion(): number {
  return inject('postgres').version
}

/**
 * Creates an empty schema in a database that other test files also use, and a URL whose connections
 * use this schema. This takes a few milliseconds, and is enough for most tests.
 *
 * @example
 * const place = await freshSchema()
 * await place.sql('CREATE TABLE sucursales (id text PRIMARY KEY)')
 * const pool = new pg.Pool({ connectionString: place.url })
 * afterAll(async () => { await pool.end(); await place.drop() })
 */
export async function freshSchema(): Promise<Place> {
  const shared = inject('postgres').url
  const name = `s_${randomBytes(6).toString('hex')}`
  await run(shared, `CREATE SCHEMA ${name}`)
  const url = new URL(shared)
  url.searchParams.set('options', `-c search_path=${name}`)
  return place(url.href, name, () => run(shared, `DROP SCHEMA IF EXISTS ${name} CASCADE`))
}

/**
 * Creates an empty database in UTF-8, for tests of the collation, the settings or the connections
 * of a database. `clauses`, such as `LC_COLLATE 'C'`, is added to the end of CREATE DATABASE.
 */
export async function freshDatabase(clauses = ''): Promise<Place> {
  const shared = inject('postgres').url
  const url = new URL(shared)
  // The name marks the database as part of this run, so it is dropped at the end of the run.
  const name = `${url.pathname.slice(1)}_${randomBytes(4).toString('hex')}`
  await run(shared, `${createDatabase(name)} ${clauses}`)
  url.pathname = `/${name}`
  return place(url.href, name, () => run(shared, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}

function place(url: string, name: string, dropIt: () => Promise<unknown>): Place {
  const drop = async (): Promise<void> => {
    await dropIt()
  }
  return { url, name, sql: (text, values) => run(url, text, values), drop, [Symbol.asyncDispose]: drop }
}

async function run(
  connectionString: string,
  text: string,
  values?: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    // For a string with several statements, the driver returns an array of results.
    const results = [await client.query(text, values === undefined ? undefined : [...values])].flat()
    return results.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
