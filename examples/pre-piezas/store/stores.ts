/**
 * One store for each resource that has a table. All versions of the private API and the public API
 * share these stores.
 */
import { postgresAdapter } from 'express-rest-conventions/postgres'
import { generate } from '../data/generator.js'
import { SettingError, type Settings } from '../settings.js'
import type { Database, Run } from './database.js'
import { openEmbedded } from './embedded.js'
import { seed } from './seed.js'
import { openServer } from './server.js'
import { createTables, tables } from './tables.js'

export type Stores = ReturnType<typeof storesIn>

type StoreSettings = Pick<
  Settings,
  'databaseUrl' | 'databasePool' | 'databasePrepare' | 'databaseTimeout' | 'dataDir' | 'seedSize'
>

/**
 * Opens the database and creates missing tables. If all tables were missing, fills them with
 * generated records. Throws `SettingError` on failure.
 */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const { databaseUrl, dataDir, seedSize } = settings
  const database = databaseUrl === undefined ? await openEmbedded(dataDir) : await openServer(databaseUrl, settings)
  try {
    await database.transaction((run) => prepare(run, seedSize))
  } catch (cause) {
    await database.close()
    throw new SettingError(`The tables cannot be created: ${(cause as Error).message}.`, { cause })
  }
  return storesIn(database)
}

/**
 * The number of the advisory lock that `prepare` takes. No other lock in the database uses this
 * number.
 */
const lock = 8_060_502

/**
 * Creates missing tables. If all tables were missing, fills them. If several processes start at the
 * same time, one of them does this and the others wait.
 */
export async function prepare(run: Run, seedSize: number): Promise<void> {
  await run('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0')
  await run(`SELECT pg_advisory_xact_lock(${lock})`)
  if (await createTables(run)) await seed(run, generate(seedSize))
}

/**
 * The timeout of a statement, in milliseconds. If a connection becomes half-open during a
 * statement, the request waits for about this long.
 */
const statementTimeout = 5_000

/** The stores in a database with existing tables. */
export function storesIn({ client, prepare, ask, close }: Database) {
  const limits = { statementTimeout, ...(prepare === undefined ? {} : { prepare }) }
  return {
    clientes: postgresAdapter(client, { ...tables.clientes, ...limits }),
    codigosPostales: postgresAdapter(client, { ...tables.codigosPostales, ...limits }),
    componentes: postgresAdapter(client, { ...tables.componentes, ...limits }),
    contratos: postgresAdapter(client, { ...tables.contratos, ...limits }),
    prePiezas: postgresAdapter(client, { ...tables.prePiezas, ...limits }),
    /** Resolves if the database responds. */
    ask,
    /** Closes the connections when they are no longer used. */
    close,
  }
}
