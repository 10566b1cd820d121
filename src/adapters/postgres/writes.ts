/** The statements that change one row. Each compares and sets in one step: the version stands in the statement's own WHERE (HDR-3). */

import type { Association } from '../association.js'
import type { AdapterCall, Refused, Stored } from '../contract.js'
import type { Member } from './columns.js'
import { keySql } from './conditions.js'
import { type JoinColumns, ofParent, parentValues } from './join-tables.js'
import type { StoredColumn, Values } from './layout.js'
import { rowNow, shownRecord } from './reads.js'
import { refusedFor } from './refusals.js'
import { every, Parameters, quote, row } from './sql.js'
import type { Ask } from './statements.js'
import { storedOf, type Table, visible } from './table.js'

type Row = Record<string, unknown>

/** What a record is stored in; or why it can't be. */
export function columnsFor(table: Table, value: Values, given: 'complete' | 'given', before?: Values): readonly StoredColumn[] | Refused {
  const stored = table.layout.stored(value, given, before)
  if ('fault' in stored) return refusedFor(stored.fault)
  // A version that the record shows is still the adapter's to set.
  const { assignment } = table.version
  return assignment === undefined ? stored.columns : stored.columns.filter(({ column }) => column !== assignment.column)
}

/** Replaces what the members say, where the row still has this version; of a row that was `before` so, what they say anew. */
export async function updateRow(
  table: Table,
  texts: readonly string[],
  value: Values,
  expected: string | undefined,
  call: AdapterCall,
  ask: Ask,
  before?: Values,
): Promise<Stored<Row> | 'absent' | 'stale' | Refused> {
  const columns = columnsFor(table, value, 'complete', before)
  if ('refused' in columns) return columns
  const keys = new Set(table.layout.key.map(({ column }) => column))
  const parameters = new Parameters()
  const assignments = columns
    .filter(({ column, member }) => !keys.has(column) && !isNumbered(table, member))
    .map(({ column, text, cast, member }) => {
      const missing = text === null && member?.notNull && member.hasDefault
      return `${quote(column)} = ${missing ? 'DEFAULT' : parameters.add(text, cast)}`
    })
  const { inexact } = table.layout
  const unseen = before === undefined && inexact !== undefined
  const condition = unseen ? `(${inexact}) IS NOT TRUE` : undefined
  const updated = await setColumns(table, texts, assignments, expected, call, ask, parameters, condition)
  if (updated !== undefined) return updated
  const now = await rowNow(table, texts, call, ask, unseen ? () => inexact : undefined)
  return now?.holds === true ? updateInexact(table, texts, value, expected, call, ask) : absentOrStale(now, expected)
}

/**
 * The same of a row that may hold more than its record shows. It is read first: what the client
 * sends as it was shown stays as it is.
 */
async function updateInexact(
  table: Table,
  texts: readonly string[],
  value: Values,
  expected: string | undefined,
  call: AdapterCall,
  ask: Ask,
): Promise<Stored<Row> | 'absent' | 'stale' | Refused> {
  for (;;) {
    const current = await shownRecord(table, texts, call, ask)
    if (current === undefined) return 'absent'
    if (expected !== undefined && current.version !== expected) return 'stale'
    const result = await updateRow(table, texts, value, current.version, call, ask, current.value)
    if (result !== 'stale' || expected !== undefined || (call.left?.() ?? 1) <= 0) return result
  }
}

/**
 * Whether only the database may set a member, which is a `GENERATED ALWAYS` identity. Where it is
 * readOnly, requests don't change it and it is not written; where it is not, `ready()` refuses the
 * table.
 */
const isNumbered = ({ definition }: Table, member: Member | undefined): boolean =>
  member?.always === true && definition.shape.members.get(member.name)?.readOnly === true

/** Sets some columns, where the row still has this version and fulfils the condition. Gives the record as it is then, `undefined` where no row was changed. */
export async function setColumns(
  table: Table,
  texts: readonly string[],
  assignments: readonly string[],
  expected: string | undefined,
  call: AdapterCall,
  ask: Ask,
  parameters: Parameters,
  condition?: string,
): Promise<Stored<Row> | Refused | undefined> {
  const set = [...assignments, ...nextVersion(table)]
  // What changes nothing is still written, where a column takes it: the version moves on.
  const { unchanging } = table.layout
  const all = set.length > 0 || unchanging === undefined ? set : [unchanging]
  const where = every([...rowConditions(table, texts, expected, call, parameters), ...(condition === undefined ? [] : [condition])])
  const text =
    all.length > 0
      ? table.updates.of(`${all.join(', ')} WHERE ${where}`)
      : `SELECT ${table.separate ? `${table.version.sql} AS v` : table.shown} FROM ${table.target} WHERE ${where} FOR UPDATE`
  const [found] = await ask.cells(text, table.separate ? ['v'] : table.shownNames, parameters.values)
  if (found === undefined) return undefined
  return table.separate ? ((await shownRecord(table, texts, call, ask)) ?? unshown) : storedOf(table, found)
}

/** The one row that a write is about. */
function rowConditions(
  table: Table,
  texts: readonly string[],
  expected: string | undefined,
  call: AdapterCall,
  parameters: Parameters,
): string[] {
  return [
    ...keySql(table.layout, texts, parameters),
    ...(expected === undefined ? [] : [table.version.matches(expected, parameters)]),
    ...visible(table, call, parameters, table.alive),
  ]
}

