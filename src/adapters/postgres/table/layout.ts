/**
 * The mapping of a resource to its table, compiled once from the definition, the options and the
 * catalog.
 */

import type { KeyValue } from '../../../definition/key.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import { valueFormat } from '../../../definition/value-formats.js'
import { ConfigurationError } from '../../../problem.js'
import type { Cells } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { quote, rowAlias } from '../sql/sql.js'
import { jsonPlace } from '../values/json-places.js'
import {
  type Content,
  canonicalOf,
  columnPlace,
  encode,
  faultOf,
  inexactSql,
  isNullAt,
  labelFaultOf,
  type Place,
  readSql,
  textAt,
} from '../values/places.js'
import type { Relation } from './catalog.js'
import { restContent } from './column-content.js'
import { contentTexts, type Member, noKeyColumn, unchanging } from './columns.js'
import type { ExpressionTypes } from './expression-types.js'
import { membersOf } from './members.js'
import { compileRecord, decoderOf } from './records.js'

/**
 * The facts that a layout depends on, in addition to the definition, the options and the catalog.
 */
interface LayoutFacts {
  /** Whether the database is PGlite. */
  readonly embedded?: boolean | undefined
  readonly expressions?: ExpressionTypes
}

export class Layout {
  readonly members: readonly Member[]
  readonly byName: ReadonlyMap<string, Member>
  /**
   * `restName` is the column for all members that have no column of their own (option `rest`), and
   * `rest` is the content of this column. Both are `undefined` without the option.
   */
  readonly restName: string | undefined
  readonly rest: Content | undefined
  readonly key: readonly Member[]
  /** Warnings about columns that may hold values that do not match the schema. */
  readonly warnings: readonly string[]
  /**
   * Warnings about members that no statement writes. They matter only for resources that clients
   * can write.
   */
  readonly unwritten: readonly string[]
  /**
   * Contains one fault if clients can write the member that marks rows as deleted. Otherwise empty.
   */
  readonly writableMark: readonly string[]
  /** The select list that reads a record. */
  readonly selection: string
  /** The column names in `selection`. */
  readonly names: readonly string[]
  /**
   * An assignment of a column to itself, which changes nothing. `undefined` if no column accepts
   * such an assignment. For example, a `GENERATED ALWAYS` identity column does not accept it.
   */
  readonly unchanging: string | undefined
  /**
   * SQL that is true for a row that may hold more than its record shows. Data would be lost if such
   * a row were overwritten with its record. `undefined` if there can be no such row.
   */
  readonly inexact: string | undefined
  /**
   * The SQL expressions for the content of a record: one for each shown member that has a column of
   * its own in the table, and one for the column `restName`, if the table has this column.
   */
  readonly content: readonly string[]
  /**
   * For each member, a function that converts the string from the database to the member's value.
   * The function is not called for null. `undefined` if the string itself is the value.
   */
  readonly decoders: readonly (((text: string) => unknown) | undefined)[]
  /** Decodes the record from a row with the columns of `selection`. */
  readonly record: (cells: Cells) => Record<string, unknown>
  /** The results of earlier calls of `place`, by path. */
  readonly #places = new Map<string, Place>()
  readonly #definition: ResourceDefinition
  readonly #embedded: boolean
  /** The members of the key with a format that has a canonical spelling. */
  readonly #formatted: ReadonlySet<string>

