/**
 * Checks whether a PostgreSQL server responds. It uses a separate connection, because requests may
 * occupy the whole pool.
 */
import type { Client } from 'pg'

export interface ServerProbe {
  /** Resolves if the server responds. Rejects within two seconds if it does not. */
  ask(): Promise<void>
  close(): void
}

/**
 * The query of the probe. If the connection that the probe keeps is half-open, the timeout (in
 * milliseconds) ends the wait.
 */
const question = { text: 'SELECT 1', query_timeout: 800 }

/** The connect timeout in milliseconds. */
export const connecting = 1_000

/**
 * Creates the probe. `newClient` creates a client with `connecting` as its connect timeout, and
 * does not connect it.
 */
export function serverProbe(newClient: () => Client): ServerProbe {
  let kept: Client | undefined
  let asking: Promise<void> | undefined
  let closed = false

  const discard = (client: Client): void => {
    if (kept === client) kept = undefined
    // If a query is still running, `end()` destroys the socket of the client. Errors of the
    // discarded client are ignored.
    client.end().catch(() => {})
  }
  const keptAnswers = async (): Promise<boolean> => {
    const client = kept
    if (client === undefined) return false
    try {
      await client.query(question)
      return true
    } catch {
      discard(client)
      return false
    }
  }
  /**
   * Opens a new connection. If this succeeds, the server responds. The loss of the kept connection
   * alone does not prove that the server is down.
   */
  const connect = async (): Promise<void> => {
    const client = newClient()
    // The listener is never removed, because an error event without a listener ends the process.
    client.on('error', () => discard(client))
    try {
      await client.connect()
    } catch (error) {
      discard(client)
      throw error
    }
    if (closed) discard(client)
    else kept = client
  }
  const ask = async (): Promise<void> => {
    if (closed) throw new Error('The database is closed.')
    if (!(await keptAnswers())) await connect()
  }
  return {
    ask() {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    close() {
      closed = true
      if (kept !== undefined) discard(kept)
    },
  }
}
