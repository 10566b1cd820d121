/** How a resource lies in its table: compiled once from the definition, the options and what the database says of itself. */

import type { KeyValue } from '../../../definition/key.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import { valueFormat } from '../../../definition/value-formats.js'
import { ConfigurationError } from '../../../problem.js'
import type { Cells } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { quote, row } from '../sql/sql.js'
import {
  type Content,
  canonicalOf,
  columnPlace,
  encode,
  faultOf,
  inexactSql,
  jsonPlace,
  labelFaultOf,
  nothingAt,
  type Place,
  readSql,
  textAt,
} from '../values/places.js'
import type { Relation } from './catalog.js'
import { restContent } from './column-content.js'
import { contentTexts, type Member, noKeyColumn, unchanging } from './columns.js'
import { membersOf } from './members.js'
import { compileRecord, decoderOf } from './records.js'

export class Layout {
  readonly members: readonly Member[]
  readonly byName: ReadonlyMap<string, Member>
  /** The column of the members that have none, if there is one, and what it holds. */
  readonly restName: string | undefined
  readonly rest: Content | undefined
  readonly key: readonly Member[]
  /** What the team may not expect of its columns. */
  readonly warnings: readonly string[]
  /** The same of members that no statement writes, where there are writes. */
  readonly unwritten: readonly string[]
  /** The select list of a record. */
  readonly selection: string
  /** The names of its columns. */
  readonly names: readonly string[]
  /** An assignment that changes nothing, where a column takes one: identities may be `GENERATED ALWAYS`. */
  readonly unchanging: string | undefined
  /**
   * SQL that is true of a row that may hold more than its record shows, so that a record that is
   * written over it unseen would lose something. `undefined` where no row can.
   */
  readonly inexact: string | undefined
  /** SQL of the texts by which a record differs from another, as far as the table itself holds them. */
  readonly content: readonly string[]
  /** What makes a value of each member's text that is not null; `undefined` where the text is the value. */
  readonly decoders: readonly (((text: string) => unknown) | undefined)[]
  /** The record of a row of `selection`. */
  readonly record: (cells: Cells) => Record<string, unknown>
  /** What was asked for once is asked for again. */
  readonly #places = new Map<string, Place>()
  readonly #definition: ResourceDefinition
  readonly #embedded: boolean
  /** The members of the key whose format the schema says. */
  readonly #formatted: ReadonlySet<string>

  /** `table` is what is written, `source` what is read; often they are the same. Throws `ConfigurationError` with every fix at once. */
  constructor(
    definition: ResourceDefinition,
    options: PostgresAdapterOptions,
    table: Relation,
    source: Relation,
    embedded = false,
  ) {
    this.#definition = definition
    this.#embedded = embedded
    this.restName = options.rest
    this.#formatted = new Set(
      definition.key.members.filter((name) => valueFormat(definition.shape.members.get(name)) !== undefined),
    )
    const { members, warnings, unwritten, faults } = membersOf(definition, options, table, source)
    this.members = members
    this.warnings = warnings
    this.unwritten = unwritten
    this.byName = new Map(members.map((member) => [member.name, member]))
    this.rest = options.rest === undefined ? undefined : restContent(options.rest, source, faults)
    this.key = definition.key.members.flatMap((name) => {
      const member = this.byName.get(name)
      if (member?.column === undefined || member.content.kind !== 'scalar')
        faults.push(noKeyColumn(name, definition, options, table))
      else if (member.storeGiven && !definition.assigned.has(name))
        faults.push(
          `"${name}" is never written ({ write: false }), so no POST can give it: name it in "assigned" of the resource`,
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
        'the schema allows members that it does not name: name a jsonb column for them in "rest", or close the schema',
      )
    }
    if (faults.length > 0) {
      throw new ConfigurationError(
        'store-unfit',
        `"${definition.collection}" does not fit its table: ${faults.join('; ')}.`,
      )
    }
  }

  /** The SQL that shows a member as text. */
  read({ content, sql }: Pick<Member, 'content' | 'sql'>): string {
    return readSql(content, sql, this.#embedded)
  }

  member(name: string): Member | undefined {
    return this.byName.get(name)
  }

  get #restSql(): string {
    return `${row}.${quote(this.restName ?? '')}`
  }

  /** Where the scalar at a path lies. Throws `ConfigurationError` where there is none. */
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
      `"${path.join('.')}" of "${this.#definition.collection}" can not be compared in the store: it lies in an array column.`,
    )
  }

  /** What holds the member at a path, and the path within. */
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

  /** What stands at a path, as text to be searched. */
  text(path: readonly string[]): string {
    const { content, sql, inner } = this.holder(path)
    return content.kind === 'json' ? textAt(content, sql, inner) : readSql(content, sql)
  }

  /** Whether there is nothing at a path. */
  nothing(path: readonly string[]): string {
    const { content, sql, inner } = this.holder(path)
    return nothingAt(content, sql, inner)
  }

  /** The members that a column, or several, stand for: what a constraint of the database is about. */
  membersOf(columns: readonly (string | null)[]): readonly string[] {
    return this.members.filter(({ column }) => column !== undefined && columns.includes(column)).map(({ name }) => name)
  }

  /** The texts of a key's parts, or `undefined` where no row can have this key. */
  keyTexts(key: unknown): readonly string[] | undefined {
    const parts = this.#definition.key.parts(key as KeyValue)
    const texts: string[] = []
    for (let i = 0; i < this.key.length; i++) {
      const member = this.key[i] as Member
      const part = parts[i]
      if (part === undefined || part === null || faultOf(member.content, part) !== undefined) return undefined
      const { canonical, labelFault } = member.content.kind === 'scalar' ? member.content.type : noSpelling
      // An id is compared as it is written, unless the schema gives it a format: then it is canonical here (PATH-11).
      if (canonical !== undefined && !this.#formatted.has(member.name) && canonicalOf(member.content, part) !== part)
        return undefined
      // The statement of such a key would fail.
      if (labelFault !== undefined && labelFaultOf(member.content, part) !== undefined) return undefined
      texts.push(encode(member.content, part))
    }
    return texts
  }
}

/** What holds no single text. */
const noSpelling: { readonly canonical?: undefined; readonly labelFault?: undefined } = {}