/** Why no row was changed, by the row as a statement of its own sees it: one that looks while it writes misses what others have just committed. */
function absentOrStale(now: { readonly version: string } | undefined, expected: string | undefined): 'absent' | 'stale' | Refused {
  if (now === undefined) return 'absent'
  // A trigger that gave NULL back, or a policy for writes alone: trying again would not help.
  return expected === undefined || now.version === expected ? suppressed : 'stale'
}

/** The row is as it was expected to be, and yet the database did not write it. */
export const suppressed: Refused = { refused: 'rule', members: [], why: 'was turned away by a rule of the store' }

/** What a view would not show is not stored: nobody could read it back. */
export const unshown: Refused = { refused: 'rule', members: [], why: 'would not be among what this resource shows' }

/** Deletes the row, or marks it as deleted, and takes it out of every collection it was put into. */
export async function removeRow(
  table: Table,
  texts: readonly string[],
  expected: string | undefined,
  call: AdapterCall,
  ask: Ask,
): Promise<'removed' | 'absent' | 'stale' | Refused> {
  const parameters = new Parameters()
  const { deletion } = table
  const change =
    deletion === undefined
      ? `DELETE FROM ${table.target}`
      : `UPDATE ${table.target} SET ${[`${quote(deletion.column)} = ${deletion.sql}`, ...nextVersion(table)].join(', ')}`
  const where = every(rowConditions(table, texts, expected, call, parameters))
  const keys = table.layout.key.map(({ sql }, i) => `${sql} AS k${i}`).join(', ')
  const statement = `${change} WHERE ${where} RETURNING ${keys}`
  const taken = [...table.joins.values()].map(
    (join, i) =>
      `_j${i} AS (DELETE FROM ${join.relation} AS _j USING _d WHERE ${join.key.map((column, k) => `_j.${quote(column)} = _d.k${k}`).join(' AND ')})`,
  )
  const text = taken.length === 0 ? statement : `WITH ${[`_d AS (${statement})`, ...taken].join(', ')} SELECT 1 AS c0 FROM _d`
  const [found] = await ask.query(text, parameters)
  return found === undefined ? absentOrStale(await rowNow(table, texts, call, ask), expected) : 'removed'
}

const nextVersion = ({ version: { assignment } }: Table): string[] =>
  assignment === undefined ? [] : [`${quote(assignment.column)} = ${assignment.sql}`]

/** Puts a record into a collection that a table of its own holds. The row is held meanwhile, so that it is not removed or changed. */
export async function attachRow(
  table: Table,
  join: JoinColumns,
  to: Association,
  texts: readonly string[],
  expected: string | undefined,
  call: AdapterCall,
  ask: Ask,
) {
  const parameters = new Parameters()
  const keys = table.layout.key.map(({ sql }, i) => `${sql} AS k${i}`).join(', ')
  const held = `SELECT ${keys} FROM ${table.target} WHERE ${every(rowConditions(table, texts, expected, call, parameters))} FOR SHARE`
  const columns = [...join.parent.map(({ column }) => column), ...join.key].map(quote).join(', ')
  const values = [...parentValues(join, to, parameters), ...join.key.map((_, i) => `_r.k${i}`)].join(', ')
  const inside = `SELECT 1 FROM ${join.relation} AS _j WHERE ${every([...ofParent(join, to, parameters), ...sameKey(join, row)])}`
  const put = `INSERT INTO ${join.relation} (${columns}) SELECT ${values} FROM _t AS ${row} WHERE NOT EXISTS (${inside}) ON CONFLICT DO NOTHING`
  const [found] = await ask.query(`WITH _t AS (${held}), _i AS (${put}) SELECT 1 AS c0 FROM _t`, parameters)
  return found === undefined ? absentOrStale(await rowNow(table, texts, call, ask), expected) : 'attached'
}

const sameKey = (join: JoinColumns, of: string): string[] => join.key.map((column, i) => `_j.${quote(column)} = ${of}.k${i}`)

/** Takes a record out of such a collection. */
export async function detachRow(
  table: Table,
  join: JoinColumns,
  from: Association,
  texts: readonly string[],
  expected: string | undefined,
  call: AdapterCall,
  ask: Ask,
): Promise<'detached' | 'absent' | 'stale'> {
  const parameters = new Parameters()
  const keys = table.layout.key.map(({ sql }, i) => `${sql} AS k${i}`).join(', ')
  const held = `SELECT ${keys} FROM ${table.target} WHERE ${every(rowConditions(table, texts, expected, call, parameters))} FOR SHARE`
  const taken = `DELETE FROM ${join.relation} AS _j USING _t WHERE ${every([...ofParent(join, from, parameters), ...sameKey(join, '_t')])} RETURNING 1`
  const [found] = await ask.query(`WITH _t AS (${held}), _d AS (${taken}) SELECT 1 AS c0 FROM _d`, parameters)
  if (found !== undefined) return 'detached'
  const now = await rowNow(table, texts, call, ask, (more) => {
    const conditions = [...ofParent(join, from, more), ...join.key.map((column, i) => `_j.${quote(column)} = ${table.layout.key[i]?.sql}`)]
    return `EXISTS (SELECT 1 FROM ${join.relation} AS _j WHERE ${every(conditions)})`
  })
  return now?.holds && expected !== undefined ? 'stale' : 'absent'
}
