/**
 * Reads the rows of a CSV file as records. The header row defines the columns, and the schema
 * defines the types of the cells.
 */
import { escapePointer, isObject, type JsonObject, own, put } from '../definition/json.js'
import { integerChanges } from '../http/json-number.js'
import { parseJson } from '../http/json-text.js'
import { nearMiss } from '../near-miss.js'
import { summaryOf } from '../plan/refusal.js'
import type { Mounted } from '../plan/routes.js'
import type { ReadRow, RowReader } from '../plan/transfer-format.js'
import { HttpProblem, type Violation } from '../problem.js'
import { type Column, columnsToRead } from './columns.js'
import { type CellRules, unescapeFormula } from './csv-cells.js'
import { type Cell, csvRows } from './csv-rows.js'

/** The options for reading cells. */
interface ReadRules extends CellRules {
  /** The maximum nesting depth of arrays and objects in a record. */
  readonly depth: number
}

/** The number of unknown and repeated names after which the check of a header row stops. */
const maxHeaderViolations = 50

/** Creates a reader for rows of this resource. */
export function csvReader(resource: Mounted, rules: ReadRules): RowReader {
  const known = new Map(columnsToRead(resource).map((column) => [column.name, column]))
  const required = requiredMembers(resource)
  return (text) => readRows(text, known, required, rules)
}

/**
 * The members for which the header row must have a column, by the names that clients see. Empty for
 * a resource with a scope, because the scope can set any members.
 */
function requiredMembers({ plan }: Mounted): readonly string[] {
  const { shape, key, assigned, scope } = plan.definition
  if (scope !== undefined) return []
  const names = new Set([...key.members, ...shape.required])
  return [...names]
    .filter((name) => !assigned.has(name) && !shape.members.get(name)?.readOnly)
    .map((name) => plan.hidden.get(name) ?? name)
}

function* readRows(
  text: string,
  known: ReadonlyMap<string, Column>,
  required: readonly string[],
  rules: ReadRules,
): Generator<ReadRow, void, undefined> {
  let columns: readonly Column[] | undefined
  for (const { cells, line } of csvRows(text, rules.separator)) {
    if (columns === undefined) columns = headerOf(cells, known, required, rules)
    else yield { line, ...rowOf(cells, columns, rules) }
  }
  if (columns === undefined)
    refuse([{ pointer: '', detail: 'The file is empty. The first row must name the columns.', code: 'malformed' }])
}

function refuse(errors: readonly Violation[]): void {
  if (errors.length > 0) throw new HttpProblem('invalid-body', { detail: summaryOf(errors), errors })
}

/** The columns that the header row names. Throws a problem if the row has violations. */
function headerOf(
  cells: readonly Cell[],
  known: ReadonlyMap<string, Column>,
  required: readonly string[],
  rules: CellRules,
): readonly Column[] {
  const names = cells.map(({ text }) => (rules.escapeFormulas ? unescapeFormula(text) : text))
  const errors: Violation[] = []
  const columns = new Set<Column>()
  for (const name of names) {
    // The check stops at the maximum. Thousands of violations would not help the client, and
    // comparing each unknown name with all known names takes time.
    if (errors.length === maxHeaderViolations) break
    const column = known.get(name)
    if (column === undefined) errors.push(unknownColumn(name, known, rules))
    else if (columns.has(column))
      errors.push({ pointer: '', detail: `Two columns are named "${name}".`, code: 'repeated', params: { name } })
    else columns.add(column)
  }
  const there = new Set([...columns].map(({ path }) => path[0]))
  const missing = errors.length === maxHeaderViolations ? [] : required.filter((member) => !there.has(member))
  for (const member of missing) {
    errors.push({
      pointer: '',
      detail: `The header row has no column for "${member}", which is required.`,
      code: 'required',
      params: { member },
    })
  }
  refuse(errors)
  return [...columns]
}

