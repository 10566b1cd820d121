/** The rows of CSV as records: cells typed by the schema, places by the header row. */
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

/** How cells are read. */
interface ReadRules extends CellRules {
  /** How many arrays and objects may stand in one another in a record. */
  readonly depth: number
}

/** Violations of one header row that are listed. */
const mostInHeader = 50

/** Reads rows of this resource. */
export function csvReader(resource: Mounted, rules: ReadRules): RowReader {
  const known = new Map(columnsToRead(resource).map((column) => [column.name, column]))
  const required = requiredMembers(resource)
  return (text) => readRows(text, known, required, rules)
}

/** Members without which no row can be right, by their names on the wire. What a scope fixes is not known here. */
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
    refuse([{ pointer: '', detail: 'The file is empty. Its first row names the columns.', code: 'malformed' }])
}

function refuse(errors: readonly Violation[]): void {
  if (errors.length > 0) throw new HttpProblem('invalid-body', { detail: summaryOf(errors), errors })
}

/** The columns that the header row names. Throws with all that is wrong with it. */
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
    // Of thousands of columns no client wants to hear, and each would be compared with all names.
    if (errors.length === mostInHeader) break
    const column = known.get(name)
    if (column === undefined) errors.push(unknownColumn(name, known, rules))
    else if (columns.has(column))
      errors.push({ pointer: '', detail: `Two columns are named "${name}".`, code: 'repeated', params: { name } })
    else columns.add(column)
  }
  const there = new Set([...columns].map(({ path }) => path[0]))
  const missing = errors.length === mostInHeader ? [] : required.filter((member) => !there.has(member))
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
    detail: `"${shown}" in the header row is no column here.${suggestion === undefined ? hint : ` Did you mean "${suggestion}"?`}`,
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
  for (const column of columns) if (column.path.length > 1) settleNull(record, column)
  return { record, violations }
}

function unequal([first, ...others]: readonly Cell[], columns: number): string {
  if (others.length === 0 && first?.text === '' && !first.quoted) return 'The line is empty.'
  return `The row has ${others.length + 1} ${others.length === 0 ? 'cell' : 'cells'}, and the header row ${columns}.`
}

/** A cell that is no value of its column. */
const unreadable = Symbol('unreadable')

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function cellValue(
  { text, quoted }: Cell,
  { kind, nullable, path }: Column,
  { escapeFormulas, depth }: ReadRules,
): unknown {
  // Of a member below an object that is not there, an empty cell says nothing.
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

/** As a body in JSON would give it: an integer that a double would change is none, and there is no -0. */
function finite(text: string): unknown {
  const value = Number(text)
  return Number.isFinite(value) && !integerChanges(text) ? value + 0 : unreadable
}

function parsed(text: string, depth: number): unknown {
  const result = parseJson(Buffer.from(text), { depth })
  return 'malformed' in result ? unreadable : result.value
}

function untyped({ name, kind, path }: Column): Violation {
  const wanted = { text: 'a text', number: 'a number such as 12.5', boolean: 'true or false', json: 'JSON' }[kind]
  return {
    pointer: path.map((part) => `/${escapePointer(part)}`).join(''),
    detail: `"${name}" must be ${wanted}.`,
    code: 'type',
    params: { types: [kind === 'json' ? 'object' : kind === 'text' ? 'string' : kind] },
  }
}

/** Puts a value to its place, and objects on the way. */
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
 * What empty cells below an object stand for: null in an object that is there; where none is there,
 * no object, or null where the column of the object may be null.
 */
function settleNull(record: JsonObject, { path, nullable, way }: Column): void {
  let at: JsonObject = record
  for (const [i, name] of path.slice(0, -1).entries()) {
    const inner = own(at, name)
    if (isObject(inner)) {
      at = inner
      continue
    }
    if (inner !== undefined) return
    const missing = way[i]
    if (missing === 'null') put(at, name, null)
    if (missing !== 'object') return
    const made: JsonObject = {}
    put(at, name, made)
    at = made
  }
  const last = path.at(-1) as string
  if (nullable && !Object.hasOwn(at, last)) put(at, last, null)
}
