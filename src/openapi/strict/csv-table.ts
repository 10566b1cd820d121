/**
 * Reads CSV as records. The columns (docs/transfer.md) and the schema come from an OpenAPI
 * document.
 */
import { isList, isObject, type JsonObject, own, put } from '../../definition/json.js'
import { unescapeFormula } from '../../transfer/csv-cells.js'
import { type Cell, csvRows } from '../../transfer/csv-rows.js'
import type { Row } from './rows.js'
import { kindsOf, membersOf, type SchemaParts, type SchemasOfValue } from './schema-parts.js'

/** The value of the extension `x-csv` in a document. */
interface TableFacts {
  readonly separator: string
  readonly escapedFormulas: boolean
  readonly columns: ReadonlyMap<string, ColumnFacts>
}

interface ColumnFacts {
  readonly name: string
  /**
   * The type of the cells in this column: `text`, `number`, `boolean`, or `json` for any JSON
   * value.
   */
  readonly cell: string
  /** The association that must be expanded for the table to have this column. */
  readonly expand?: string
}

/** A member in the header row: a column, or an object whose members have columns. */
interface Place {
  readonly column?: { readonly index: number; readonly facts: ColumnFacts }
  readonly members: Map<string, Place>
}

/** Thrown for a cell whose value does not have the type of its column. */
class CellFault extends Error {}

/** Reads CSV bodies of one media type. */
export class CsvTable {
  readonly #parts: SchemaParts
  readonly #record: SchemasOfValue
  readonly #facts: TableFacts

  /** `record` is the schema of a row. `table` is the value of `x-csv`. */
  constructor(parts: SchemaParts, record: JsonObject, table: JsonObject) {
    this.#parts = parts
    this.#record = parts.flatten([record])
    this.#facts = factsOf(table)
  }

  /**
   * Returns the rows. Throws an `Error` if the text is not CSV, or if a column of its header row is
   * unknown, repeated or missing.
   */
  *rows(text: string): Generator<Row, void, undefined> {
    let header: { readonly root: Place; readonly width: number } | undefined
    for (const { cells, line } of csvRows(text.replace(/^\uFEFF/, ''), this.#facts.separator)) {
      if (header === undefined) header = { root: this.#header(cells), width: cells.length }
      else if (cells.length !== header.width)
        yield { line, fault: `it has ${cells.length} cells, but the header row has ${header.width}` }
      else yield { line, ...this.#row(header.root, cells) }
    }
    if (header === undefined) throw new Error('it has no header row')
  }

  #header(cells: readonly Cell[]): Place {
    const { columns, escapedFormulas } = this.#facts
    const root: Place = { members: new Map() }
    const seen = new Set<string>()
    for (const [index, { text }] of cells.entries()) {
      const name = escapedFormulas ? unescapeFormula(text) : text
      const facts = columns.get(name)
      if (facts === undefined) throw new Error(`the column "${name}" is not in the document`)
      if (seen.has(name)) throw new Error(`the column "${name}" is repeated`)
      seen.add(name)
      let at = root
      const path = pathOf(name)
      for (const part of path.slice(0, -1)) {
        const inner = at.members.get(part) ?? { members: new Map() }
        at.members.set(part, inner)
        at = inner
      }
      at.members.set(path.at(-1) as string, { column: { index, facts }, members: new Map() })
    }
    for (const { name, expand } of columns.values()) {
      // If the target of a link may have arbitrary members, the expanded link has a single column.
      // If this column is present, the other columns of the link are absent.
      if (
        expand === undefined &&
        !seen.has(name) &&
        !pathOf(name).some((_, i, path) => seen.has(nameOf(path.slice(0, i))))
      )
        throw new Error(`the column "${name}" is missing`)
    }
    return root
  }

  #row(root: Place, cells: readonly Cell[]): Pick<Row, 'value' | 'fault'> {
    try {
      return { value: this.#object(root, this.#record, cells) }
    } catch (error) {
      if (error instanceof CellFault) return { fault: error.message }
      throw error
    }
  }

  #object(place: Place, schemas: SchemasOfValue, cells: readonly Cell[]): JsonObject {
    const object: JsonObject = {}
    const parts = this.#shapeOf(place, schemas, cells)
    for (const [name, member] of place.members) {
      const value = this.#member(member, { parts, name }, cells)
      if (value !== undefined) put(object, name, value)
    }
    return object
  }

  #member(
    place: Place,
    { parts, name }: { readonly parts: SchemasOfValue; readonly name: string },
    cells: readonly Cell[],
  ): unknown {
    const schemas = this.#parts.flatten(membersOf(parts, name))
    const mayBeNull = schemas.some((schema) => kindsOf(schema).includes('null'))
    if (isFilled(place, cells)) {
      const { column } = place
      return column === undefined
        ? this.#object(place, schemas, cells)
        : this.#value(cells[column.index] as Cell, column.facts)
    }
    if (mayBeNull) return place.column?.facts.cell === 'json' ? undefined : null
    const isRequired = parts.some(({ required }) => isList(required) && required.includes(name))
    return place.column === undefined && isRequired ? this.#object(place, schemas, cells) : undefined
  }

