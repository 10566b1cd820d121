/** How a resource lies in its table: compiled once from the definition, the options and what the database says of itself. */

import { isDeepStrictEqual } from 'node:util'
import { get, own } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { valueFormat } from '../../definition/value-formats.js'
import { ConfigurationError } from '../../problem.js'
import type { Relation } from './catalog.js'
import type { Cells } from './client.js'
import {
  columnNames,
  columnWarning,
  contentTexts,
  ignoredWarning,
  type Member,
  memberOf,
  noKeyColumn,
  restContent,
  unchanging,
} from './columns.js'
import type { PostgresAdapterOptions } from './options.js'
import {
  type Content,
  canonicalOf,
  castOf,
  columnPlace,
  encode,
  type Fault,
  faultOf,
  inexactSql,
  jsonPlace,
  labelFaultOf,
  nothingAt,
  type Place,
  readSql,
  textAt,
} from './places.js'
import { compileRecord } from './records.js'
import { quote, row } from './sql.js'

export type Values = Readonly<Record<string, unknown>>

export class Layout {
  readonly members: readonly Member[]
  /** The column of the members that have none, if there is one. */
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
  /** The record of a row of `selection`. */
  readonly record: (cells: Cells) => Record<string, unknown>
  /** What was asked for once is asked for again. */
  readonly #places = new Map<string, Place>()
  readonly #byName: ReadonlyMap<string, Member>
  readonly #definition: ResourceDefinition
  readonly #embedded: boolean
  readonly #restName: string | undefined
  /** The members of the key whose format the schema says. */
  readonly #formatted: ReadonlySet<string>

