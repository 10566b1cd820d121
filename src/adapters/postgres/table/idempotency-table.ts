/**
 * The table for requests with an `Idempotency-Key` (VERB-12). It stores the records that these
 * requests created, so that a retry gets the same record.
 */
import { checkOptions } from '../../../options/check.js'
import type { Database, Wait } from '../connections/client.js'
import { idempotencyKinds } from '../options/option-kinds.js'
import type { IdempotencyOptions, PostgresAdapterOptions } from '../options/options.js'
import { quote, quoteRelation, relationName } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import { describe, type Relation } from './catalog.js'
import { checkOneServer } from './key-checks.js'

/** The description of the table, after it was checked against the database. */
export interface IdempotencyTable {
  readonly relation: string
  /** How long records are kept, as an SQL interval: `86400 seconds`. */
  readonly ttl: string
  readonly lock: boolean
  /** Whether Citus manages the table. */
  readonly distributed: boolean
  /** The privileges that the database role lacks on the table. */
  readonly lacking: readonly string[]
}

/** The default time to keep records, in seconds: one day, as for idempotency keys at Stripe. */
const defaultTtl = 86_400

interface KeptOptions {
  readonly name: { readonly schema?: string; readonly name: string }
  readonly ttl: number
  readonly lock: boolean
}

/** The options with their defaults. */
const keptOptions = ({ table, ttl = defaultTtl, lock = true }: IdempotencyOptions): KeptOptions => ({
  name: relationName(table),
  ttl,
  lock,
})

/**
 * Returns the DDL of the table that the option `idempotency` names. The table stores the records
 * that were created by POST requests with an `Idempotency-Key`. Use this function if the resource's
 * own table exists already. Otherwise use `tableDdl`, which returns the DDL of both tables. One
 * table can serve any number of resources. Throws `ConfigurationError` for an invalid option.
 *
 * @example console.log(idempotencyDdl({ table: 'idempotency_keys' }))
 */
export function idempotencyDdl(options: IdempotencyOptions): string {
  const { name } = keptOptions(checkOptions<IdempotencyOptions>('idempotencyDdl()', options, idempotencyKinds))
  const lines = [
    'id text COLLATE "C" PRIMARY KEY',
    ...textColumns.map((column) => `${column} text NOT NULL`),
    'expires_at timestamptz NOT NULL',
  ]
  const table = quoteRelation(name)
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`,
    `CREATE INDEX IF NOT EXISTS ${quote(`${name.name}_expires_at`)} ON ${table} (expires_at);`,
  ].join('\n\n')
}

const textColumns = ['fingerprint', 'record', 'version'] as const

/**
 * Finds and checks the table that the option `idempotency` names. If the table is missing or
 * unsuitable, throws a `ConfigurationError` that says how to fix it.
 */
export async function idempotencyTableOf(
  { idempotency }: PostgresAdapterOptions,
  database: Database,
  wait: Wait,
): Promise<IdempotencyTable | undefined> {
  if (idempotency === undefined) return undefined
  const { name, ttl, lock } = keptOptions(idempotency)
  const relation = quoteRelation(name)
  const found = await describe(database, name, wait)
  if (found === undefined)
    throw unfit(`there is no table ${relation} for "idempotency". Create it: ${oneLine(idempotencyDdl(idempotency))}`)
  checkOneServer(name, found)
  const wrong = wrongWith(found)
  if (wrong !== undefined)
    throw unfit(
      `the table ${relation} of "idempotency" ${wrong}. The correct DDL is: ${oneLine(idempotencyDdl(idempotency))}`,
    )
  return { relation, ttl: `${ttl} seconds`, lock, distributed: found.distributed, lacking: found.lacking }
}

const oneLine = (ddl: string): string => ddl.replace(/\s+/g, ' ')

function wrongWith({ columns, indexes }: Relation): string | undefined {
  const wanted = [
    ...['id', ...textColumns].map((name) => [name, /^(?:text|character varying)$/] as const),
    ['expires_at', /^timestamp.* with time zone$/] as const,
  ]
  const mismatched = wanted
    .filter(([name, type]) => !type.test(columns.get(name)?.type ?? ''))
    .map(([name]) => `"${name}"`)
  if (mismatched.length === 1) return `lacks the column ${mismatched[0]} or has it with another type`
  if (mismatched.length > 1) return `lacks the columns ${mismatched.join(', ')} or has them with other types`
  const keyed = indexes.some(
    ({ unique, partial, immediate, keys, columns: [first] }) =>
      unique && !partial && immediate && keys === 1 && first === 'id',
  )
  return keyed ? undefined : 'has no unique index on "id"'
}
