/** A PostgreSQL server, by a pool of `pg`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { SettingError, type Settings } from '../settings.js'
import type { Database } from './database.js'
import { connecting, serverProbe } from './server-probe.js'

/** Milliseconds that a server which is only just starting is waited for. */
const patience = 5_000

/** Milliseconds after which the server ends a statement or an idle transaction. */
const serverTimeout = 10_000

type ServerSettings = Pick<Settings, 'databasePool' | 'databasePrepare' | 'databaseTimeout'>

/**
 * Throws `SettingError` where the server can't be reached, or does not let us in.
 *
 * Without prepared statements a pooler is in between, which refuses timeouts as startup parameters:
 * the default of `databaseTimeout` is 0 then.
 */
export async function openServer(url: string, settings: ServerSettings = {}): Promise<Database> {
  const { databasePool = 10, databasePrepare = true, databaseTimeout = databasePrepare ? serverTimeout : 0 } = settings
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'pre-piezas',
    // With one more for readiness, times the number of processes, this has to stay below the
    // server's max_connections.
    max: databasePool,
    connectionTimeoutMillis: 5_000,
    // The operating system notices connections that are dead without having been closed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server ends a statement long before the 30 s that a request may take.
    ...(databaseTimeout === 0
      ? {}
      : { statement_timeout: databaseTimeout, idle_in_transaction_session_timeout: databaseTimeout }),
  })
  // A connection that is lost must not end the process. The adapters warn of idle ones; statements
  // under way reject.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await reach(pool)
  } catch (error) {
    await pool.end()
    throw new SettingError(`DATABASE_URL can not be used: ${reasonOf(error)}.`, { cause: error })
  }
  const probe = serverProbe(
    () =>
      new pg.Client({
        connectionString: url,
        application_name: 'pre-piezas readiness',
        connectionTimeoutMillis: connecting,
      }),
  )
  return {
    client: pool,
    prepare: databasePrepare,
    async transaction(work) {
      const client = await pool.connect()
      let failure: Error | undefined
      try {
        await client.query('BEGIN')
        const result = await work(async (text, values) => (await client.query(text, values && [...values])).rows)
        await client.query('COMMIT')
        return result
      } catch (error) {
        failure = error as Error
        throw error
      } finally {
        // With a failure the connection is closed, which rolls back.
        client.release(failure)
      }
    },
    ask: probe.ask,
    close() {
      probe.close()
      return pool.end()
    },
  }
}

async function reach(pool: Pool): Promise<void> {
  const end = Date.now() + patience
  for (;;) {
    try {
      return (await pool.connect()).release()
    } catch (error) {
      if (!passes(error) || Date.now() >= end) throw error
      await sleep(250)
    }
  }
}

/** The network is not there yet, the server is starting, or has no connection to spare. A wrong password stays wrong. */
function passes(error: unknown): boolean {
  const { code = '', message } = error as { code?: string; message: string }
  return /^(?:E[A-Z_]+|57P03|53300)$/.test(code) || /timeout|terminated/i.test(message)
}

/** Of several addresses of one name, each has a failure of its own. */
function reasonOf(error: unknown): string {
  const { errors = [error] } = error as { errors?: unknown[] }
  const reason = errors.map((one) => (one as Error).message).join(', ')
  return /unsupported startup parameter/.test(reason) ? `${reason}. Behind a pooler, set DATABASE_TIMEOUT=0` : reason
}