  /** `table` is what is written, `source` what is read; often they are the same. Throws `ConfigurationError` with every fix at once. */
  constructor(definition: ResourceDefinition, options: PostgresAdapterOptions, table: Relation, source: Relation, embedded = false) {
    this.#definition = definition
    this.#embedded = embedded
    this.#restName = options.rest
    this.#formatted = new Set(definition.key.members.filter((name) => valueFormat(definition.shape.members.get(name)) !== undefined))
    const faults: string[] = []
    const warnings: string[] = []
    const unwritten: string[] = []
    const members: Member[] = []
    const names = columnNames(definition, options)
    const columnOf = (name: string): string => names.get(name)?.column ?? name
    for (const [name, named] of names) {
      const isKey = definition.key.members.includes(name)
      const member = memberOf(name, named, definition.shape.members.get(name), table, source, options, isKey, faults)
      if (member !== undefined) members.push(member)
      const column = named.expression === undefined ? source.columns.get(named.column) : undefined
      const warning = column && columnWarning(name, column, definition.shape.members.get(name))
      if (warning !== undefined) warnings.push(`In "${definition.collection}", ${warning}`)
      const ignored = member && ignoredWarning(member, definition.shape.members.get(name), isKey)
      if (ignored !== undefined) unwritten.push(`In "${definition.collection}", ${ignored}`)
    }
    const columns = new Map<string, string>()
    for (const { name, column } of members) {
      const other = column === undefined ? undefined : columns.get(column)
      if (other !== undefined)
        faults.push(`"${other}" and "${name}" would both lie in the column "${column}": name one of them in "columns"`)
      if (column !== undefined) columns.set(column, name)
    }
    this.members = members
    this.warnings = warnings
    this.unwritten = unwritten
    this.#byName = new Map(members.map((member) => [member.name, member]))
    this.rest = options.rest === undefined ? undefined : restContent(options.rest, source, faults)
    this.key = definition.key.members.flatMap((name) => {
      const member = this.#byName.get(name)
      if (member?.column === undefined || member.content.kind !== 'scalar') faults.push(noKeyColumn(name, columnOf(name), table))
      else if (member.storeGiven && !definition.assigned.has(name))
        faults.push(`"${name}" is never written ({ write: false }), so no POST can give it: name it in "assigned" of the resource`)
      return member === undefined ? [] : [member]
    })
    this.unchanging = unchanging(members, this.key)
    const read = members.map((member) => this.read(member))
    if (this.rest !== undefined) read.push(readSql(this.rest, this.#restSql))
    this.content = contentTexts(definition, options, table, members)
    if (this.rest !== undefined && table.columns.has(options.rest ?? ''))
      this.content = [...this.content, readSql(this.rest, this.#restSql)]
    const inexact = members.map((member) => member.inexact)
    if (this.rest !== undefined && table.columns.has(options.rest ?? '')) inexact.push(inexactSql(this.rest, this.#restSql))
    this.inexact = inexact.filter((sql) => sql !== undefined).join(' OR ') || undefined
    this.names = read.map((_, i) => `c${i}`)
    this.record = compileRecord(members, this.rest !== undefined)
    this.selection = read.map((sql, i) => `${sql} AS c${i}`).join(', ')
    if (definition.shape.hasOthers && options.rest === undefined && definition.shape.open) {
      faults.push('the schema allows members that it does not name: name a jsonb column for them in "rest", or close the schema')
    }
    if (faults.length > 0) {
      throw new ConfigurationError('store-unfit', `"${definition.collection}" does not fit its table: ${faults.join('; ')}.`)
    }
  }

  /** The SQL that shows a member as text. */
  read({ content, sql }: Pick<Member, 'content' | 'sql'>): string {
    return readSql(content, sql, this.#embedded)
  }

  member(name: string): Member | undefined {
    return this.#byName.get(name)
  }

  /** Whether a row's record says all that the row holds at a path. */
  faithful(found: Cells, path: readonly string[]): boolean {
    const i = this.members.findIndex((member) => member.name === path[0])
    const { content } = this.members[i] ?? {}
    // A number of JSON with as many digits may have had more.
    if (content?.kind !== 'scalar' && content?.kind !== 'array') {
      const value = get(this.record(found), path)
      return typeof value !== 'number' || String(value).replace(/[-.]|e.*$/g, '').length < 16
    }
    const text = found[i]
    return content?.kind !== 'scalar' || text === null || text === undefined || content.type.faithful(text)
  }

  /**
   * The columns and values that store a record, or why they can't. Members without a value are left out of `given`, and null otherwise. What is as it was `before` is left
   * alone: the column may hold more than the record says.
   */
  stored(
    value: Values,
    given: 'complete' | 'given',
    before?: Values,
  ): { readonly columns: readonly StoredColumn[] } | { readonly fault: Fault } {
    const columns: StoredColumn[] = []
    for (const member of this.members) {
      if (member.column === undefined) continue
      const part = own(value, member.name)
      if (member.storeGiven && given === 'given') {
        if (part != null) return { fault: { path: [member.name], why: 'is given by the store: leave it out' } }
        continue
      }
      if (before !== undefined && isSame(part ?? null, own(before, member.name) ?? null)) continue
      if (part === undefined || part === null) {
        // What the database fills in by itself is not overwritten with nothing.
        if (given === 'complete' || (part === null && !(member.hasDefault && member.notNull)))
          columns.push({ member, column: member.column, text: null, cast: castOf(member.content) })
        continue
      }
      const fault = faultOf(member.content, part)
      if (fault !== undefined) return { fault: { path: [member.name, ...fault.path], why: fault.why } }
      columns.push({ member, column: member.column, text: encode(member.content, part), cast: castOf(member.content) })
    }
    const others = this.#others(value)
    if (this.rest !== undefined && this.#restName !== undefined) {
      const rest = Object.fromEntries(others)
      if (before !== undefined && isDeepStrictEqual(rest, Object.fromEntries(this.#others(before)))) return { columns }
      const fault = faultOf(this.rest, rest)
      if (fault !== undefined) return { fault }
      columns.push({ member: undefined, column: this.#restName, text: JSON.stringify(rest), cast: castOf(this.rest) })
    } else if (others[0] !== undefined) {
      return { fault: { path: [others[0][0]], why: 'has no place in the store' } }
    }
    return { columns }
  }

  /** The members that have no column. */
  #others(value: Values): readonly (readonly [name: string, part: unknown])[] {
    return Object.entries(value).filter(([name, part]) => part !== undefined && !this.#byName.has(name))
  }

  /** A record whose values every such table takes, as far as their types go. */
  sample(): Record<string, unknown> {
    return Object.fromEntries(
      this.members.flatMap(({ name, column, storeGiven, content }) => {
        if (column === undefined || storeGiven) return []
        return [[name, content.kind === 'scalar' ? content.type.samples[0] : content.kind === 'array' ? [] : {}]]
      }),
    )
  }

  get #restSql(): string {
    return `${row}.${quote(this.#restName ?? '')}`
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
    const member = this.#byName.get(first)
    const shape = this.#definition.shape.at(path)
    if (member !== undefined && member.content.kind === 'scalar' && inner.length === 0) {
      return columnPlace(member.sql, member.column, member.content.type, !member.notNull)
    }
    if (shape !== undefined && member?.content.kind === 'json') return jsonPlace(member.sql, member.content.cast, inner, shape)
    if (shape !== undefined && member === undefined && this.rest?.kind === 'json')
      return jsonPlace(this.#restSql, this.rest.cast, path, shape)
    throw new ConfigurationError(
      'store-unfit',
      `"${path.join('.')}" of "${this.#definition.collection}" can not be compared in the store: it lies in an array column.`,
    )
  }

  /** What holds the member at a path, and the path within. */
  holder(path: readonly string[]): { readonly content: Content; readonly sql: string; readonly inner: readonly string[] } {
    const [first = '', ...inner] = path
    const member = this.#byName.get(first)
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

  /** The members of a record that hold a label which their enumeration had not when described. */
  labelFaults(value: unknown): readonly Fault[] {
    return this.members.flatMap(({ name, content }) => {
      const fault = labelFaultOf(content, own(value, name))
      return fault === undefined ? [] : [{ ...fault, path: [name] }]
    })
  }

  /** The texts of a key's parts, or `undefined` where no row can have this key. */
  keyTexts(key: unknown): readonly string[] | undefined {
    const parts = this.#definition.key.parts(key as KeyValue)
    const texts: string[] = []
    for (const [i, member] of this.key.entries()) {
      const part = parts[i]
      if (part === undefined || part === null || faultOf(member.content, part) !== undefined) return undefined
      // An id is compared as it is written, unless the schema gives it a format: then it is canonical here (PATH-11).
      if (!this.#formatted.has(member.name) && canonicalOf(member.content, part) !== part) return undefined
      // The statement of such a key would fail.
      if (labelFaultOf(member.content, part) !== undefined) return undefined
      texts.push(encode(member.content, part))
    }
    return texts
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other))

/** A column with what is written to it. */
export interface StoredColumn {
  readonly member: Member | undefined
  readonly column: string
  readonly text: string | null
  readonly cast: string
}
