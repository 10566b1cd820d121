/**
 * Maps members to columns. Compares the options with the catalog, to check that each column suits
 * its member.
 */
import { own } from '../../../definition/json.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Shape } from '../../../definition/shape.js'
import { didYouMean, nearMiss } from '../../../near-miss.js'
import type { ColumnOptions, PostgresAdapterOptions } from '../options/options.js'
import { snakeCase } from '../options/snake-case.js'
import { quote, rowAlias } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import type { ColumnType } from '../values/column-type.js'
import { type Content, castOf, inexactSql, readSql } from '../values/places.js'
import type { CatalogColumn, Relation } from './catalog.js'
import { castTo, computedContent, contentOf } from './column-content.js'
import type { ExpressionTypes } from './expression-types.js'

/** A member that has a column or an expression of its own. */
export interface Member {
  readonly name: string
  readonly content: Content
  /** The SQL type that values of the member are cast to. */
  readonly cast: string
  /** The SQL expression that reads the value. */
  readonly sql: string
  /**
   * The member's column, if statements write the member or if the member is part of the key.
   * Otherwise `undefined`.
   */
  readonly column: string | undefined
  /** The quoted name of the member's column. `''` for a member with an expression. */
  readonly quoted: string
  /**
   * Whether no update sets the column. True for a part of the key, and for a `GENERATED ALWAYS`
   * identity column whose member is readOnly. PostgreSQL refuses updates that set such an identity
   * column to a value.
   */
  readonly neverUpdated: boolean
  /**
   * Whether only the database sets the column: it is a part of the key with the option `{ write:
   * false }`. Statements compare the column but never set it.
   */
  readonly setByDatabase: boolean
  /**
   * Whether the column is a `GENERATED ALWAYS` identity column. The database sets its value, and
   * accepts other values only with OVERRIDING SYSTEM VALUE.
   */
  readonly always: boolean
  /**
   * Whether values that are shown as different strings can compare as equal, for example `a` and
   * `A`, or the intervals `P1M` and `P30D`.
   */
  readonly foldsTexts: boolean
  /**
   * Whether the database fills the column if an insert omits it: the column has a default or is an
   * identity column.
   */
  readonly hasDefault: boolean
  /** Whether the schema allows null. */
  readonly nullable: boolean
  /** Whether the column is NOT NULL. */
  readonly notNull: boolean
  /**
   * Whether the value is computed when it is read: by an expression, or in a virtual generated
   * column.
   */
  readonly computed: boolean
  /**
   * SQL that is true for a row if the column may hold more than the record shows. For example, a
   * large number is shown rounded or as null. `undefined` if there can be no such row, if no update
   * writes the column, or if a view shows the column with another type.
   */
  readonly inexact: string | undefined
}

/** The options of a member's column. */
interface Named extends ColumnOptions {
  readonly column: string
}

/**
 * The name and options of each member's column, from the definition and the options. The table may
 * lack the column.
 */
export function columnNames(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
): ReadonlyMap<string, Named> {
  const { naming = 'snake_case', columns = {} } = options
  const named = naming === 'snake_case' ? snakeCase : naming === 'same' ? (member: string) => member : naming
  const names = new Map<string, Named>()
  const faults: string[] = []
  for (const member of new Set([...definition.shape.members.keys(), ...Object.keys(columns)])) {
    const given = own(columns, member) as string | ColumnOptions | undefined
    const details = typeof given === 'string' ? { column: given } : (given ?? {})
    const column: unknown = details.column ?? named(member)
    if (typeof column === 'string' && column !== '') names.set(member, { ...details, column })
    // A computed member, and a member in the column of the option `rest`, need no column.
    else if (details.expression !== undefined || options.rest !== undefined)
      names.set(member, { ...details, column: '' })
    else faults.push(`${column === '' ? 'an empty string' : `a value of type ${typeof column}`} for "${member}"`)
  }
  if (faults.length > 0) {
    throw unfit(
      `the function "naming" returns ${faults.join(', ')}. Return the name of the member's column, or name the ` +
        'column in "columns"',
    )
  }
  return names
}

/** A member with its schema and its column options. */
export interface Asked {
  readonly name: string
  readonly named: Named
  readonly shape: Shape | undefined
  readonly isKey: boolean
}

/**
 * The catalog's descriptions of the relation that is written to (`table`) and of the relation that
 * is read from (`source`).
 */
export interface Relations {
  readonly table: Relation
  readonly source: Relation
  readonly expressions: ExpressionTypes
  /** Whether the option `rest` names a column for the members without a column of their own. */
  readonly hasRest: boolean
}

