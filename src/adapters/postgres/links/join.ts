/**
 * The join of a link: what it leads to is read in the statement that reads the record. A statement of
 * its own costs the process 35 us, of which 25 are the kernel's.
 *
 * The join compares the columns themselves, and reading by key compares with a text that was made of
 * the record. So the join is told only where both are known to find the same row; what is not told
 * is read by key.
 */
import type { AdapterCall, Scalar, ShownLink, ShownLinks, Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import { every, type Parameters, quote, row } from '../sql/sql.js'
import type { CatalogColumn, Relation } from '../table/catalog.js'
import type { Member } from '../table/columns.js'
import { type RowShape, storedIn } from '../table/kept-rows.js'
import { compileRecord } from '../table/records.js'
import { addVisible, type Table } from '../table/table.js'

/** The alias of the rows that a statement joins to. */
export const outer = 'p'

/** The columns that hold one part of a key. */
interface Part {
  /** The member of the record, and its place in a row of the table. */
  readonly held: Member
  readonly at: number
  /** The column that the rows to join to show it in. */
  readonly name: string
  readonly key: Member
  /** Its place among the columns of the join. */
  readonly keyAt: number
}

/** What is read of the target. */
interface Selection {
  readonly sql: string
  /** The members in the order of their columns. */
  readonly names: readonly string[]
  readonly shape: RowShape
}

/** Who is told what the rows of a statement lead to. */
export interface Telling {
  readonly table: Table
  readonly links: ShownLinks
  /** Of the target: see `epochOf`. */
  readonly epoch: number
}

export class Join {
  readonly link: ShownLink
  readonly target: Table
  /** The select list that shows the key to the join, in the rows that are joined to. */
  readonly keys: string
  /** The select list of the joined record, and the names of its columns. */
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
    this.#isUnique = target.keyIndex?.partial === false && !parts.some(({ key }) => key.blind)
    this.keys = parts.map(({ held, name }) => `${held.sql} AS ${name}`).join(', ')
    const shown = [...Array.from({ length: selection.shape.width }, (_, i) => `c${i}`), ...target.besides.names]
    this.names = shown.map((name) => `${prefix}${name}`)
    this.columns = shown.map((name) => `${this.#alias}.${name} AS ${prefix}${name}`).join(', ')
  }

  /** The join of a link of `table` to its target; `undefined` where it may find another row than a read by key. `number` tells the joins of a table apart. */
  static of(table: Table, target: Table, link: ShownLink, number: number): Join | undefined {
    const { kind } = target.relation
    // Citus has no LATERAL join over servers.
    if (table.relation.distributed || target.relation.distributed) return undefined
    // A view may have several rows of a key, and may have to be computed as a whole for each.
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
   * The join itself: the row that a call may see of the target. `oneByOne`: also where the planner
   * can't tell how few rows it joins to, and would read the whole target for many.
   */
  sql(call: AdapterCall, parameters: Parameters, oneByOne: boolean): string {
    const { target } = this
    const conditions: string[] = []
    for (const { key, name } of this.#parts) {
      conditions.push(`${key.sql} = ${outer}.${name}`)
      // What is equal to a column that is blind to case may still be another key.
      if (key.blind) conditions.push(`${key.sql}::text COLLATE "C" = ${outer}.${name}::text`)
    }
    addVisible(target, call, parameters, target.shownAlive, conditions)
    const only = this.#isUnique && !oneByOne ? '' : ' LIMIT 1'
    const found = `SELECT ${this.#selection.sql}, ${target.besides.sql} FROM ${target.source} WHERE ${every(conditions)}${only}`
    return ` LEFT JOIN LATERAL (${found}) AS ${this.#alias} ON true`
  }

  /** Tells what each row leads to, each key once. The columns of the join begin at `from`. */
  tell(to: Telling, rows: readonly Cells[], from: number): void {
    const told = rows.length > 1 ? new Set<string>() : undefined
    for (const cells of rows) {
      const texts = this.#keyTexts(cells)
      if (texts === undefined) continue
      if (told !== undefined) {
        const name = texts.length === 1 ? (texts[0] as string) : texts.join('\0')
        if (told.has(name)) continue
        told.add(name)
      }
      this.#tellOne(to, texts, cells, from)
    }
  }

  #tellOne({ table, links, epoch }: Telling, texts: readonly string[], cells: Cells, from: number): void {
    const { key: codec } = this.target.definition
    const values = this.#parts.map(({ at }, i) => {
      const decoder = table.layout.decoders[at]
      return decoder === undefined ? texts[i] : decoder(texts[i] as string)
    })
    if (values.includes(null)) return
    const key = codec.from(values as readonly Scalar[])
    const asked = this.target.layout.keyTexts(key)
    // The record may say less than its column, and a read by key would ask for that.
    if (asked === undefined || asked.some((text, i) => text !== texts[i])) return
    const found = this.#stored(texts, cells, from, epoch)
    if (found !== 'another') links.found(this.link, codec.text(key), found)
  }

  /** The texts of the key that a row leads to; `undefined` where a part of it is null. */
  #keyTexts(cells: Cells): readonly string[] | undefined {
    const texts: string[] = []
    for (const { at } of this.#parts) {
      const text = cells[at]
      if (text === null || text === undefined) return undefined
      texts.push(text)
    }
    return texts
  }

  /** The record that was joined; `'another'` where its key is spelt in another way. */
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

/** One object for each set of members, whichever link looks at them: their records are kept by it. */
const selections = new WeakMap<Table, Map<string, Selection>>()

/** The members that are looked at and those of the key; the whole record where one of them has no column of its own. */
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
  const held = table.layout.members[at]
  if (held === undefined || held.content.kind !== 'scalar') return undefined
  const column = columnOf(held, table.sourceRelation)
  const keyColumn = columnOf(key, target.relation)
  if (column === undefined || keyColumn === undefined || !areAlike(column, keyColumn)) return undefined
  return { held, at, name, key, keyAt: selection.names.indexOf(key.name) }
}

/** The column that a member is read from; `undefined` where SQL of the team computes it. */
function columnOf({ sql }: Member, { columns }: Relation): CatalogColumn | undefined {
  for (const column of columns.values()) if (sql === `${row}.${quote(column.name)}`) return column
  return undefined
}

/** Whether two columns compare as each compares with a text: by the operator and the collation of the key, so that its index serves. */
const areAlike = (column: CatalogColumn, key: CatalogColumn): boolean =>
  column.collation === key.collation && familyOf(column.type) === familyOf(key.type)

/** Types whose values compare with each other, by an index of either. */
function familyOf(type: string): string {
  if (/^(?:text|character varying(?:\(\d+\))?)$/.test(type)) return 'text'
  return /^(?:smallint|integer|bigint)$/.test(type) ? 'integer' : type
}
