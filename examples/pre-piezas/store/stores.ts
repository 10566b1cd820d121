/** One store a resource, shared by every version and by the public side. */
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

/** Opens the database, makes what it lacks, and fills what was made. Throws `SettingError` where that can't be done. */
export async function openStores(settings: StoreSettings): Promise<Stores> {
  const { databaseUrl, dataDir, seedSize } = settings
  const database = databaseUrl === undefined ? await openEmbedded(dataDir) : await openServer(databaseUrl, settings)
  try {
    await database.transaction((run) => prepare(run, seedSize))
  } catch (cause) {
    await database.close()
    throw new SettingError(`The tables can not be made: ${(cause as Error).message}.`, { cause })
  }
  return storesIn(database)
}

/** Any number that no other lock of the database has. */
const lock = 8_060_502

/** Of several processes that start at once, one does it and the others wait for it. */
export async function prepare(run: Run, seedSize: number): Promise<void> {
  await run('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0')
  await run(`SELECT pg_advisory_xact_lock(${lock})`)
  if (await createTables(run)) await seed(run, generate(seedSize))
}

/**
 * Milliseconds a statement may take. A connection that dies while one is under way holds its
 * request for about as long.
 */
const statementTimeout = 5_000

/** The stores in a database whose tables are there. */
export function storesIn({ client, prepare, ask, close }: Database) {
  const limits = { statementTimeout, ...(prepare === undefined ? {} : { prepare }) }
  return {
    clientes: postgresAdapter(client, { ...tables.clientes, ...limits }),
    codigosPostales: postgresAdapter(client, { ...tables.codigosPostales, ...limits }),
    componentes: postgresAdapter(client, { ...tables.componentes, ...limits }),
    contratos: postgresAdapter(client, { ...tables.contratos, ...limits }),
    prePiezas: postgresAdapter(client, { ...tables.prePiezas, ...limits }),
    /** Resolves where the database answers. */
    ask,
    /** Ends the connection to it, once nothing uses it any more. */
    close,
  }
}
