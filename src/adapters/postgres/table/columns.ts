/** Which column holds which member, and whether it can: what the options name, held against what the database says. */
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

/** A member of the record with a column, or an expression, of its own. */
export interface Member {
  readonly name: string
  readonly content: Content
  /** The type that its values are cast to. */
  readonly cast: string
  /** The SQL of its value in what is read. */
  readonly sql: string
  /** The column it is written to. */
  readonly column: string | undefined
  /** The same, as an identifier. */
  readonly quoted: string
  /**
   * Whether no update sets the column: a part of the key, or a `GENERATED ALWAYS` identity that is
   * readOnly, which only the database may set. (Where one is not readOnly, `ready()` refuses the
   * table.)
   */
  readonly lasting: boolean
  /**
   * Whether only the database gives the column its value: a member of the key with
   * `{ write: false }`. Statements compare the column, and none sets it.
   */
  readonly storeGiven: boolean
  /** The database gives the column its value, and takes another only when told that it is meant. */
  readonly always: boolean
  /** Texts of the column may be equal and yet differ: in case, say. */
  readonly blind: boolean
  /** The column has a value of its own where none is given. */
  readonly hasDefault: boolean
  readonly nullable: boolean
  readonly notNull: boolean
  /** Its value is computed as it is read: by an expression, or in a virtual generated column. */
  readonly computed: boolean
  /** SQL that is true where the column may hold more than is shown of it; `undefined` where it can't. */
  readonly inexact: string | undefined
}

/** What an option says of a member's column. */
interface Named extends ColumnOptions {
  readonly column: string
}

/** What a resource's options say of columns, before the database is asked. */
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

/** One member, and what the definition and the options say of it. */
export interface Asked {
  readonly name: string
  readonly named: Named
  readonly shape: Shape | undefined
  readonly isKey: boolean
}

/** What the database says: `table` is what is written, `source` what is read. */
export interface Relations {
  readonly table: Relation
  readonly source: Relation
  /** Whether members without a column of their own have a place in another one. */
  readonly hasRest: boolean
}

/** A member as the database has it; `undefined` where it has no column and needs none; or why it can't be one. */
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

/** `column` is what is read, `written` the column of that name in the table. */
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
  // A view may show a column of the table as another type.
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
 * A key is never null: a number that a double rounds stays one, and leads to no record. The team is
 * warned of such columns.
 */
const asKey = (content: Content): Content =>
  content.kind === 'scalar' && content.type.cast === 'bigint' && content.type.holds.includes('integer')
    ? { kind: 'scalar', type: withoutNull(content.type) }
    : content

const withoutNull = ({ unshown: _, ...type }: ColumnType): ColumnType => ({ ...type, decode: Number })

/** An assignment that changes nothing. Columns beside the key come first: a role may have no privilege to update keys. */
export function unchanging(members: readonly Member[], key: readonly Member[]): string | undefined {
  const takes = ({ column, always, storeGiven }: Member): boolean => column !== undefined && !always && !storeGiven
  const found = members.find((member) => takes(member) && !key.includes(member)) ?? key.find(takes)
  return found && `${quote(found.column as string)} = ${found.sql}`
}

/** Why a member of the key can't be one, with the fix. */
export function noKeyColumn(
  name: string,
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  { columns }: Relation,
): string {
  const column = columnNames(definition, options).get(name)?.column ?? name
  if (columns.get(column)?.generated !== true) return `the key member "${name}" needs a column of its own`
  return `the key member "${name}" lies in the generated column "${column}", which changes with the columns it is computed from. Name a column in "key" that stays as it is`
}

/**
 * SQL of the texts by which one record differs from another: of the members that are shown and lie in
 * the table. What is computed as it is read does not.
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
