/** What a test file over PostgreSQL begins with: a place in the server of this run that no other file looks at. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createDatabase } from './find-postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of this run: its scratch database, and its version as in `server_version_num`. */
    postgres: { readonly url: string; readonly version: number }
  }
}

/** A database or a schema of one test file. */
export interface Place extends AsyncDisposable {
  /** Give it to `new pg.Pool({ connectionString: url })`. */
  readonly url: string
  readonly name: string
  /** Runs statements there, as simple a way as there is; answers the rows of the last one. */
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Drops it with all it holds, whoever is connected. What is not dropped goes at the end of the run. */
  drop(): Promise<void>
}

/** The server of this run, as `server_version_num` says it: 150020 is 15.20. */
export function postgresVersion(): number {
  return inject('postgres').version
}

/**
 * Makes an empty schema, in a database shared with other files, and an address whose connections find their tables there: takes a few
 * milliseconds, and is what most tests need.
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
 * Makes an empty database, for tests of what belongs to a whole database: its collation, its settings, its connections. `clauses` end
 * its CREATE DATABASE, such as `LC_COLLATE 'C'`. Encoded in UTF-8.
 */
export async function freshDatabase(clauses = ''): Promise<Place> {
  const shared = inject('postgres').url
  const url = new URL(shared)
  // By its name it belongs to this run, and goes with it.
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
    // Several statements in one text answer an array.
    const results = [await client.query(text, values === undefined ? undefined : [...values])].flat()
    return results.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
