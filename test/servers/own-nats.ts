/**
 * A NATS server (with JetStream) that the tests start and stop. Acknowledged messages are on disk,
 * so they survive when the server is killed.
 */
import { type OwnProgram, ownProgram } from './own-program.js'

export interface OwnNats extends OwnProgram {
  readonly url: string
}

/** Starts a server from the program `nats-server`. Throws if the program is not installed. */
export async function ownNats(): Promise<OwnNats> {
  const server = await ownProgram({
    name: 'NATS',
    command: 'nats-server',
    args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder],
    log: 'stderr',
    ready: 'Server is ready',
    started: true,
  })
  return { ...server, url: `nats://127.0.0.1:${server.port}` }
}
