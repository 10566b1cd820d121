/** Encodes a record for the columns of a table. */
import { isDeepStrictEqual } from 'node:util'
import { put } from '../../../definition/json.js'
import type { Refused } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import { quote } from '../sql/sql.js'
import type { Member } from '../table/columns.js'
import type { Layout } from '../table/layout.js'
import { restOf } from '../table/records.js'
import type { Table } from '../table/table.js'
import { castOf, encode, type Fault, faultOf } from '../values/places.js'
import { jsonFault } from '../values/text-faults.js'
import { refusedFor } from './refused-value.js'

export type Values = Readonly<Record<string, unknown>>

/** A column and the string to write to it. */
export interface StoredColumn {
  /** Absent for the column that holds all members without a column of their own. */
  readonly member: Member | undefined
  readonly column: string
  /** The quoted name of the column. */
  readonly quoted: string
  readonly text: string | null
  readonly cast: string
}

/**
 * The columns of a new record, or the reason why the table can't store the record. Absent members
 * are left out, and so are nulls for a NOT NULL column with a default.
 */
export function columnsToInsert(table: Table, value: Values): readonly StoredColumn[] | Refused {
  const columns: StoredColumn[] = []
  for (const member of table.layout.members) {
    if (member.column === undefined) continue
    const part = Object.hasOwn(value, member.name) ? value[member.name] : undefined
    if (member.setByDatabase) {
      if (part != null) return refusedFor({ path: [member.name], why: 'is set by the store: omit it' })
      continue
    }
    // The column is omitted, so that its default applies.
    if (part === undefined || (part === null && member.hasDefault && member.notNull)) continue
    const fault = addColumn(member, member.column, part, columns)
    if (fault !== undefined) return refusedFor(fault)
  }
  return finished(table, columns, addRest(table.layout, value, columns))
}

/**
 * The columns to write if this record replaces another one, or the reason why the table can't store
 * the record. For a member without a value, `text` is null. If the row `before` shows the same
 * value for a member, the member's column is left out. This preserves a stored value that the
 * record does not represent exactly, such as an integer above 2^53. Columns that are `neverUpdated`
 * are left out too.
 */
export function columnsToUpdate(
  table: Table,
  value: Values,
  before: Cells | undefined,
): readonly StoredColumn[] | Refused {
  const { layout } = table
  const columns: StoredColumn[] = []
  for (let i = 0; i < layout.members.length; i++) {
    const member = layout.members[i] as Member
    const { column, name } = member
    if (column === undefined) continue
    const part = (Object.hasOwn(value, name) ? value[name] : undefined) ?? null
    if (before !== undefined && isShown(layout, before, i, part)) continue
    const fault = addColumn(member, column, part, columns)
    if (fault !== undefined) return refusedFor(fault)
    if (member.neverUpdated) columns.pop()
  }
  return finished(table, columns, addRest(layout, value, columns, before))
}

/** Whether a row shows this value for the member with index `i`. */
function isShown({ decoders }: Layout, row: Cells, i: number, part: unknown): boolean {
  const text = row[i] ?? null
  const decoder = decoders[i]
  const shown = text === null || decoder === undefined ? text : (decoder(text) ?? null)
  return (
    Object.is(part, shown) || (typeof part === 'object' && typeof shown === 'object' && isDeepStrictEqual(part, shown))
  )
}

function addColumn(member: Member, column: string, part: unknown, columns: StoredColumn[]): Fault | undefined {
  const { content, quoted, cast } = member
  if (part === null) {
    columns.push({ member, column, quoted, text: null, cast })
    return undefined
  }
  const isJson = content.kind === 'json'
  const json = isJson ? JSON.stringify(part) : ''
  const fault = isJson ? jsonFault(part, json) : faultOf(content, part)
  if (fault !== undefined) return { path: [member.name, ...fault.path], why: fault.why }
  columns.push({ member, column, quoted, text: isJson ? json : encode(content, part), cast })
  return undefined
}

/**
 * Adds the column that holds all members without a column of their own. Returns a fault if the
 * record has such members, but the table has no such column.
 */
function addRest(layout: Layout, value: Values, columns: StoredColumn[], before?: Cells): Fault | undefined {
  const { rest, restName, byName, members } = layout
  if (rest === undefined || restName === undefined) {
    for (const name of Object.keys(value))
      if (!byName.has(name) && value[name] !== undefined) return { path: [name], why: 'has no place in the store' }
    return undefined
  }
  const others: Record<string, unknown> = {}
  for (const name of Object.keys(value))
    if (!byName.has(name) && value[name] !== undefined) put(others, name, value[name])
  if (before !== undefined && isDeepStrictEqual(others, restOf(before, members.length, byName))) return undefined
  const fault = faultOf(rest, others)
  if (fault !== undefined) return fault
  columns.push({
    member: undefined,
    column: restName,
    quoted: quote(restName),
    text: JSON.stringify(others),
    cast: castOf(rest),
  })
  return undefined
}

/**
 * Returns the columns, or the refusal if there is a fault. If a member of the record is stored in
 * the version column, this column is left out, because the adapter itself sets the version.
 */
function finished(
  { version, showsVersion }: Table,
  columns: readonly StoredColumn[],
  fault: Fault | undefined,
): readonly StoredColumn[] | Refused {
  if (fault !== undefined) return refusedFor(fault)
  return showsVersion ? columns.filter(({ column }) => column !== version.assignment?.column) : columns
}