/**
 * Returns a member as the database stores it. Returns `undefined` if the member is stored in the
 * `rest` column. If the member can't be stored, returns the reason as `fault`.
 */
export function memberOf(asked: Asked, relations: Relations): Member | { readonly fault: string } | undefined {
  const { name, named } = asked
  if (named.expression !== undefined) return computedMember(asked, named.expression, relations.expressions.get(name))
  const column = relations.source.columns.get(named.column)
  if (column !== undefined) return columnMember(asked, column, relations.table.columns.get(named.column))
  return relations.hasRest ? undefined : { fault: missing(name, named.column, relations.source) }
}

function computedMember(
  { name, shape }: Asked,
  expression: string,
  type: string | undefined,
): Member | { readonly fault: string } {
  const content = computedContent(shape, type)
  if (content === undefined) return { fault: `"${name}" is computed and has no single type: give it one in the schema` }
  return {
    name,
    content,
    cast: castOf(content),
    sql: castTo(expression, shape),
    column: undefined,
    quoted: '',
    neverUpdated: false,
    setByDatabase: false,
    always: false,
    foldsTexts: false,
    hasDefault: false,
    nullable: shape?.nullable ?? true,
    notNull: false,
    computed: true,
    inexact: undefined,
  }
}

/**
 * A member with a column of its own. `column` is the column that is read. `written` is the column
 * of the same name in the table that is written to.
 */
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
  const sql = `${rowAlias}.${quote(named.column)}`
  // A view may show a column of the table with another type.
  const isWritten = settable && !isKey && named.write !== false && written.type === column.type
  return {
    name,
    content,
    cast: castOf(content),
    sql,
    column: settable && (named.write !== false || isKey) ? named.column : undefined,
    quoted: quote(named.column),
    neverUpdated: isKey || (always && shape?.readOnly === true),
    setByDatabase: isKey && settable && named.write === false,
    always,
    foldsTexts: column.foldsTexts || (content.kind === 'scalar' && content.type.shownAs !== undefined),
    hasDefault: written !== undefined && (written.default !== null || written.identity !== ''),
    nullable: shape?.nullable ?? true,
    notNull: column.notNull,
    computed: column.virtual,
    inexact: isWritten ? inexactSql(content, sql) : undefined,
  }
}

function missing(name: string, column: string, source: Relation): string {
  const columns = [...source.columns.keys()]
  return (
    `"${name}" has no column "${column}". ${didYouMean(nearMiss(column, columns), columns, 'The columns are')} Name the column ` +
    'in "columns", or set "naming"'
  )
}

/**
 * The content of a column of the key. Outside the key, a `bigint` beyond the safe-integer range is
 * shown as null. A key can't be null, so a key shows such a number rounded. A request with the
 * rounded number finds no record.
 */
const asKey = (content: Content): Content =>
  content.kind === 'scalar' && content.type.cast === 'bigint' && content.type.holds.includes('integer')
    ? { kind: 'scalar', type: withoutNull(content.type) }
    : content

const withoutNull = ({ unshown: _, ...type }: ColumnType): ColumnType => ({ ...type, decode: Number })

/**
 * Returns the SQL of an assignment of a column to itself, which changes nothing. Prefers columns
 * outside the key, because a role may lack the privilege to update keys.
 */
export function unchanging(members: readonly Member[], key: readonly Member[]): string | undefined {
  const takes = ({ column, always, setByDatabase }: Member): boolean =>
    column !== undefined && !always && !setByDatabase
  const found = members.find((member) => takes(member) && !key.includes(member)) ?? key.find(takes)
  return found && `${quote(found.column as string)} = ${found.sql}`
}

/** The message that says why a member of the key has no usable column, and how to fix it. */
export function noKeyColumn(
  name: string,
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  { columns }: Relation,
): string {
  const { column = name, expression } = columnNames(definition, options).get(name) ?? {}
  const found = expression === undefined ? columns.get(column) : undefined
  if (found === undefined) return `the key member "${name}" needs a column of its own in the table`
  if (!found.generated)
    return (
      `the key member "${name}" is stored in "${column}", a ${found.type}, whose values can't be compared with the ids ` +
      'in paths. Give the column a type such as text, bigint or uuid'
    )
  return (
    `the key member "${name}" is stored in the generated column "${column}", which changes with the columns it is ` +
    'computed from. Name a member in "key" whose column does not change'
  )
}

/**
 * The SQL expressions for the content of a record: one expression for each shown member that is
 * stored in a column of the table.
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
