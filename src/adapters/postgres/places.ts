/** Where the values of a record lie in a row, and how they are compared there. */
import type { Shape } from '../../definition/shape.js'
import type { Scalar } from '../contract.js'
import type { ColumnType, Comparison } from './column-type.js'
import { arrayText, literal, type Parameters } from './sql.js'
import { jsonFault, textFault } from './text-faults.js'

/** What a column holds: one scalar, any JSON, or an array of scalars. */
export type Content =
  | { readonly kind: 'scalar'; readonly type: ColumnType }
  | { readonly kind: 'json'; readonly cast: 'json' | 'jsonb' }
  | { readonly kind: 'array'; readonly item: ColumnType }

/** Why a value can't be kept, and where in it. */
export interface Fault {
  readonly path: readonly string[]
  readonly why: string
}

/** Where a scalar lies, for conditions and orders. */
export interface Place {
  /** The SQL of the value; for text in JSON with the collation it is compared by. */
  readonly sql: string
  /** The column, where the value is one. */
  readonly column: string | undefined
  readonly nullable: boolean
  compare(op: '=' | '<' | '<=' | '>' | '>=', value: Scalar): Comparison
}

export const castOf = (content: Content): string =>
  content.kind === 'scalar' ? content.type.cast : content.kind === 'json' ? content.cast : `${content.item.cast}[]`

/** The SQL that gives a column as text. */
export function readSql(content: Content, sql: string): string {
  if (content.kind === 'scalar') return content.type.read(sql)
  // An array of the database is shown as JSON, so that no array grammar has to be read here.
  return content.kind === 'json' ? `${sql}::text` : `array_to_json(${sql})::text`
}

export function decode(content: Content, text: string): unknown {
  if (content.kind === 'scalar') return content.type.decode(text)
  return JSON.parse(text)
}

export function encode(content: Content, value: unknown): string {
  if (content.kind === 'scalar') return content.type.encode(value as Scalar)
  if (content.kind === 'json') return JSON.stringify(value)
  return arrayText((value as readonly (Scalar | null)[]).map((item) => (item === null ? null : content.item.encode(item))))
}

/** Why the column can't hold a value exactly. */
export function faultOf(content: Content, value: unknown): Fault | undefined {
  if (content.kind === 'json') return jsonFault(value, JSON.stringify(value))
  if (content.kind === 'scalar') return scalarFault(content.type, value, [])
  if (!Array.isArray(value)) return { path: [], why: 'must be a list' }
  for (const [i, item] of value.entries()) {
    const fault = item === null ? undefined : scalarFault(content.item, item, [String(i)])
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Where a value holds a label that its enumeration had not when the table was described. */
export function labelFaultOf(content: Content, value: unknown): Fault | undefined {
  const type = content.kind === 'scalar' ? content.type : content.kind === 'array' ? content.item : undefined
  if (type?.labelFault === undefined) return undefined
  for (const item of [value].flat()) {
    const why = typeof item === 'string' ? type.labelFault(item) : undefined
    if (why !== undefined) return { path: [], why }
  }
  return undefined
}

function scalarFault(type: ColumnType, value: unknown, path: readonly string[]): Fault | undefined {
  if (!fits(type, value)) return { path, why: `must be ${type.holds.includes('string') ? 'text' : `a ${type.holds.at(-1)}`}` }
  const why = type.fault(value as Scalar)
  return why === undefined ? undefined : { path, why }
}

const fits = ({ holds }: ColumnType, value: unknown): boolean =>
  typeof value === 'number' ? holds.includes('number') && Number.isFinite(value) : holds.includes(typeof value as 'string' | 'boolean')

/** A scalar in a column of its own. */
export function columnPlace(sql: string, column: string | undefined, type: ColumnType, nullable: boolean): Place {
  return { sql, column, nullable, compare: (op, value) => (fits(type, value) ? type.compare(op, value) : 'never') }
}

/** A scalar at a path within a column of JSON. */
export function jsonPlace(sql: string, cast: 'json' | 'jsonb', path: readonly string[], shape: Shape): Place {
  const inside = jsonAt(cast === 'jsonb' ? sql : `${sql}::jsonb`, path)
  const isText = shape.types.has('string')
  return isText
    ? { sql: `(${inside.text} COLLATE "C")`, column: undefined, nullable: true, compare: compareJsonText }
    : { sql: inside.json, column: undefined, nullable: true, compare: compareJson }
}

const compareJsonText: Place['compare'] = (op, value) => (typeof value === 'string' ? { op, text: value, cast: 'text' } : 'never')
const compareJson: Place['compare'] = (op, value) =>
  typeof value === 'string' ? 'never' : { op, text: JSON.stringify(value), cast: 'jsonb' }

/** What stands at a path: as text, and as JSON with its null as one of SQL. */
function jsonAt(sql: string, path: readonly string[]): { readonly text: string; readonly json: string } {
  const steps = literal(arrayText(path))
  return { text: `(${sql} #>> ${steps})`, json: `nullif(${sql} #> ${steps}, 'null')` }
}

/** Whether there is anything at a path: null and absent are not. */
export function nothingAt(content: Content, sql: string, path: readonly string[]): string {
  if (content.kind !== 'json') return `${sql} IS NULL`
  return `${textAt(content, sql, path)} IS NULL`
}

/** What stands at a path within JSON, as text. */
export const textAt = ({ cast }: { readonly cast: string }, sql: string, path: readonly string[]): string =>
  jsonAt(cast === 'jsonb' ? sql : `${sql}::jsonb`, path).text

/** Whether the array at a path holds a value. */
export function containsSql(content: Content, sql: string, path: readonly string[], value: Scalar, parameters: Parameters): string {
  if (content.kind === 'array') {
    const comparison = fits(content.item, value) ? content.item.compare('=', value) : 'never'
    if (comparison === 'never') return 'false'
    const { text, asText } = comparison
    return asText ? `${parameters.add(text)} = ANY (${sql}::text[])` : `${parameters.add(text, content.item.cast)} = ANY (${sql})`
  }
  if (content.kind === 'scalar') return 'false'
  const column = content.cast === 'jsonb' ? sql : `${sql}::jsonb`
  const inside = path.length === 0 ? column : `(${column} #> ${literal(arrayText(path))})`
  return `${inside} @> ${parameters.add(JSON.stringify([value]), 'jsonb')}`
}

/** Why a value can't even be compared with: it is text that no column holds. */
export const incomparable = (value: unknown): string | undefined => (typeof value === 'string' ? textFault(value) : undefined)
