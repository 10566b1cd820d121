/** What the environment says, checked. */

export interface Settings {
  /** 0 picks a free port. */
  readonly port: number
  /** The absolute address before the version, as clients reach it; absent, links are made from the request. */
  readonly baseUrl?: string
  /** How many pre-pieces a new database is filled with. */
  readonly seedSize: number
  /** The PostgreSQL server; absent, PostgreSQL runs in the process. */
  readonly databaseUrl?: string
  /** Where the PostgreSQL in the process keeps its data; absent, in memory. */
  readonly dataDir?: string
}

/** A setting that can't be used; its message is one line for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** Reads `PORT`, `BASE_URL`, `SEED_SIZE`, `DATABASE_URL` and `DATA_DIR`; empty counts as not set. Throws `SettingError`. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const port = wholeNumber(env, 'PORT', 65_535) ?? 3000
  const seedSize = wholeNumber(env, 'SEED_SIZE', 100_000) ?? 1000
  const baseUrl = absoluteUrl(env, 'BASE_URL')
  const databaseUrl = postgresUrl(env, 'DATABASE_URL')
  const dataDir = env.DATA_DIR?.trim() || undefined
  if (databaseUrl !== undefined && dataDir !== undefined) {
    throw new SettingError('DATABASE_URL and DATA_DIR are both set: give the one or the other.')
  }
  return {
    port,
    seedSize,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(dataDir === undefined ? {} : { dataDir }),
  }
}

type Environment = Readonly<Record<string, string | undefined>>

function wholeNumber(env: Environment, name: string, most: number): number | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (/^[0-9]{1,9}$/.test(text) && Number(text) <= most) return Number(text)
  throw new SettingError(`${name} is ${JSON.stringify(text)}: give a whole number from 0 to ${most}.`)
}

function absoluteUrl(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (URL.canParse(text) && /^https?:\/\/[^\s'"?#]+$/.test(text)) return text.replace(/\/+$/, '')
  throw new SettingError(
    `${name} is ${JSON.stringify(text)}: give an absolute address without query, such as https://api.example.com/private.`,
  )
}

/** It may hold a password: no message says it. */
function postgresUrl(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim() ?? ''
  if (text === '') return undefined
  if (/^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text)) return text
  throw new SettingError(`${name} is no address of a PostgreSQL: give one such as postgres://user:password@db.example.com:5432/courier.`)
}
