/**
 * Maps members to columns, and checks whether the columns fit: compares the options with the
 * catalog.
 */
import { own } from '../../../definition/json.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Shape } from '../../../definition/shape.js'
import { didYouMean, nearMiss } from '../../../near-miss.js'
import type { ColumnOptions, PostgresAdapterOptions } from '../options/options.js'
import { snakeCase } from '../options/snake-case.js'
import { quote, row } from '../sql/sql.js'
import type { ColumnType } from '../values/column-type.js'
import { type Content, castOf, inexactSql, readSql } from '../values/places.js'
import type { CatalogColumn, Relation } from './catalog.js'
import { castTo, computedContent, contentOf } from './column-content.js'

/** A member of the record with its own column or expression. */
export interface Member {
  readonly name: string
  readonly content: Content
  /** The type that its values are cast to. */
  readonly cast: string
  /** The SQL of its value when it is read. */
  readonly sql: string
  /** The column that it is written to. */
  readonly column: string | undefined
  /** The quoted name of that column. */
  readonly quoted: string
  /**
   * Whether no update sets the column: it is a part of the key, or a `GENERATED ALWAYS` identity
   * that is readOnly, which only the database may set. (If such an identity is not readOnly,
   * `ready()` refuses the table.)
   */
  readonly lasting: boolean
  /**
   * Whether only the database sets the column: a member of the key with `{ write: false }`.
   * Statements compare the column but never set it.
   */
  readonly storeGiven: boolean
  /**
   * Whether the column is `GENERATED ALWAYS`: the database sets it, and accepts other values only
   * with OVERRIDING SYSTEM VALUE.
   */
  readonly always: boolean
  /** Whether different texts of the column can compare as equal, for example in different case. */
  readonly blind: boolean
  /** Whether the database sets the column if an insert omits it. */
  readonly hasDefault: boolean
  readonly nullable: boolean
  readonly notNull: boolean
  /**
   * Whether its value is computed when it is read: by an expression, or in a virtual generated
   * column.
   */
  readonly computed: boolean
  /** SQL that is true if the column may hold more than is shown; `undefined` if it can't. */
  readonly inexact: string | undefined
}

/** The options of a member's column. */
interface Named extends ColumnOptions {
  readonly column: string
}

/** The columns that the options name, before the catalog is read. */
export function columnNames(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
): ReadonlyMap<string, Named> {
  const { naming = 'snake_case', columns = {} } = options
  const named = naming === 'snake_case' ? snakeCase : naming === 'same' ? (member: string) => member : naming
  const names = new Map<string, Named>()
  for (const member of new Set([...definition.shape.members.keys(), ...Object.keys(columns)])) {
    const given = own(columns, member) as string | ColumnOptions | undefined
    const details = typeof given === 'string' ? { column: given } : (given ?? {})
    names.set(member, { ...details, column: details.column ?? named(member) })
  }
  return names
}

/** A member with its definition and options. */
export interface Asked {
  readonly name: string
  readonly named: Named
  readonly shape: Shape | undefined
  readonly isKey: boolean
}

/** The catalog's descriptions: `table` is written, `source` is read. */
export interface Relations {
  readonly table: Relation
  readonly source: Relation
  /** Whether members without their own column are stored in a common one. */
  readonly hasRest: boolean
}

/**
 * A member as the database stores it. `undefined` if it has no column and needs none. Otherwise the
 * reason why it can't be stored.
 */
export function memberOf(asked: Asked, relations: Relations): Member | { readonly fault: string } | undefined {
  const { name, named } = asked
  if (named.expression !== undefined) return computedMember(asked, named.expression)
  const column = relations.source.columns.get(named.column)
  if (column !== undefined) return columnMember(asked, column, relations.table.columns.get(named.column))
  return relations.hasRest ? undefined : { fault: missing(name, named.column, relations.source) }
}

