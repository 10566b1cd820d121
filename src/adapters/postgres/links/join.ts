/**
 * The SQL join for a link of a record. The record that a link points to is called the target. With
 * the join, the statement that reads the record also reads the target. A separate statement would
 * cost the process 35 microseconds, 25 of them in the kernel.
 *
 * The join compares two columns, but a read by key compares the key's column with a string that is
 * derived from the record. The two comparisons might find different rows. So a target that the join
 * has found is passed to the response only if a read by key would find the same row. All other
 * targets are read by key.
 */
import type { AdapterCall, Scalar, ShownLink, ShownLinks, Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import { allOf, type Parameters, quote, rowAlias } from '../sql/sql.js'
import { type RowShape, storedIn } from '../table/cached-rows.js'
import type { CatalogColumn, Relation } from '../table/catalog.js'
import type { Member } from '../table/columns.js'
import { compileRecord } from '../table/records.js'
import { addVisible, type Table } from '../table/table.js'

/** The alias of the rows to which the targets are joined. */
export const outer = 'p'

/** One part of a target's key. A member of the record and a member of the target hold this part. */
interface Part {
  /**
   * The member of the record that holds this part, and its index in a row of the record's table.
   */
  readonly source: Member
  readonly at: number
  /** The column name of `source` in the rows that the target is joined to. */
  readonly name: string
  readonly key: Member
  /** The index of `key` among the columns of the join. */
  readonly keyAt: number
}

/** The columns of the target that the join reads. */
interface Selection {
  readonly sql: string
  /** The names of the members, in the order of their columns. */
  readonly names: readonly string[]
  readonly shape: RowShape
}

/** The data with which `Join.report` passes the found targets to the response. */
export interface Reporting {
  readonly table: Table
  readonly links: ShownLinks
  /**
   * The result of `epochOf` for the target. A negative epoch means that the target's row is not
   * cached.
   */
  readonly epoch: number
}

export class Join {
  readonly link: ShownLink
  readonly target: Table
  /** The select list of the record's members that hold the target's key. */
  readonly keys: string
  /** The select list of the joined target, and the names of its columns. */
  readonly columns: string
  readonly names: readonly string[]
  readonly #alias: string
  readonly #parts: readonly Part[]
  readonly #selection: Selection
  readonly #isUnique: boolean

  private constructor(link: ShownLink, target: Table, parts: readonly Part[], selection: Selection, prefix: string) {
    this.link = link
    this.target = target
    this.#parts = parts
    this.#selection = selection
    this.#alias = `_${prefix}`
    this.#isUnique = target.keyIndex?.partial === false && !parts.some(({ key }) => key.foldsTexts)
    this.keys = parts.map(({ source, name }) => `${source.sql} AS ${name}`).join(', ')
    const shown = [...Array.from({ length: selection.shape.width }, (_, i) => `c${i}`), ...target.besides.names]
    this.names = shown.map((name) => `${prefix}${name}`)
    this.columns = shown.map((name) => `${this.#alias}.${name} AS ${prefix}${name}`).join(', ')
  }

  /**
   * Returns the join of a link of `table`. Returns `undefined` if a join is not possible, could be
   * slow, or could find a different row than a read by key. `number` distinguishes the joins of a
   * table.
   */
  static of(table: Table, target: Table, link: ShownLink, number: number): Join | undefined {
    const { kind } = target.relation
    // Citus does not support LATERAL joins across servers.
    if (table.relation.distributed || target.relation.distributed) return undefined
    // A view may have several rows with the same key. The database may also compute the whole view
    // again for each row.
    if (target.separate || (kind !== 'r' && kind !== 'p') || target.keyIndex === undefined) return undefined
    if (table.options.session !== undefined || target.options.session !== undefined) return undefined
    const prefix = `l${number}`
    const selection = selectionOf(target, link.members)
    const parts = target.layout.key.map((key, i) =>
      partOf(table, target, link.by[i], key, `rest_${prefix}_${i}`, selection),
    )
    if (parts.length !== link.by.length || parts.includes(undefined)) return undefined
    return new Join(link, target, parts as readonly Part[], selection, prefix)
  }

  /**
   * Returns the SQL of the join. The join finds the row of the target if the call is allowed to see
   * the row. `oneByOne`: the database must look up the target of each row separately. This is
   * needed if the targets are joined to only a few rows, but the planner can't know that the rows
   * are few. Without `oneByOne`, the planner might read the whole table of the targets.
   */
  sql(call: AdapterCall, parameters: Parameters, oneByOne: boolean): string {
    const { target } = this
    const conditions: string[] = []
    for (const { key, name } of this.#parts) {
      conditions.push(`${key.sql} = ${outer}.${name}`)
      // In a column that ignores case, a different key can compare as equal, so the exact strings
      // are compared too.
      if (key.foldsTexts) conditions.push(`${key.sql}::text COLLATE "C" = ${outer}.${name}::text`)
    }
    addVisible(target, call, parameters, target.shownAlive, conditions)
    const only = this.#isUnique && !oneByOne ? '' : ' LIMIT 1'
    const found =
      `SELECT ${this.#selection.sql}, ${target.besides.sql} FROM ${target.source} ` +
      `WHERE ${allOf(conditions)}${only}`
    return ` LEFT JOIN LATERAL (${found}) AS ${this.#alias} ON true`
  }

  /**
   * Passes the target of each row to the response. If several rows have the same target, that
   * target is passed once. The columns of the join begin at index `from`.
   */
  report(to: Reporting, rows: readonly Cells[], from: number): void {
    const reported = rows.length > 1 ? new Set<string>() : undefined
    for (const cells of rows) {
      const texts = this.#keyTexts(cells)
      if (texts === undefined) continue
      if (reported !== undefined) {
        const name = texts.length === 1 ? (texts[0] as string) : texts.join('\0')
        if (reported.has(name)) continue
        reported.add(name)
      }
      this.#reportOne(to, texts, cells, from)
    }
  }

  #reportOne({ table, links, epoch }: Reporting, texts: readonly string[], cells: Cells, from: number): void {
    const { key: codec } = this.target.definition
    const values = this.#parts.map(({ at }, i) => {
      const decoder = table.layout.decoders[at]
      return decoder === undefined ? texts[i] : decoder(texts[i] as string)
    })
    if (values.includes(null)) return
    const key = codec.from(values as readonly Scalar[])
    const asked = this.target.layout.keyTexts(key)
    // The record may hold a less exact value than its column, for example a rounded number. A read
    // by key would use the value of the record, and could find a different row. So the target is
    // not passed to the response.
    if (asked === undefined || asked.some((text, i) => text !== texts[i])) return
    const found = this.#stored(texts, cells, from, epoch)
    if (found !== 'another') links.found(this.link, codec.text(key), found)
  }

  /**
   * Returns the parts of the key that a row refers to, as strings, or `undefined` if a part is
   * null.
   */
  #keyTexts(cells: Cells): readonly string[] | undefined {
    const texts: string[] = []
    for (const { at } of this.#parts) {
      const text = cells[at]
      if (text === null || text === undefined) return undefined
      texts.push(text)
    }
    return texts
  }

  /**
   * Returns the target that the join found, or `undefined` if the join found no target. Returns
   * `'another'` if the key of the found row, as a string, differs from the key in the record.
   */
  #stored(
    texts: readonly string[],
    cells: Cells,
    from: number,
    epoch: number,
  ): Stored<Record<string, unknown>> | 'another' | undefined {
    const parts = this.#parts
    for (let i = 0; i < parts.length; i++) {
      const text = cells[from + (parts[i] as Part).keyAt]
      if (text === null || text === undefined) return undefined
      if (text !== texts[i]) return 'another'
    }
    const joined = cells.slice(from, from + this.names.length)
    const { shape } = this.#selection
    return epoch < 0 ? storedIn(shape, joined) : this.target.rows.stored(shape, joined, epoch)
  }
}

