/**
 * Determines from the catalog which writes are certain to change only their own row. The statement
 * of such a write can also read rows of other tables for the response. The write does not change
 * these rows, so the response shows them correctly.
 */
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Aftermath } from './aftermath.js'
import type { CatalogTrigger, Relation } from './catalog.js'
import { namesCalled } from './racing.js'
import { codeOf } from './version-triggers.js'

export interface OwnRowOnly {
  readonly insert: boolean
  readonly update: boolean
}

/**
 * Determines from the catalog and the options which writes change only their own row. CHECK
 * constraints and generated columns are not examined, because PostgreSQL assumes that their
 * functions are immutable.
 */
export function ownRowOnlyOf(
  relation: Relation,
  aftermath: Aftermath,
  { version }: PostgresAdapterOptions,
): OwnRowOnly {
  const { kind, tablesBelow: parts, triggers, columns } = relation
  const next = typeof version === 'object' && 'column' in version ? version.next : undefined
  const expressions = [...columns.values()].flatMap((column) =>
    column.generated || column.default === null ? [] : [column.default],
  )
  const computes = typeof version === 'object' && 'expression' in version
  const isPlain = kind === 'r' && parts.length === 0 && !computes && [...expressions, next ?? ''].every(isHarmless)
  const changesOnlyOwnRow = (change: 'insert' | 'update'): boolean =>
    isPlain && !aftermath[change] && triggers.every((trigger) => !trigger[change] || setsOwnRow(trigger))
  return { insert: changesOnlyOwnRow('insert'), update: changesOnlyOwnRow('update') }
}

/** Functions of the server and of its UUID extension that change no table. */
const harmless = new Set(
  (
    'nextval gen_random_uuid uuidv4 uuidv7 uuid_generate_v1 uuid_generate_v4 now clock_timestamp ' +
    'statement_timestamp transaction_timestamp timezone coalesce lower upper random'
  ).split(' '),
)

const isHarmless = (sql: string): boolean =>
  !/\bselect\b/i.test(sql) && namesCalled(sql).every((name) => harmless.has(name))

/** Whether a trigger only sets columns of the new row. Only PL/pgSQL source can be analyzed. */
function setsOwnRow(trigger: CatalogTrigger): boolean {
  const { language, each, timing } = trigger
  if (language !== 'plpgsql' || each !== 'row' || timing !== 'before') return false
  const [, body] = /^\s*begin\b([\s\S]*)\bend\s*;?\s*$/i.exec(codeOf(trigger)) ?? []
  if (body === undefined) return false
  const statements = body.split(';').map((statement) => statement.trim())
  return statements.every(
    (statement) => statement === '' || /^return\s+new$/i.test(statement) || isAssignment(statement),
  )
}

function isAssignment(statement: string): boolean {
  const [, value] = /^new\s*\.\s*(?:"[^"]+"|\w+)\s*:?=([\s\S]+)$/i.exec(statement) ?? []
  return value !== undefined && isHarmless(value)
}
