/** Which column holds which member, and whether it can: what the options name, held against what the database says. */
import { own } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import type { Shape } from '../../definition/shape.js'
import { valueFormat } from '../../definition/value-formats.js'
import { didYouMean, nearMiss } from '../../near-miss.js'
import type { CatalogColumn, Relation } from './catalog.js'
import type { ColumnType } from './column-type.js'
import { columnType } from './column-types.js'
import { type ColumnOptions, type PostgresAdapterOptions, snakeCase } from './options.js'
import { type Content, inexactSql, readSql } from './places.js'
import { quote, row } from './sql.js'

/** A member of the record with a column, or an expression, of its own. */
export interface Member {
  readonly name: string
  readonly content: Content
  /** The SQL of its value in what is read. */
  readonly sql: string
  /** The column it is written to. */
  readonly column: string | undefined
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
  /** SQL that is true where the column may hold more than is shown of it; `undefined` where it can't. */
  readonly inexact: string | undefined
}

/** What an option says of a member's column. */
interface Named extends ColumnOptions {
  readonly column: string
}

/** What a resource's options say of columns, before the database is asked. */
export function columnNames(definition: ResourceDefinition, options: PostgresAdapterOptions): ReadonlyMap<string, Named> {
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

/** A member as the database has it; `undefined`, perhaps with a fault, where it has no column. */
export function memberOf(
  name: string,
  named: Named,
  shape: Shape | undefined,
  table: Relation,
  source: Relation,
  options: PostgresAdapterOptions,
  isKey: boolean,
  faults: string[],
): Member | undefined {
  const nullable = shape?.nullable ?? true
  if (named.expression !== undefined) {
    const content = computedContent(shape)
    if (content === undefined) {
      faults.push(`"${name}" is computed and has no single type: give it one in the schema`)
      return undefined
    }
    return {
      name,
      content,
      sql: castTo(named.expression, shape),
      column: undefined,
      storeGiven: false,
      always: false,
      blind: false,
      hasDefault: false,
      nullable,
      notNull: false,
      inexact: undefined,
    }
  }
  const column = source.columns.get(named.column)
  if (column === undefined) {
    if (options.rest === undefined) faults.push(missing(name, named.column, source))
    return undefined
  }
  const written = table.columns.get(named.column)
  const found = contentOf(column, shape)
  if (typeof found === 'string') {
    faults.push(`"${name}" ${found}`)
    return undefined
  }
  const content = isKey ? asKey(found) : found
  const settable = written !== undefined && !written.generated
  const storeGiven = isKey && settable && named.write === false
  const sql = `${row}.${quote(named.column)}`
  // A view may show a column of the table as another type.
  const isWritten = settable && !isKey && named.write !== false && written.type === column.type
  return {
    name,
    content,
    sql,
    column: settable && (named.write !== false || isKey) ? named.column : undefined,
    storeGiven,
    always: written?.identity === 'a',
    blind: column.blind,
    hasDefault: written !== undefined && (written.default !== null || written.identity !== ''),
    nullable,
    notNull: column.notNull,
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

/** What a column holds of a member, or why it can't. */
function contentOf(column: CatalogColumn, shape: Shape | undefined): Content | string {
  const { type } = column
  if (type === 'jsonb' || type === 'json') return { kind: 'json', cast: type }
  if (type.endsWith('[]')) {
    const item = columnType(type.slice(0, -2), column.labels ?? undefined, shape?.items)
    if (item === undefined) return `lies in "${column.name}", a ${type}: such arrays can't be read as JSON. Use jsonb`
    if (shape !== undefined && !shape.isArray) return `is no list, but its column "${column.name}" is a ${type}`
    const why = misfitOf(item, shape?.items, column)
    return why === undefined ? { kind: 'array', item } : `has items that ${why}`
  }
  const known = columnType(type, column.labels ?? undefined, shape)
  if (known === undefined) {
    return `lies in "${column.name}", a ${type}: there is no JSON for it. Show it by an expression (columns: { member: { expression } }), or change the column's type`
  }
  const strangers = [...(shape?.types ?? [])].filter((kind) => !(known.holds as readonly string[]).includes(kind))
  if (shape !== undefined && shape.types.size === 0)
    return `has no type in the schema, but its column "${column.name}" is a ${type}. Give it one, or use jsonb`
  if (strangers.length > 0) return `may be ${strangers.join(' or ')}, but its column "${column.name}" is a ${type}`
  if (isForeignEnum(column, shape)) return `has an enum without any label of its column "${column.name}", a ${type}: use its labels`
  return misfitOf(known, shape, column) ?? { kind: 'scalar', type: known }
}

/** Whether no value that the schema lists is a label of the column's enumeration. */
const isForeignEnum = ({ labels }: CatalogColumn, shape: Shape | undefined): boolean =>
  labels !== null && shape?.values !== undefined && !labels.some((label) => shape.values?.includes(label))

/** Formats that any text has. */
const open: ReadonlySet<string> = new Set(['binary', 'password'])

/**
 * Why the schema would refuse what the column shows, as the rest of a sentence: every GET would
 * give a record that PUT does not take. `undefined` where it would not.
 */
function misfitOf(
  { formats, width, counts, samples }: ColumnType,
  shape: Shape | undefined,
  { name, type }: CatalogColumn,
): string | undefined {
  if (shape === undefined || !shape.types.has('string')) return undefined
  const { format } = shape
  const lies = `but its column "${name}" is a ${type}`
  const isNumber = counts === true || formats?.includes('decimal') === true
  if (isNumber && (format === undefined || !formats?.includes(format))) {
    const declared = formats?.map((one) => `"${one}"`).join(' or ')
    return `may be string, ${lies}: declare the format ${declared} for numbers as text, or the type number`
  }
  if (format !== undefined && formats !== undefined && !formats.includes(format) && !open.has(format)) {
    const [best] = formats
    const mend = best === undefined ? 'declare no format' : `declare the format "${best}"`
    return `has the format "${format}", ${lies}, which shows ${JSON.stringify(samples[1] ?? samples[0])}: ${mend}, or ${columnFor(format)}`
  }
  const { minLength, maxLength } = shape.node as { readonly minLength?: unknown; readonly maxLength?: unknown }
  if (width === undefined) return undefined
  if (typeof maxLength === 'number' && maxLength < width[0])
    return `has at most ${maxLength} characters, ${lies}, whose texts have ${width[0]} or more: raise maxLength`
  if (typeof minLength === 'number' && minLength > width[1])
    return `has at least ${minLength} characters, ${lies}, whose texts have at most ${width[1]}: lower minLength`
  return undefined
}

/** The types of columns that hold the values of a format. */
const columnsFor: Readonly<Record<string, string>> = {
  'date-time': 'timestamptz',
  'local-date-time': 'timestamp, or text for seven digits',
  'local-time': 'time',
  'iso-time': 'time',
  time: 'timetz',
  date: 'date',
  uuid: 'uuid',
  duration: 'interval',
  ipv4: 'inet',
  ipv6: 'inet',
  byte: 'bytea',
}

const columnFor = (format: string): string => `make the column ${columnsFor[format] ?? 'text'}`

/** What a column means for a member of a format or with listed values, where that is not what it looks like. */
export function columnWarning(member: string, column: CatalogColumn, shape: Shape | undefined): string | undefined {
  if (shape === undefined) return undefined
  const format = valueFormat(shape)
  if (
    format !== undefined &&
    /^(?:text|character varying|character|(?:\w+\.)?citext)\b/.test(column.type) &&
    format.name !== 'local-date-time'
  ) {
    const better = columnsFor[format.name] ?? (format.name === 'int64' ? 'bigint' : 'numeric')
    return `"${member}" has the format "${format.name}", and its column "${column.name}" is a ${column.type}: what others write there in another spelling is found by no filter, and sorts and ranges go by the text. Make the column ${better}.`
  }
  const [, precision] = /^numeric(?:\((\d+),-?\d+\))?$/.exec(column.type) ?? []
  const isNumeric = /^numeric(?:\(\d+,-?\d+\))?$/.test(column.type)
  const hasFractions = /^(?:real|double precision)$/.test(column.type) || (isNumeric && !/,(?:0|-\d+)\)$/.test(column.type))
  if (hasFractions && shape.types.has('integer') && !shape.types.has('number'))
    return `"${member}" is an integer, and its column "${column.name}" is a ${column.type}, which may hold fractions: GET shows them, and PUT refuses them. Declare it as { type: 'number' }, or make the column ${isNumeric ? 'numeric(15,0) or bigint' : 'bigint'}.`
  if (isNumeric && (shape.types.has('number') || shape.types.has('integer')) && (precision === undefined || Number(precision) > 15))
    return `"${member}" is a number, and its column "${column.name}" is a ${column.type}, which holds more digits than a JSON number: what others write there may be shown rounded. Declare it as { type: 'string', format: 'decimal' } where every digit counts.`
  const unlisted = shape.values === undefined ? [] : (column.labels ?? []).filter((label) => !shape.values?.includes(label))
  if (unlisted.length > 0 && !column.type.endsWith('[]'))
    return `"${member}" has an enum without ${unlisted.map((label) => `"${label}"`).join(', ')}, which its column "${column.name}" may hold: GET shows such a record, and PUT refuses it. Add the values to the schema.`
  return undefined
}

/** What becomes of values that clients may send, and that no statement writes. */
export function ignoredWarning({ name, column }: Member, shape: Shape | undefined, isKey: boolean): string | undefined {
  if (column !== undefined || isKey || shape === undefined || shape.readOnly) return undefined
  return `"${name}" is never written: it is computed, or only the database sets it. A value that a client sends is dropped without a word: declare "${name}" as readOnly in the schema, and it is a 422.`
}

/** What an expression gives, as the schema says. */
function computedContent(shape: Shape | undefined): Content | undefined {
  const [type, ...others] = shape?.types ?? []
  if (type === undefined || others.length > 0) return undefined
  if (type === 'object' || type === 'array') return { kind: 'json', cast: 'jsonb' }
  const name = type === 'integer' ? 'bigint' : type === 'number' ? 'double precision' : type === 'boolean' ? 'boolean' : computedText(shape)
  const known = columnType(name, undefined, shape)
  return known && { kind: 'scalar', type: known }
}

/** The type that an expression is cast to, so that it is shown and compared as the values of its format are. */
const computedTypes: Readonly<Record<string, string>> = {
  'date-time': 'timestamp with time zone',
  uuid: 'uuid',
  decimal: 'numeric',
  int64: 'bigint',
}

const castTo = (expression: string, shape: Shape | undefined): string => {
  const type = shape?.types.has('string') ? computedText(shape) : 'text'
  return type === 'text' ? `(${expression})` : `((${expression})::${type})`
}

const computedText = (shape: Shape | undefined): string => computedTypes[shape?.format ?? ''] ?? 'text'

/** The column of the members that have none. */
export function restContent(name: string, source: Relation, faults: string[]): Content | undefined {
  const column = source.columns.get(name)
  if (column?.type === 'jsonb' || column?.type === 'json') return { kind: 'json', cast: column.type }
  faults.push(`"rest" must name a jsonb column, and "${name}" is ${column === undefined ? 'none' : `a ${column.type}`}`)
  return undefined
}

/** An assignment that changes nothing. Columns beside the key come first: a role may have no privilege to update keys. */
export function unchanging(members: readonly Member[], key: readonly Member[]): string | undefined {
  const takes = ({ column, always, storeGiven }: Member): boolean => column !== undefined && !always && !storeGiven
  const found = members.find((member) => takes(member) && !key.includes(member)) ?? key.find(takes)
  return found && `${quote(found.column as string)} = ${found.sql}`
}

/** Why a member of the key can't be one, with the fix. */
export function noKeyColumn(name: string, column: string, { columns }: Relation): string {
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
