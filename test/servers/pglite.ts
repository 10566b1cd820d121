/**
 * PGlite databases for tests. Creating a database is slow. Starting from the files of a new
 * database takes a fifth of the time. If several test files run in the same process, they reuse
 * databases, which takes a hundredth of the time.
 */
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Extensions, PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the file with a new database of PGlite. */
    pglite: string
  }
}

let files: Promise<Blob> | undefined

/** Returns an empty database in this process. The caller must close it. */
export async function freshPglite<E extends Extensions = Record<never, never>>(extensions?: E) {
  files ??= openAsBlob(inject('pglite'))
  return PGlite.create({ loadDataDir: await files, ...(extensions === undefined ? {} : { extensions }) })
}

export interface LentPglite {
  readonly client: PGlite
  /**
   * Empties the database for a later test file. Closes the database if it cannot be emptied, or if
   * `maxIdle` other databases are idle.
   */
  release(): Promise<void>
}

/** Databases that tests have released and that are empty again. */
const idle: PGlite[] = []
/** The result of `catalogsOf` for an empty database. */
let empty: string | undefined

/** The maximum number of databases in `idle`. Each takes about 100 MB. */
const maxIdle = 2

/** Returns an empty database in this process. Another test file might have used it before. */
export async function lentPglite(): Promise<LentPglite> {
  const client = idle.pop() ?? (await freshPglite())
  empty ??= await catalogsOf(client)
  const release = async (): Promise<void> => {
    const isEmpty = !client.closed && (await clear(client).catch(() => false))
    if (isEmpty && idle.length < maxIdle) idle.push(client)
    else if (!client.closed) await client.close()
  }
  return { client, release }
}

/**
 * Drops all schemas of a database, and creates `public` again. Returns whether the database is as
 * empty as a new one. If tests have created other objects, such as roles, it is not.
 */
async function clear(client: PGlite): Promise<boolean> {
  await client.exec('ROLLBACK')
  await client.exec('DISCARD ALL')
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE nspname <> 'information_schema' AND NOT ` +
      `starts_with(nspname, 'pg_')`,
  )
  for (const { name } of rows) await client.exec(`DROP SCHEMA ${name} CASCADE`)
  await client.exec('CREATE SCHEMA public AUTHORIZATION pg_database_owner; GRANT USAGE ON SCHEMA public TO PUBLIC')
  return (await catalogsOf(client)) === empty
}

const catalogs = [
  ...['pg_authid', 'pg_auth_members', 'pg_cast', 'pg_class', 'pg_collation', 'pg_db_role_setting', 'pg_default_acl'],
  ...['pg_event_trigger', 'pg_extension', 'pg_language', 'pg_operator', 'pg_proc', 'pg_publication', 'pg_type'],
]

/** Counts the entries in each catalog that tests can add to. Returns the numbers as one string. */
async function catalogsOf(client: PGlite): Promise<string> {
  // Temporary schemas are not counted, because they remain when their tables are dropped.
  const counts = [...catalogs, `pg_namespace WHERE nspname !~ '^pg_.*temp_'`].map(
    (name) => `(SELECT count(*) FROM ${name})`,
  )
  const { rows } = await client.query<{ all: string }>(`SELECT concat_ws(' ', ${counts.join(', ')}) AS "all"`)
  return rows[0]?.all ?? ''
}

/** Creates the file with a new database, once for a run. */
export async function pgliteFiles(): Promise<{ readonly path: string; release(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'erc-pglite-'))
  const path = join(folder, 'database.tar')
  const db = await PGlite.create()
  await writeFile(path, new Uint8Array(await (await db.dumpDataDir('none')).arrayBuffer()))
  await db.close()
  return { path, release: () => rm(folder, { recursive: true, force: true }) }
}
