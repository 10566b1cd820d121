/** A Redis of our own: it keeps nothing on disk, so what it held is lost when it is killed. */
import { type OwnProgram, ownProgram } from './own-program.js'

export interface OwnRedis extends OwnProgram {
  readonly url: string
}

/** Starts one from the program `redis-server`; `started: false` only picks its port. Throws where there is no such program. */
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
