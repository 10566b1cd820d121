/** Reads the settings from the environment, and checks them. */
import { availableParallelism } from 'node:os'

export interface Settings {
  /** The port. 0 picks a free port. */
  readonly port: number
  /**
   * The absolute URL of the service without the version, as clients use it. Links begin with this
   * URL. If this setting is absent, the URL is derived from each request.
   */
  readonly baseUrl?: string
  /** The number of pre-pieces in a new database. */
  readonly seedSize: number
  /**
   * The URL of the PostgreSQL server. If this setting is absent, PostgreSQL runs in the process.
   */
  readonly databaseUrl?: string
  /**
   * The maximum number of database connections of each process, in addition to one connection for
   * the readiness check. Default 10.
   */
  readonly databasePool?: number
  /** Whether the service uses named prepared statements. Default true. */
  readonly databasePrepare?: boolean
  /**
   * Milliseconds after which the database server ends a statement or an idle transaction. The value
   * is sent in startup parameters. With 0, these parameters are not sent. Default: see
   * `store/server.ts`.
   */
  readonly databaseTimeout?: number
  /**
   * The data directory for PostgreSQL in the process. If this setting is absent, the data is in
   * memory.
   */
  readonly dataDir?: string
  /**
   * The URL of the Redis server that counts requests. If neither this setting nor `redisSentinels`
   * is set, counts are in memory. With `redisSentinels`, the host in this URL is the name of the
   * master, and the default is `redis://mymaster`.
   */
  readonly redisUrl?: string
  /** The hosts and ports of the sentinels that monitor the Redis server. */
  readonly redisSentinels?: readonly RedisSentinelAddress[]
  /** The number of processes. Default 1. */
  readonly workers?: number
  /**
   * The key that signs and verifies tokens. Default: a random key. With the default, a restart
   * makes all tokens invalid.
   */
  readonly tokenSecret?: string
  /** The limit of requests per minute and principal. 0 means no limit. */
  readonly rateLimit: number
  /**
   * Milliseconds for which the server stays open after SIGTERM while `/ready` responds with 503.
   * Default: see `shutdown.ts`.
   */
  readonly drain?: number
  /**
   * The account of the public API. By default, the user is `demo` and the password is random. If
   * the user or the password is not set, both are printed at the start.
   */
  readonly publicUser?: string
  readonly publicPassword?: string
}

interface RedisSentinelAddress {
  readonly host: string
  readonly port: number
}

/** Thrown for a setting that can't be used. The message is one line for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/**
 * Reads `PORT`, `BASE_URL`, `SEED_SIZE`, `DATABASE_URL`, `DATABASE_POOL`, `DATABASE_PREPARE`,
 * `DATABASE_TIMEOUT`, `DATA_DIR`, `REDIS_URL`, `REDIS_SENTINELS`, `WORKERS`, `TOKEN_SECRET`,
 * `RATE_LIMIT`, `DRAIN`, `PUBLIC_USER` and `PUBLIC_PASSWORD`. An empty value counts as not set.
 * Throws `SettingError`.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const port = wholeNumber(env, 'PORT', 65_535) ?? 3000
  const seedSize = wholeNumber(env, 'SEED_SIZE', 100_000) ?? 1000
  const rateLimit = wholeNumber(env, 'RATE_LIMIT', 999_999_999) ?? 600
  const drain = wholeNumber(env, 'DRAIN', 60_000)
  const baseUrl = absoluteUrl(env, 'BASE_URL')
  const databaseUrl = addressOf(env, 'DATABASE_URL', postgres)
  const databasePool = wholeNumber(env, 'DATABASE_POOL', 1_000, 1)
  const databasePrepare = trueOrFalse(env, 'DATABASE_PREPARE')
  const databaseTimeout = wholeNumber(env, 'DATABASE_TIMEOUT', 3_600_000)
  const redisSentinels = sentinelsOf(env)
  const redisUrl = addressOf(env, 'REDIS_URL', redis) ?? (redisSentinels && 'redis://mymaster')
  const workers = workersOf(env)
  const tokenSecret = secretOf(env)
  const publicUser = userOf(env)
  const publicPassword = passwordOf(env)
  const dataDir = env.DATA_DIR?.trim() || undefined
  if (databaseUrl !== undefined && dataDir !== undefined) {
    throw new SettingError('DATABASE_URL and DATA_DIR are both set: give only one of them.')
  }
  if (workers !== undefined && workers > 1 && databaseUrl === undefined) {
    throw new SettingError(
      'WORKERS is more than 1 without DATABASE_URL: set DATABASE_URL. The embedded PostgreSQL supports only one ' +
        'process.',
    )
  }
  return {
    port,
    seedSize,
    rateLimit,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(databasePool === undefined ? {} : { databasePool }),
    ...(databasePrepare === undefined ? {} : { databasePrepare }),
    ...(databaseTimeout === undefined ? {} : { databaseTimeout }),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(redisUrl === undefined ? {} : { redisUrl }),
    ...(redisSentinels === undefined ? {} : { redisSentinels }),
    ...(workers === undefined ? {} : { workers }),
    ...(tokenSecret === undefined ? {} : { tokenSecret }),
    ...(drain === undefined ? {} : { drain }),
    ...(publicUser === undefined ? {} : { publicUser }),
    ...(publicPassword === undefined ? {} : { publicPassword }),
  }
}

type Environment = Readonly<Record<string, string | undefined>>

function wholeNumber(env: Environment, name: string, max: number, min = 0): number | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (/^[0-9]{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  throw new SettingError(`${name} is ${JSON.stringify(text)}: give an integer from ${min} to ${max}.`)
}

function trueOrFalse(env: Environment, name: string): boolean | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw new SettingError(`${name} is ${JSON.stringify(text)}: give true or false.`)
}

/** The number of processes. `auto` is one process per available core. */
function workersOf(env: Environment): number | undefined {
  if (env.WORKERS?.trim() === 'auto') return availableParallelism()
  return wholeNumber(env, 'WORKERS', 128, 1)
}

