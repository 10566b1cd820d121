/**
 * Finds the NATS server for the tests. The tests use streams whose names start with `ERC_TEST_`,
 * and each test deletes its own streams.
 */
import { connect } from '@nats-io/transport-node'
import { ownNats } from './own-nats.js'

export interface FoundNats {
  readonly url: string
  /** A line for the output: which server is used, and how it was found. */
  readonly line: string
  /** Stops the server if `findNats()` started it. */
  release(): Promise<void>
}

/** Milliseconds within which a server must accept a connection. */
const timeout = 2000

/**
 * Finds a NATS server with JetStream. If `NATS_URL` is set, only its server is tried. Otherwise a
 * server on port 4222 of this machine is used. If there is none, the program `nats-server` is
 * started. Throws if the program is not installed. `npm install` does not install it.
 */
export async function findNats(env: Readonly<Record<string, string | undefined>> = process.env): Promise<FoundNats> {
  const noServer = async (): Promise<void> => {}
  if (env.NATS_URL) {
    try {
      return { url: env.NATS_URL, line: `NATS ${await versionOf(env.NATS_URL)}: NATS_URL.`, release: noServer }
    } catch (cause) {
      throw new Error(`NATS_URL is set, and its server can't be used for the tests: ${message(cause)}`, { cause })
    }
  }
  const local = 'nats://127.0.0.1:4222'
  const refused: string[] = []
  try {
    return { url: local, line: `NATS ${await versionOf(local)}: 127.0.0.1:4222.`, release: noServer }
  } catch (error) {
    refused.push(`127.0.0.1:4222: ${message(error)}`)
  }
  try {
    const server = await ownNats()
    return {
      url: server.url,
      line: `NATS ${await versionOf(server.url)}: nats-server of this machine.`,
      release: () => server.remove(),
    }
  } catch (error) {
    refused.push(`nats-server: ${message(error)}`)
    throw new Error(
      'There is no NATS server to test against. Install the program nats-server (apt install nats-server, brew ' +
        'install nats-server). Some tests start and stop it. For the other tests, NATS_URL can name another ' +
        `server.\n${refused.join('\n')}`,
    )
  }
}

async function versionOf(url: string): Promise<string> {
  const connection = await connect({ servers: url, timeout, reconnect: false })
  try {
    if (connection.info?.jetstream !== true)
      throw new Error('JetStream is not enabled. Start the server with nats-server -js.')
    return connection.info.version
  } finally {
    await connection.close()
  }
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))
