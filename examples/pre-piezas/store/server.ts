/** A PostgreSQL server, through a pool of `pg`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { SettingError, type Settings } from '../settings.js'
import type { Database } from './database.js'
import { connecting, serverProbe } from './server-probe.js'

/** The time to wait for a server that is still starting, in milliseconds. */
const startTimeout = 5_000

/** Milliseconds after which the server ends a statement or an idle transaction. */
const serverTimeout = 10_000

type ServerSettings = Pick<Settings, 'databasePool' | 'databasePrepare' | 'databaseTimeout'>

/**
 * Connects. Throws `SettingError` if the server can't be reached or refuses the connection.
 *
 * If `databasePrepare` is false, the server is assumed to be behind a pooler. A pooler refuses
 * timeouts as startup parameters, so the default of `databaseTimeout` is then 0.
 */
export async function openServer(url: string, settings: ServerSettings = {}): Promise<Database> {
  const { databasePool = 10, databasePrepare = true, databaseTimeout = databasePrepare ? serverTimeout : 0 } = settings
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'pre-piezas',
    // Each process also has one connection for the readiness check. The total of all processes must
    // be below `max_connections` of the server.
    max: databasePool,
    connectionTimeoutMillis: 5_000,
    // Makes the operating system detect connections whose other end is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server ends a statement well before the 30 s timeout of a request.
    ...(databaseTimeout === 0
      ? {}
      : { statement_timeout: databaseTimeout, idle_in_transaction_session_timeout: databaseTimeout }),
  })
  // A lost connection must not end the process. The adapters already warn about lost idle
  // connections, and running statements reject.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await reach(pool)
  } catch (error) {
    await pool.end()
    throw new SettingError(`DATABASE_URL cannot be used: ${reasonOf(error)}.`, { cause: error })
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
        // After a failure, the connection is closed, which rolls the transaction back.
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
  const end = Date.now() + startTimeout
  for (;;) {
    try {
      return (await pool.connect()).release()
    } catch (error) {
      if (!passes(error) || Date.now() >= end) throw error
      await sleep(250)
    }
  }
}

/**
 * Whether an error is temporary: the network is not available yet, or the server is starting or has
 * no free connection. A wrong password is permanent.
 */
function passes(error: unknown): boolean {
  const { code = '', message } = error as { code?: string; message: string }
  return /^(?:E[A-Z_]+|57P03|53300)$/.test(code) || /timeout|terminated/i.test(message)
}

/**
 * The reason why a connection failed. For a host name with several IP addresses, there is one error
 * for each address.
 */
function reasonOf(error: unknown): string {
  const { errors = [error] } = error as { errors?: unknown[] }
  const reason = errors.map((one) => (one as Error).message).join(', ')
  return /unsupported startup parameter/.test(reason) ? `${reason}. Behind a pooler, set DATABASE_TIMEOUT=0` : reason
}
