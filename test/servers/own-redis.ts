/** A Redis server of our own. It stores nothing on disk, so its data is lost when it is killed. */
import { type OwnProgram, ownProgram } from './own-program.js'

export interface OwnRedis extends OwnProgram {
  readonly url: string
}

/**
 * Starts a server from the program `redis-server`. With `started: false`, chooses a port, but does
 * not start the server. Throws if the program is not installed.
 */
export async function ownRedis({ started = true } = {}): Promise<OwnRedis> {
  const server = await ownProgram({
    name: 'Redis',
    command: 'redis-server',
    args: (port) => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    log: 'stdout',
    ready: 'Ready to accept connections',
    started,
  })
  return { ...server, url: `redis://127.0.0.1:${server.port}` }
}
