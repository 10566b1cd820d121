/**
 * Whether a PostgreSQL server answers, asked on a connection of its own: requests may use up the
 * pool.
 */
import type { Client } from 'pg'

export interface ServerProbe {
  /** Resolves where the server answers, and rejects within two seconds where it does not. */
  ask(): Promise<void>
  close(): void
}

/**
 * The time limit, in milliseconds, is for a kept connection that is half-open and never answers.
 */
const question = { text: 'SELECT 1', query_timeout: 800 }

/** Milliseconds for a new connection. */
export const connecting = 1_000

/** `newClient` makes a client that is not connected yet, with `connecting` as its time limit. */
export function serverProbe(newClient: () => Client): ServerProbe {
  let kept: Client | undefined
  let asking: Promise<void> | undefined
  let closed = false

  const discard = (client: Client): void => {
    if (kept === client) kept = undefined
    // A client with a query under way destroys its socket; one that is dead has nothing to say.
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
  /** A server that lets us in answers; that a kept connection was lost says nothing about it. */
  const connect = async (): Promise<void> => {
    const client = newClient()
    // A listener for as long as the client lives: an error that nothing listens for ends the
    // process.
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
