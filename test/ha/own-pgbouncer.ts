/**
 * A PgBouncer in transaction mode, which a test starts for itself. The program `pgbouncer` must be
 * installed.
 */
import { execFileSync } from 'node:child_process'
import { runner } from '../servers/binaries.js'
import { ownProgram } from '../servers/own-program.js'

export interface OwnPgBouncer {
  /** The URL of the database through PgBouncer. */
  readonly url: string
  /**
   * Restarts PgBouncer, so that it connects to the server again and new settings of the server
   * apply.
   */
  reconnect(): Promise<void>
  remove(): Promise<void>
}

/** Starts a PgBouncer in front of the server of `url`. Throws if the program is not installed. */
export async function ownPgBouncer(url: string): Promise<OwnPgBouncer> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(url)
  const database = pathname.slice(1)
  const lines = [
    '[databases]',
    `${database} = host=${hostname} port=${serverPort || 5432} ` +
      `user=${username}${password && ` password=${decodeURIComponent(password)}`}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'unix_socket_dir =',
  ]
  const script =
    `{ printf '%s\\n' "$@"; echo "listen_port = PORT"; } > pgbouncer.ini && chmod 644 pgbouncer.ini && ` +
    `chmod 755 . && exec pgbouncer ${asUser()} pgbouncer.ini`
  const server = await ownProgram({
    name: 'PgBouncer',
    command: 'sh',
    args: (port) => ['-c', script.replace('PORT', String(port)), 'sh', ...lines],
    log: 'stderr',
    ready: 'process up',
    started: true,
  })
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(server.port)
  through.password = ''
  return {
    url: through.href,
    async reconnect() {
      await server.kill()
      await server.start()
    },
    remove: () => server.remove(),
  }
}

/**
 * PgBouncer refuses to run as root. If this process runs as root, returns the option that makes
 * PgBouncer switch to another user, and otherwise an empty string.
 */
function asUser(): string {
  const { uid } = runner()
  return uid === undefined ? '' : `-u ${execFileSync('id', ['-nu', String(uid)], { encoding: 'utf8' }).trim()}`
}
