/**
 * Finds the Redis server for the tests. The tests use keys that start with `erc_test_` and expire.
 */
import { createClient } from 'redis'
import { ownRedis } from './own-redis.js'

export interface FoundRedis {
  readonly url: string
  /** A line for the output: which server is used, and how it was found. */
  readonly line: string
  /** Stops the server if `findRedis()` started it. */
  release(): Promise<void>
}

/** Milliseconds within which a server must accept a connection. */
const connectTimeout = 2000

/**
 * Finds a Redis server. If `REDIS_URL` is set, only its server is tried. Otherwise a server on port
 * 6379 of this machine is used. If there is none, the program `redis-server` is started. Throws if
 * the program is not installed. `npm install` does not install it.
 */
export async function findRedis(env: Readonly<Record<string, string | undefined>> = process.env): Promise<FoundRedis> {
  const noServer = async (): Promise<void> => {}
  if (env.REDIS_URL) {
    try {
      return { url: env.REDIS_URL, line: `Redis ${await versionOf(env.REDIS_URL)}: REDIS_URL.`, release: noServer }
    } catch (cause) {
      throw new Error(`REDIS_URL is set, and its Redis can't be used for the tests: ${message(cause)}`, { cause })
    }
  }
  const local = 'redis://127.0.0.1:6379'
  const refused: string[] = []
  try {
    return { url: local, line: `Redis ${await versionOf(local)}: 127.0.0.1:6379.`, release: noServer }
  } catch (error) {
    refused.push(`127.0.0.1:6379: ${message(error)}`)
  }
  try {
    const server = await ownRedis()
    return {
      url: server.url,
      line: `Redis ${await versionOf(server.url)}: redis-server of this machine.`,
      release: () => server.remove(),
    }
  } catch (error) {
    refused.push(`redis-server: ${message(error)}`)
    throw new Error(
      'There is no Redis to test against. Install the program redis-server (apt install redis-server, brew ' +
        'install redis). Some tests start and stop it. For the other tests, REDIS_URL can name another ' +
        `server.\n${refused.join('\n')}`,
    )
  }
}

async function versionOf(url: string): Promise<string> {
  const client = createClient({ url, socket: { connectTimeout, reconnectStrategy: false } })
  client.on('error', () => {}) // commands reject with their own errors
  try {
    await client.connect()
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'of unknown version'
  } finally {
    client.destroy()
  }
}

function message(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(message).join('; ')
  return error instanceof Error ? error.message : String(error)
}
