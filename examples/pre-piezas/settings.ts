/** The checked settings of the environment. */
import { availableParallelism } from 'node:os'

export interface Settings {
  /** 0 picks a free port. */
  readonly port: number
  /**
   * The absolute address before the version, as clients reach it; absent, links are made from the
   * request.
   */
  readonly baseUrl?: string
  /** The number of pre-pieces in a new database. */
  readonly seedSize: number
  /** The PostgreSQL server; absent, PostgreSQL runs in the process. */
  readonly databaseUrl?: string
  /** Connections to the server that each process may have, beside one for readiness; absent, 10. */
  readonly databasePool?: number
  /** Whether statements are prepared by name; absent, true. */
  readonly databasePrepare?: boolean
  /**
   * Milliseconds after which the server ends a statement or an idle transaction, sent as startup
   * parameters; 0 sends none. Absent, the default of `server.ts`.
   */
  readonly databaseTimeout?: number
  /** Where the PostgreSQL in the process keeps its data; absent, in memory. */
  readonly dataDir?: string
  /**
   * The Redis in which requests are counted; absent, in the process. With `redisSentinels` its host
   * is the name of the master.
   */
  readonly redisUrl?: string
  /** The sentinels that know where that Redis is. */
  readonly redisSentinels?: readonly RedisSentinelAddress[]
  /** How many processes serve; absent, one. */
  readonly workers?: number
  /** Signs and checks tokens; absent, a random one, so that tokens end with the process. */
  readonly tokenSecret?: string
  /** Requests a minute and principal; 0 is no limit. */
  readonly rateLimit: number
  /**
   * Milliseconds for which SIGTERM leaves the server open while `/ready` is 503; absent, the
   * default of `shutdown.ts`.
   */
  readonly drain?: number
  /** The account of the public side; what is absent is made up and printed. */
  readonly publicUser?: string
  readonly publicPassword?: string
}

interface RedisSentinelAddress {
  readonly host: string
  readonly port: number
}

/** A setting that can't be used; its message is one line for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/**
 * Reads `PORT`, `BASE_URL`, `SEED_SIZE`, `DATABASE_URL`, `DATABASE_POOL`, `DATABASE_PREPARE`,
 * `DATABASE_TIMEOUT`, `DATA_DIR`, `REDIS_URL`, `REDIS_SENTINELS`, `WORKERS`, `TOKEN_SECRET`,
 * `RATE_LIMIT`, `DRAIN`, `PUBLIC_USER` and `PUBLIC_PASSWORD`; empty counts as not set. Throws
 * `SettingError`.
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
    throw new SettingError('DATABASE_URL and DATA_DIR are both set: give the one or the other.')
  }
  if (workers !== undefined && workers > 1 && databaseUrl === undefined) {
    throw new SettingError(
      'WORKERS is more than 1 without DATABASE_URL: the embedded PostgreSQL belongs to one process. Give a server.',
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
  throw new SettingError(`${name} is ${JSON.stringify(text)}: give a whole number from ${min} to ${max}.`)
}

function trueOrFalse(env: Environment, name: string): boolean | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw new SettingError(`${name} is ${JSON.stringify(text)}: give true or false.`)
}

/** `auto` is one process per core that this process may use. */
function workersOf(env: Environment): number | undefined {
  if (env.WORKERS?.trim() === 'auto') return availableParallelism()
  return wholeNumber(env, 'WORKERS', 128, 1)
}

/** `host:port` pairs, separated by commas; the port of an address without one is 26379. */
function sentinelsOf(env: Environment): readonly RedisSentinelAddress[] | undefined {
  const text = env.REDIS_SENTINELS?.trim() ?? ''
  if (text === '') return undefined
  return text.split(',').map((one) => {
    const [, host, port = '26379'] = /^([\w.-]+|\[[\da-f:.]+\])(?::([0-9]{1,5}))?$/i.exec(one.trim()) ?? []
    if (host !== undefined && Number(port) <= 65_535) return { host: host.replace(/[[\]]/g, ''), port: Number(port) }
    throw new SettingError(
      `REDIS_SENTINELS is ${JSON.stringify(text)}: give addresses such as 10.0.0.1:26379,10.0.0.2:26379,10.0.0.3:26379.`,
    )
  })
}

function absoluteUrl(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (URL.canParse(text) && /^https?:\/\/[^\s'"?#]+$/.test(text)) return text.replace(/\/+$/, '')
  throw new SettingError(
    `${name} is ${JSON.stringify(text)}: give an absolute address without query, such as https://api.example.com/private.`,
  )
}

interface Kind {
  readonly scheme: RegExp
  readonly what: string
  readonly example: string
}

const postgres: Kind = {
  scheme: /^postgres(?:ql)?:\/\/./,
  what: 'a PostgreSQL',
  example: 'postgres://user:password@db.example.com:5432/courier',
}
const redis: Kind = {
  scheme: /^rediss?:\/\/./,
  what: 'a Redis',
  example: 'redis://user:password@redis.example.com:6379',
}

/** It may contain a password, so messages don't show it. */
function addressOf(env: Environment, name: string, { scheme, what, example }: Kind): string | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (scheme.test(text) && URL.canParse(text)) return text
  throw new SettingError(`${name} is no address of ${what}: give one such as ${example}.`)
}

/** As short as a key of HS256 may be, in bytes (RFC 7518 3.2). */
const shortestSecret = 32

/**
 * Basic parts user and password by the first colon, and sends no control characters (RFC 7617 2).
 */
function userOf({ PUBLIC_USER: user = '' }: Environment): string | undefined {
  if (!/[:\p{Cc}]/u.test(user)) return user || undefined
  throw new SettingError(`PUBLIC_USER is ${JSON.stringify(user)}: give a name without colons and control characters.`)
}

/** Messages don't show it. */
function passwordOf({ PUBLIC_PASSWORD: password = '' }: Environment): string | undefined {
  if (!/\p{Cc}/u.test(password) && Buffer.byteLength(password) <= 1024) return password || undefined
  throw new SettingError('PUBLIC_PASSWORD has control characters or more than 1024 bytes: give one without.')
}

/** Not trimmed: white space is part of a secret. */
function secretOf({ TOKEN_SECRET: secret = '' }: Environment): string | undefined {
  if (secret === '') return undefined
  if (Buffer.byteLength(secret) >= shortestSecret) return secret
  throw new SettingError(
    `TOKEN_SECRET is shorter than ${shortestSecret} bytes: give a random one, such as the output of: openssl rand -base64 32`,
  )
}