  /**
   * Returns the schemas of an object. A link has two schemas, because it can be expanded or not. Of
   * the schemas that have a member for every filled cell, the schema with the fewest members is
   * chosen.
   */
  #shapeOf({ members }: Place, schemas: SchemasOfValue, cells: readonly Cell[]): SchemasOfValue {
    const filled = [...members].filter(([, member]) => isFilled(member, cells)).map(([name]) => name)
    const forms = schemas
      .flatMap(({ anyOf }) => (isList(anyOf) ? anyOf.filter(isObject) : []))
      .map((form) => this.#parts.flatten([form]))
      .filter((form) => form.some(({ properties }) => isObject(properties)))
      .filter((form) => filled.every((name) => membersOf(form, name).length > 0))
      .sort((a, b) => breadthOf(a) - breadthOf(b))
    return forms[0] ?? schemas
  }

  #value({ text }: Cell, { name, cell }: ColumnFacts): unknown {
    const fault = (what: string): CellFault =>
      new CellFault(`${JSON.stringify(text.slice(0, 80))} in the column "${name}" is not ${what}`)
    if (cell === 'text') return this.#facts.escapedFormulas ? unescapeFormula(text) : text
    if (cell === 'number') {
      if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) throw fault('a number')
      return Number(text)
    }
    if (cell === 'boolean') {
      if (text !== 'true' && text !== 'false') throw fault('a boolean')
      return text === 'true'
    }
    try {
      return JSON.parse(text)
    } catch {
      throw fault('JSON')
    }
  }
}

function factsOf({ separator, escapedFormulas, columns }: JsonObject): TableFacts {
  const listed = (isList(columns) ? columns : []) as unknown as readonly ColumnFacts[]
  return {
    separator: String(separator),
    escapedFormulas: escapedFormulas === true,
    columns: new Map(listed.map((column) => [column.name, column])),
  }
}

/**
 * Returns whether any cell of a member has a value. An empty quoted cell has a value, the empty
 * string.
 */
function isFilled({ column, members }: Place, cells: readonly Cell[]): boolean {
  const cell = column === undefined ? undefined : cells[column.index]
  return (
    (cell !== undefined && (cell.text !== '' || cell.quoted)) ||
    [...members.values()].some((member) => isFilled(member, cells))
  )
}

const breadthOf = (parts: SchemasOfValue): number =>
  new Set(
    parts.flatMap((part) => Object.keys(isObject(own(part, 'properties')) ? (part.properties as JsonObject) : {})),
  ).size

/**
 * Splits a column name into member names at the dots. In a member name, a backslash escapes a dot
 * or a backslash.
 */
const pathOf = (name: string): readonly string[] =>
  [...name.matchAll(/(?:^|\.)((?:\\.|[^\\.])*)/gsu)].map(([, part]) => (part as string).replace(/\\(.)/gsu, '$1'))

const nameOf = (path: readonly string[]): string => path.map((part) => part.replace(/[\\.]/g, '\\$&')).join('.')