  /**
   * Statements write to `table` and read from `source`. Often both are the same relation. If there
   * are faults, throws a `ConfigurationError` that lists them all.
   */
  constructor(
    definition: ResourceDefinition,
    options: PostgresAdapterOptions,
    table: Relation,
    source: Relation,
    { embedded = false, expressions = new Map() }: LayoutFacts = {},
  ) {
    this.#definition = definition
    this.#embedded = embedded
    this.restName = options.rest
    this.#formatted = new Set(
      definition.key.members.filter((name) => valueFormat(definition.shape.members.get(name)) !== undefined),
    )
    const { members, warnings, unwritten, writableMark, faults, faulty } = membersOf(definition, options, {
      table,
      source,
      expressions,
    })
    this.members = members
    this.warnings = warnings
    this.unwritten = unwritten
    this.writableMark = writableMark
    this.byName = new Map(members.map((member) => [member.name, member]))
    this.rest = options.rest === undefined ? undefined : restContent(options.rest, source, faults)
    this.key = definition.key.members.flatMap((name) => {
      const member = this.byName.get(name)
      if (faulty.has(name)) return []
      if (member?.column === undefined || member.content.kind !== 'scalar')
        faults.push(noKeyColumn(name, definition, options, table))
      else if (member.setByDatabase && !definition.assigned.has(name))
        faults.push(
          `"${name}" is never written ({ write: false }), so no POST can set it: add it to "assigned" of the resource`,
        )
      return member === undefined ? [] : [member]
    })
    this.unchanging = unchanging(members, this.key)
    const read = members.map((member) => this.read(member))
    if (this.rest !== undefined) read.push(readSql(this.rest, this.#restSql))
    this.content = contentTexts(definition, options, table, members)
    if (this.rest !== undefined && table.columns.has(options.rest ?? ''))
      this.content = [...this.content, readSql(this.rest, this.#restSql)]
    const inexact = members.map((member) => member.inexact)
    if (this.rest !== undefined && table.columns.has(options.rest ?? ''))
      inexact.push(inexactSql(this.rest, this.#restSql))
    this.inexact = inexact.filter((sql) => sql !== undefined).join(' OR ') || undefined
    this.names = read.map((_, i) => `c${i}`)
    this.decoders = members.map(({ content }) => decoderOf(content))
    this.record = compileRecord(members, this.rest !== undefined)
    this.selection = read.map((sql, i) => `${sql} AS c${i}`).join(', ')
    if (definition.shape.hasOthers && options.rest === undefined && definition.shape.open) {
      faults.push(
        'the schema allows members that it does not name: name a jsonb column for them in "rest", or set ' +
          '"additionalProperties" or "unevaluatedProperties" to false',
      )
    }
    if (faults.length > 0) {
      throw new ConfigurationError(
        'store-unfit',
        `"${definition.collection}" does not fit its table: ${faults.join('; ')}.`,
      )
    }
  }

  /** The SQL that reads a member as text. */
  read({ content, sql }: Pick<Member, 'content' | 'sql'>): string {
    return readSql(content, sql, this.#embedded)
  }

  member(name: string): Member | undefined {
    return this.byName.get(name)
  }

  get #restSql(): string {
    return `${rowAlias}.${quote(this.restName ?? '')}`
  }

  /**
   * The column, or the path within a JSON column, that holds the scalar at a path of the record.
   * Throws `ConfigurationError` if the scalar can't be compared, for example because it is in an
   * array column.
   */
  place(path: readonly string[]): Place {
    const name = path.join('\0')
    const known = this.#places.get(name) ?? this.#placeOf(path)
    this.#places.set(name, known)
    return known
  }

  #placeOf(path: readonly string[]): Place {
    const [first = '', ...inner] = path
    const member = this.byName.get(first)
    const shape = this.#definition.shape.at(path)
    if (member !== undefined && member.content.kind === 'scalar' && inner.length === 0) {
      return columnPlace(member.sql, member.column, member.content.type, !member.notNull)
    }
    if (shape !== undefined && member?.content.kind === 'json')
      return jsonPlace(member.sql, member.content.cast, inner, shape)
    if (shape !== undefined && member === undefined && this.rest?.kind === 'json')
      return jsonPlace(this.#restSql, this.rest.cast, path, shape)
    throw new ConfigurationError(
      'store-unfit',
      `"${path.join('.')}" of "${this.#definition.collection}" cannot be compared in the store: it is ` +
        'neither a column of a scalar type nor a scalar in a JSON column.',
    )
  }

  /** The column that holds the member at a path, and the rest of the path within that column. */
  holder(path: readonly string[]): {
    readonly content: Content
    readonly sql: string
    readonly inner: readonly string[]
  } {
    const [first = '', ...inner] = path
    const member = this.byName.get(first)
    if (member !== undefined) return { content: member.content, sql: member.sql, inner }
    return { content: this.rest ?? { kind: 'json', cast: 'jsonb' }, sql: this.#restSql, inner: path }
  }

  /** SQL of the value at a path, as text for searches. */
  text(path: readonly string[]): string {
    const { content, sql, inner } = this.holder(path)
    return content.kind === 'json' ? textAt(content, sql, inner) : readSql(content, sql)
  }

  /** SQL that is true if the value at a path is null or absent. */
  isNullSql(path: readonly string[]): string {
    const { content, sql, inner } = this.holder(path)
    return isNullAt(content, sql, inner)
  }

  /** The members that are stored in these columns, for the error about a violated constraint. */
  membersOf(columns: readonly (string | null)[]): readonly string[] {
    return this.members.filter(({ column }) => column !== undefined && columns.includes(column)).map(({ name }) => name)
  }

  /** The parts of a key as strings, or `undefined` if no row can have this key. */
  keyTexts(key: unknown): readonly string[] | undefined {
    const parts = this.#definition.key.parts(key as KeyValue)
    const texts: string[] = []
    for (let i = 0; i < this.key.length; i++) {
      const member = this.key[i] as Member
      const part = parts[i]
      if (part === undefined || part === null || faultOf(member.content, part) !== undefined) return undefined
      const { canonical, labelFault } = member.content.kind === 'scalar' ? member.content.type : noSpelling
      // Keys are compared literally, so a key that is not in the canonical spelling finds no row.
      // If the schema declares a format with a canonical spelling, the key has already been
      // converted to this spelling (PATH-11).
      if (canonical !== undefined && !this.#formatted.has(member.name) && canonicalOf(member.content, part) !== part)
        return undefined
      // The enumeration did not have this label when the catalog was read. A statement with an
      // unknown label would fail.
      if (labelFault !== undefined && labelFaultOf(member.content, part) !== undefined) return undefined
      texts.push(encode(member.content, part))
    }
    return texts
  }
}

/**
 * Only for the type checker: each member of a key is a scalar, so `keyTexts` never uses this
 * object.
 */
const noSpelling: { readonly canonical?: undefined; readonly labelFault?: undefined } = {}