/** The sentinels: `host:port` pairs, separated by commas. The default port is 26379. */
function sentinelsOf(env: Environment): readonly RedisSentinelAddress[] | undefined {
  const text = env.REDIS_SENTINELS?.trim() ?? ''
  if (text === '') return undefined
  return text.split(',').map((one) => {
    const [, host, port = '26379'] = /^([\w.-]+|\[[\da-f:.]+\])(?::([0-9]{1,5}))?$/i.exec(one.trim()) ?? []
    if (host !== undefined && Number(port) <= 65_535) return { host: host.replace(/[[\]]/g, ''), port: Number(port) }
    throw new SettingError(
      `REDIS_SENTINELS is ${JSON.stringify(text)}: give addresses such as ` +
        '10.0.0.1:26379,10.0.0.2:26379,10.0.0.3:26379.',
    )
  })
}

function absoluteUrl(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (URL.canParse(text) && /^https?:\/\/[^\s'"?#]+$/.test(text)) return text.replace(/\/+$/, '')
  throw new SettingError(
    `${name} is ${JSON.stringify(text)}: give an absolute address without query, such as ` +
      'https://api.example.com/private.',
  )
}

interface Kind {
  readonly scheme: RegExp
  readonly what: string
  readonly example: string
}

const postgres: Kind = {
  scheme: /^postgres(?:ql)?:\/\/./,
  what: 'a PostgreSQL server',
  example: 'postgres://user:password@db.example.com:5432/courier',
}
const redis: Kind = {
  scheme: /^rediss?:\/\/./,
  what: 'a Redis server',
  example: 'redis://user:password@redis.example.com:6379',
}

/** The URL of a server. Messages do not show the URL, because it may contain a password. */
function addressOf(env: Environment, name: string, { scheme, what, example }: Kind): string | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (scheme.test(text) && URL.canParse(text)) return text
  throw new SettingError(`${name} is not an address of ${what}: give one such as ${example}.`)
}

/** The minimum size of an HS256 key in bytes (RFC 7518 3.2). */
const shortestSecret = 32

/**
 * The user name. HTTP Basic separates the user name from the password by the first colon, and
 * allows no control characters (RFC 7617 2).
 */
function userOf({ PUBLIC_USER: user = '' }: Environment): string | undefined {
  if (!/[:\p{Cc}]/u.test(user)) return user || undefined
  throw new SettingError(`PUBLIC_USER is ${JSON.stringify(user)}: give a name without colons and control characters.`)
}

/** The password. Messages do not show it. */
function passwordOf({ PUBLIC_PASSWORD: password = '' }: Environment): string | undefined {
  if (!/\p{Cc}/u.test(password) && Buffer.byteLength(password) <= 1024) return password || undefined
  throw new SettingError(
    'PUBLIC_PASSWORD has control characters or more than 1024 bytes: give at most 1024 bytes without control ' +
      'characters.',
  )
}

/** The secret. It is not trimmed, because white space may be part of a secret. */
function secretOf({ TOKEN_SECRET: secret = '' }: Environment): string | undefined {
  if (secret === '') return undefined
  if (Buffer.byteLength(secret) >= shortestSecret) return secret
  throw new SettingError(
    `TOKEN_SECRET is shorter than ${shortestSecret} bytes: give a random one, such as the output of: openssl ` +
      'rand -base64 32',
  )
}
