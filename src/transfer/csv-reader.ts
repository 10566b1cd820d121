/** The rows of CSV as records: cells typed by the schema, places by the header row. */
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { escapePointer, isObject, type JsonObject, own, put } from '../definition/json.js'
import { nearMiss } from '../near-miss.js'
import type { Mounted } from '../plan/routes.js'
import type { ReadRow, RowReader } from '../plan/transfer-format.js'
import { HttpProblem, type Violation } from '../problem.js'
import { type Column, columnsToRead } from './columns.js'
import { type CellRules, unescapeFormula } from './csv-cells.js'

/** Characters of one row. */
const longestRow = 1_048_576

/** A cell as it stood: one in quotes is a text, also where it is empty. */
interface Cell {
  readonly text: string
  readonly quoted: boolean
}

/** Reads rows of this resource. */
export function csvReader(resource: Mounted, rules: CellRules): RowReader {
  const known = new Map(columnsToRead(resource).map((column) => [column.name, column]))
  const required = requiredMembers(resource)
  return (text) => readRows(text, known, required, rules)
}

/** Members without which no row can be right, by their names on the wire. What a scope fixes is not known here. */
function requiredMembers({ plan }: Mounted): readonly string[] {
  const { shape, key, assigned, scope } = plan.definition
  if (scope !== undefined) return []
  const names = new Set([...key.members, ...shape.required])
  return [...names].filter((name) => !assigned.has(name) && !shape.members.get(name)?.readOnly).map((name) => plan.hidden.get(name) ?? name)
}

async function* readRows(
  text: string,
  known: ReadonlyMap<string, Column>,
  required: readonly string[],
  rules: CellRules,
): AsyncGenerator<ReadRow> {
  let columns: readonly Column[] | undefined
  for await (const { cells, line } of cellsOf(text, rules.separator)) {
    if (columns === undefined) columns = headerOf(cells, known, required, rules)
    else yield { line, ...rowOf(cells, columns, rules) }
  }
  if (columns === undefined) refuse([{ pointer: '', detail: 'The file is empty. Its first row names the columns.', code: 'malformed' }])
}

async function* cellsOf(text: string, separator: string): AsyncGenerator<{ readonly cells: readonly Cell[]; readonly line: number }> {
  /** The line that the parser, which runs ahead, has read a whole row to. */
  let readTo = 0
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    max_record_size: longestRow,
    info: true,
    on_record: (row, { lines }) => {
      readTo = lines
      return row
    },
    cast: (value, { quoting }) => ({ text: value, quoted: quoting }),
  })
  const pieces = Readable.from(inPieces(text))
  pieces.pipe(parser)
  let line = 1
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: readonly Cell[]; info: { readonly lines: number } }>) {
      yield { cells: record, line }
      line = info.lines + 1
    }
  } catch (error) {
    if (error instanceof CsvError) throw malformed(error, readTo + 1)
    throw error
  } finally {
    pieces.destroy()
    parser.destroy()
  }
}

/** The parser takes its time between two pieces, so that other requests get theirs. */
function* inPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536)
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands within a cell that does not begin with one. Put the cell in quotes and double those in it',
  CSV_MAX_RECORD_SIZE: `a row is longer than ${longestRow} characters: a quote may be missing`,
}

function malformed(error: CsvError, line: number): HttpProblem {
  const detail = `In the row that begins in line ${line}, ${faults[error.code] ?? 'the text is no CSV'} (RFC 4180).`
  return new HttpProblem('malformed-body', { detail, errors: [{ pointer: '', detail, code: 'malformed', clause: 'HDR-5' }], cause: error })
}

function refuse(errors: readonly Violation[]): void {
  if (errors.length > 0) throw new HttpProblem('invalid-body', { detail: errors.map(({ detail }) => detail).join(' '), errors })
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
  const columns: Column[] = []
  for (const [i, name] of names.entries()) {
    const column = known.get(name)
    if (column === undefined) errors.push(unknownColumn(name, known, rules))
    else if (names.indexOf(name) < i)
      errors.push({ pointer: '', detail: `Two columns are named "${name}".`, code: 'repeated', params: { name } })
    else columns.push(column)
  }
  const missing = required.filter((member) => columns.every(({ path }) => path[0] !== member))
  for (const member of missing) {
    errors.push({
      pointer: '',
      detail: `The header row has no column for "${member}", which is required.`,
      code: 'required',
      params: { member },
    })
  }
  refuse(errors.slice(0, 50))
  return columns
}

function unknownColumn(name: string, known: ReadonlyMap<string, Column>, { separator }: CellRules): Violation {
  const allowed = [...known.keys()]
  const suggestion = nearMiss(name, allowed)
  const shown = name.length > 80 ? `${name.slice(0, 80)}...` : name
  const other = [',', ';', '\t', '|'].find((one) => one !== separator && name.includes(one))
  const hint = other === undefined ? '' : ` Cells are separated by ${JSON.stringify(separator)}, not by ${JSON.stringify(other)}.`
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

function rowOf(cells: readonly Cell[], columns: readonly Column[], rules: CellRules): Pick<ReadRow, 'record' | 'violations'> {
  if (cells.length !== columns.length) {
    const detail = `The row has ${cells.length} cells, and the header row ${columns.length}.`
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

/** A cell that is no value of its column. */
const unreadable = Symbol('unreadable')

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function cellValue({ text, quoted }: Cell, { kind, nullable, path }: Column, { escapeFormulas }: CellRules): unknown {
  // Of a member below an object that is not there, an empty cell says nothing.
  if (text === '' && !quoted) return nullable && path.length === 1 ? null : undefined
  switch (kind) {
    case 'text':
      return escapeFormulas ? unescapeFormula(text) : text
    case 'number':
      return number.test(text) && Number.isFinite(Number(text)) ? Number(text) : unreadable
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : unreadable
    case 'json':
      return parsed(text)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return unreadable
  }
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
