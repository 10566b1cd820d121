/**
 * PostgreSQL in this process, by means of PGlite. It is only for development and the demo. It has
 * one connection, a slow query blocks the event loop, and data is never fsynced.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../settings.js'
import type { Database } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { fromPrepared, preparedFile } from './prepared.js'

/**
 * The size of `shared_buffers`. PostgreSQL's default of 128 MB would need much more memory without
 * being faster, because the database files are in memory, or cached by the system.
 */
const buffers = '16MB'

/**
 * Opens a database in memory or in a directory. Locks the directory. Throws `SettingError` if the
 * directory can't be used.
 */
export async function openEmbedded(directory?: string, prepared = preparedFile()): Promise<Database> {
  if (directory === undefined) return start('memory://', fromPrepared(prepared))
  const lock = await lockDirectory(directory)
  try {
    const fresh = !existsSync(join(lock.path, 'PG_VERSION'))
    if (fresh && readdirSync(lock.path).length > 0) {
      throw new SettingError(
        `DATA_DIR ${directory} does not contain a complete database: give a new or empty directory.`,
      )
    }
    const database = await start(lock.path, fresh ? fromPrepared(prepared) : {}).catch((cause: Error) => {
      throw new SettingError(`DATA_DIR ${directory} cannot be opened: ${cause.message}.`, { cause })
    })
    return { ...database, close: () => database.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function start(place: string, options: { loadDataDir?: Blob }): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  const db = await PGlite.create(place, {
    ...options,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${buffers}`],
  })
  return {
    client: db,
    transaction: (work) =>
      db.transaction((tx) =>
        work(async (text, values) => {
          const result = values === undefined ? (await tx.exec(text)).at(-1) : await tx.query(text, [...values])
          return (result?.rows ?? []) as Record<string, unknown>[]
        }),
      ),
    // The database runs in this process, so it responds as long as it is open. A query would have
    // to wait for the queries of all requests.
    async ask() {
      if (db.closed) throw new Error('The database is closed.')
    },
    close: () => db.close(),
  }
}