function unknownColumn(name: string, known: ReadonlyMap<string, Column>, { separator }: CellRules): Violation {
  const allowed = [...known.keys()]
  const suggestion = nearMiss(name, allowed)
  const shown = name.length > 80 ? `${name.slice(0, 80)}...` : name
  const other = [',', ';', '\t', '|'].find((one) => one !== separator && name.includes(one))
  const hint = name.includes('\r')
    ? ' Lines end with LF or CRLF, not with CR alone.'
    : other === undefined
      ? ''
      : ` Cells are separated by ${JSON.stringify(separator)}, not by ${JSON.stringify(other)}.`
  return {
    pointer: '',
    detail:
      `"${shown}" in the header row is not a known ` +
      `column.${suggestion === undefined ? hint : ` Did you mean "${suggestion}"?`}`,
    code: 'unknown',
    params: { name: shown },
    clause: 'REP-8',
    allowed,
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

function rowOf(
  cells: readonly Cell[],
  columns: readonly Column[],
  rules: ReadRules,
): Pick<ReadRow, 'record' | 'violations'> {
  if (cells.length !== columns.length) {
    const detail = unequal(cells, columns.length)
    return { record: {}, violations: [{ pointer: '', detail, code: 'malformed', clause: 'HDR-5' }] }
  }
  const record: JsonObject = {}
  const violations: Violation[] = []
  for (const [i, cell] of cells.entries()) {
    const column = columns[i] as Column
    const value = cellValue(cell, column, rules)
    if (value === unreadable) violations.push(untyped(column))
    else if (value !== undefined) place(record, column.path, value)
  }
  for (const column of columns) if (column.path.length > 1) fillEmpty(record, column)
  return { record, violations }
}

function unequal([first, ...others]: readonly Cell[], columns: number): string {
  if (others.length === 0 && first?.text === '' && !first.quoted) return 'The line is empty. Remove it.'
  return (
    `The row has ${others.length + 1} ${others.length === 0 ? 'cell' : 'cells'}, but the header row ` +
    `has ${columns}.`
  )
}

/** Stands for a cell that does not contain a valid value for its column. */
const unreadable = Symbol('unreadable')

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function cellValue(
  { text, quoted }: Cell,
  { kind, nullable, path }: Column,
  { escapeFormulas, depth }: ReadRules,
): unknown {
  // An empty cell of a nested member can mean that the enclosing object is absent; see `fillEmpty`.
  if (text === '' && !quoted) return nullable && path.length === 1 ? null : undefined
  switch (kind) {
    case 'text':
      return escapeFormulas ? unescapeFormula(text) : text
    case 'number':
      return number.test(text) ? finite(text) : unreadable
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : unreadable
    case 'json':
      return parsed(text, depth - path.length)
  }
}

/**
 * Parses a number in the same way as in a JSON body. Integers that a double can't represent are
 * invalid, and -0 becomes 0.
 */
function finite(text: string): unknown {
  const value = Number(text)
  return Number.isFinite(value) && !integerChanges(text) ? value + 0 : unreadable
}

function parsed(text: string, depth: number): unknown {
  const result = parseJson(Buffer.from(text), { depth })
  return 'malformed' in result ? unreadable : result.value
}

/**
 * The types that the value of a JSON cell may have. Text that is not JSON has none of these types.
 */
const jsonTypes = ['array', 'boolean', 'null', 'number', 'object', 'string']

function untyped({ name, kind, path }: Column): Violation {
  const wanted = { text: 'a string', number: 'a number such as 12.5', boolean: 'true or false', json: 'JSON' }[kind]
  return {
    pointer: path.map((part) => `/${escapePointer(part)}`).join(''),
    detail: `"${name}" must be ${wanted}.`,
    code: 'type',
    params: { types: kind === 'json' ? jsonTypes : [kind === 'text' ? 'string' : kind] },
  }
}

/** Sets a value at a path in the record, and creates missing objects on the path. */
function place(record: JsonObject, path: readonly string[], value: unknown): void {
  let at = record
  for (const name of path.slice(0, -1)) {
    const inner = own(at, name)
    if (isObject(inner)) {
      at = inner
      continue
    }
    const made: JsonObject = {}
    put(at, name, made)
    at = made
  }
  put(at, path.at(-1) as string, value)
}

/**
 * Interprets an empty cell of a member of a nested object. If an object on the path is missing,
 * `whenEmpty` says what to set there: an object, null, or no value. If all objects on the path are
 * then present and the schema allows null, the member becomes null.
 */
function fillEmpty(record: JsonObject, { path, nullable, whenEmpty }: Column): void {
  let at: JsonObject = record
  for (const [i, name] of path.slice(0, -1).entries()) {
    const inner = own(at, name)
    if (isObject(inner)) {
      at = inner
      continue
    }
    if (inner !== undefined) return
    const empty = whenEmpty[i]
    if (empty === 'null') put(at, name, null)
    if (empty !== 'object') return
    const made: JsonObject = {}
    put(at, name, made)
    at = made
  }
  const last = path.at(-1) as string
  if (nullable && !Object.hasOwn(at, last)) put(at, last, null)
}