/**
 * The selections of each target table, keyed by the names of the selected members. Links that show
 * the same members share one selection, because a cached row is reused only if it was read with the
 * same `shape` object.
 */
const selections = new WeakMap<Table, Map<string, Selection>>()

/**
 * Returns the selection of the members that a link shows, and of the members of the key. Returns
 * the selection of the whole record if the link shows all members, or if one of the members has no
 * column of its own.
 */
function selectionOf(target: Table, members: readonly string[] | undefined): Selection {
  const { definition, layout, shape } = target
  const wanted = new Set([...definition.key.members, ...(members ?? [])])
  const some = layout.members.filter(({ name }) => wanted.has(name))
  if (members === undefined || some.length < wanted.size)
    return { sql: layout.selection, names: layout.members.map(({ name }) => name), shape }
  const names = some.map(({ name }) => name)
  const known = selections.get(target) ?? new Map<string, Selection>()
  selections.set(target, known)
  const name = `\0${names.join('\0')}`
  const made = known.get(name) ?? {
    sql: some.map((member, i) => `${layout.read(member)} AS c${i}`).join(', '),
    names,
    shape: {
      name,
      width: some.length,
      stamped: shape.stamped,
      keyPlaces: layout.key.map((member) => some.indexOf(member)),
      record: compileRecord(some, false),
      version: shape.version,
    },
  }
  known.set(name, made)
  return made
}

function partOf(
  table: Table,
  target: Table,
  by: string | undefined,
  key: Member,
  name: string,
  selection: Selection,
): Part | undefined {
  const at = table.layout.members.findIndex((member) => member.name === by)
  const source = table.layout.members[at]
  if (source === undefined || source.content.kind !== 'scalar') return undefined
  const column = columnOf(source, table.sourceRelation)
  const keyColumn = columnOf(key, target.relation)
  if (column === undefined || keyColumn === undefined || !areAlike(column, keyColumn)) return undefined
  return { source, at, name, key, keyAt: selection.names.indexOf(key.name) }
}

/**
 * Returns the column that a member is read from, or `undefined` if the service's own SQL computes
 * the member.
 */
function columnOf({ sql }: Member, { columns }: Relation): CatalogColumn | undefined {
  for (const column of columns.values()) if (sql === `${rowAlias}.${quote(column.name)}`) return column
  return undefined
}

/**
 * Whether a join that compares these two columns finds the same rows as a read by key. This is the
 * case if both columns have the same collation, and types that the same operator compares. The
 * comparison can then use the key's index.
 */
const areAlike = (column: CatalogColumn, key: CatalogColumn): boolean =>
  column.collation === key.collation && familyOf(column.type) === familyOf(key.type)

/**
 * Returns the family of a type, for example `integer` for `smallint`. If two columns have types of
 * one family, an index on either column supports their comparison.
 */
function familyOf(type: string): string {
  if (/^(?:text|character varying(?:\(\d+\))?)$/.test(type)) return 'text'
  return /^(?:smallint|integer|bigint)$/.test(type) ? 'integer' : type
}
