/**
 * Checks the settings of synchronous replication (PostgreSQL, "Synchronous Replication"). With
 * synchronous replication, a commit waits for a standby. If a cancel request ends this wait, the
 * change is committed on the primary, although no standby has confirmed it. The server then sends a
 * warning, but no error. If the session hides warnings, the adapter could report a success for a
 * change that a failover can undo.
 */
import type { Database, Wait } from './client.js'
import { failureKind, unavailable } from './failures.js'

/** Whether the server sends warnings, according to the setting `client_min_messages`. */
export const sendsWarnings = (level: string | null | undefined): boolean => !/^(?:error|fatal|panic)$/.test(level ?? '')

const names = ['client_min_messages', 'synchronous_standby_names', 'synchronous_commit'] as const

/**
 * Returns a list of one warning if commits wait for a standby and the session hides the server's
 * warning about a missing confirmation. Otherwise returns an empty list.
 */
export async function hiddenWarnings(database: Database, wait: Wait): Promise<readonly string[]> {
  const columns = names.map((name, i) => `current_setting('${name}', true) AS c${i}`).join(', ')
  const [row] = await database.query(`SELECT ${columns}`, [], wait).catch((error: unknown) => {
    // Databases other than PostgreSQL might not have these settings.
    if (failureKind(error) === 'other') return []
    throw unavailable(error, false)
  })
  const isSynchronous = (row?.c1 ?? '') !== '' && row?.c2 !== 'off' && row?.c2 !== 'local'
  if (!isSynchronous || sendsWarnings(row?.c0)) return []
  return [
    `client_min_messages is "${row?.c0}" and replication is synchronous: a write that no standby has confirmed ` +
      'could be reported as a success. Set client_min_messages to "warning" or lower for the role or the database.',
  ]
}