function computedMember({ name, shape }: Asked, expression: string): Member | { readonly fault: string } {
  const content = computedContent(shape)
  if (content === undefined) return { fault: `"${name}" is computed and has no single type: give it one in the schema` }
  return {
    name,
    content,
    cast: castOf(content),
    sql: castTo(expression, shape),
    column: undefined,
    quoted: '',
    lasting: false,
    storeGiven: false,
    always: false,
    blind: false,
    hasDefault: false,
    nullable: shape?.nullable ?? true,
    notNull: false,
    computed: true,
    inexact: undefined,
  }
}

/** `column` is the column that is read, `written` the column of that name in the table. */
function columnMember(
  { name, named, shape, isKey }: Asked,
  column: CatalogColumn,
  written: CatalogColumn | undefined,
): Member | { readonly fault: string } {
  const found = contentOf(column, shape)
  if (typeof found === 'string') return { fault: `"${name}" ${found}` }
  const content = isKey ? asKey(found) : found
  const settable = written !== undefined && !written.generated
  const always = written?.identity === 'a'
  const sql = `${row}.${quote(named.column)}`
  // A view may show a column of the table with another type.
  const isWritten = settable && !isKey && named.write !== false && written.type === column.type
  return {
    name,
    content,
    cast: castOf(content),
    sql,
    column: settable && (named.write !== false || isKey) ? named.column : undefined,
    quoted: quote(named.column),
    lasting: isKey || (always && shape?.readOnly === true),
    storeGiven: isKey && settable && named.write === false,
    always,
    blind: column.blind,
    hasDefault: written !== undefined && (written.default !== null || written.identity !== ''),
    nullable: shape?.nullable ?? true,
    notNull: column.notNull,
    computed: column.virtual,
    inexact: isWritten ? inexactSql(content, sql) : undefined,
  }
}

function missing(name: string, column: string, source: Relation): string {
  const columns = [...source.columns.keys()]
  return `"${name}" has no column "${column}". ${didYouMean(nearMiss(column, columns), columns)} Name it in "columns" or set "naming"`
}

/**
 * A key is never null: a number that a double rounds is shown rounded, and identifies no record.
 * The team is warned about such columns.
 */
const asKey = (content: Content): Content =>
  content.kind === 'scalar' && content.type.cast === 'bigint' && content.type.holds.includes('integer')
    ? { kind: 'scalar', type: withoutNull(content.type) }
    : content

const withoutNull = ({ unshown: _, ...type }: ColumnType): ColumnType => ({ ...type, decode: Number })

/**
 * An assignment that changes nothing. Prefers columns outside the key, because a role may lack the
 * privilege to update keys.
 */
export function unchanging(members: readonly Member[], key: readonly Member[]): string | undefined {
  const takes = ({ column, always, storeGiven }: Member): boolean => column !== undefined && !always && !storeGiven
  const found = members.find((member) => takes(member) && !key.includes(member)) ?? key.find(takes)
  return found && `${quote(found.column as string)} = ${found.sql}`
}

/** Why a member of the key has no usable column, with the fix. */
export function noKeyColumn(
  name: string,
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  { columns }: Relation,
): string {
  const column = columnNames(definition, options).get(name)?.column ?? name
  if (columns.get(column)?.generated !== true) return `the key member "${name}" needs a column of its own`
  return `the key member "${name}" is stored in the generated column "${column}", which changes with the columns it is computed from. Name a column in "key" that does not change`
}

/**
 * SQL of the texts that distinguish one record from another: those of the shown members that the
 * table stores. Computed values are not included.
 */
export function contentTexts(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  table: Relation,
  members: readonly Member[],
): readonly string[] {
  const named = columnNames(definition, options)
  const { shape } = definition
  return members.flatMap(({ name, content, sql }) => {
    const { column = '', expression } = named.get(name) ?? {}
    const shown = shape.members.has(name) || shape.open
    return shown && expression === undefined && table.columns.has(column) ? [readSql(content, sql)] : []
  })
}
