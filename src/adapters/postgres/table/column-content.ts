/**
 * Determines how a column stores the values of its member, from the SQL type and the schema. For a
 * member with an expression, determines the type of the expression's results.
 */
import type { Shape } from '../../../definition/shape.js'
import type { ColumnType } from '../values/column-type.js'
import { columnType } from '../values/column-types.js'
import type { Content } from '../values/places.js'
import type { CatalogColumn, Relation } from './catalog.js'
import { columnFor } from './format-columns.js'

/**
 * Returns how a column stores the values of a member. If the column is not suitable for the member,
 * returns the reason, phrased as the end of a sentence about the member: `is not a list, but ...`.
 */
export function contentOf(column: CatalogColumn, shape: Shape | undefined): Content | string {
  const { type } = column
  if (type === 'jsonb' || type === 'json') return { kind: 'json', cast: type }
  if (type.endsWith('[]')) {
    const item = columnType(type.slice(0, -2), column.labels ?? undefined, shape?.items)
    if (item === undefined)
      return `is stored in "${column.name}", a ${type}: such arrays can't be read as JSON. Use jsonb`
    if (shape !== undefined && !shape.isArray) {
      return (
        `is not a list, but its column "${column.name}" has the type ${type}: ` +
        'change the type of the member or of the column'
      )
    }
    const why = mismatchOf(item, shape?.items, column)
    return why === undefined ? { kind: 'array', item } : `is a list, and each item ${why}`
  }
  const known = columnType(type, column.labels ?? undefined, shape)
  if (known === undefined) {
    return (
      `is stored in "${column.name}", a ${type}, which has no JSON form. ` +
      `Show the value by an expression (columns: { member: { expression } }), or change the column's type`
    )
  }
  const strangers = [...(shape?.types ?? [])].filter((kind) => !(known.holds as readonly string[]).includes(kind))
  if (shape !== undefined && shape.types.size === 0)
    return (
      `has no type in the schema, but its column "${column.name}" has the type ${type}. ` +
      'Give the member a type, or use jsonb'
    )
  if (strangers.length > 0) {
    return (
      `may be ${strangers.join(' or ')}, but its column "${column.name}" has the type ${type}: ` +
      'change the type of the member or of the column'
    )
  }
  if (isForeignEnum(column, shape))
    return `has an enum that contains no label of its column "${column.name}", a ${type}: use labels of the column`
  return mismatchOf(known, shape, column) ?? { kind: 'scalar', type: known }
}

/**
 * Whether the schema has an `enum` that contains none of the labels of the column's enumeration.
 */
const isForeignEnum = ({ labels }: CatalogColumn, shape: Shape | undefined): boolean =>
  labels !== null && shape?.values !== undefined && !labels.some((label) => shape.values?.includes(label))

/** Formats that every string satisfies. */
const open: ReadonlySet<string> = new Set(['binary', 'password'])

/**
 * Returns the reason why the schema of a string member does not match its column, phrased as the
 * end of a sentence about the member. With such a schema, GET could return records that PUT
 * refuses. Returns `undefined` if the schema matches the column.
 */
function mismatchOf(
  { formats, width, counts, samples }: ColumnType,
  shape: Shape | undefined,
  { name, type }: CatalogColumn,
): string | undefined {
  if (shape === undefined || !shape.types.has('string')) return undefined
  const { format } = shape
  const lies = `but its column "${name}" has the type ${type}`
  const isNumber = counts === true || formats?.includes('decimal') === true
  if (isNumber && (format === undefined || !formats?.includes(format))) {
    const declared = formats?.map((one) => `"${one}"`).join(' or ')
    return (
      `may be a string, ${lies}: declare the type number, or the format ${declared} if clients get ` +
      'numbers as strings'
    )
  }
  if (format !== undefined && formats !== undefined && !formats.includes(format) && !open.has(format)) {
    const [best] = formats
    const fix = best === undefined ? 'declare no format' : `declare the format "${best}"`
    return (
      `has the format "${format}", ${lies}, whose values look like ${JSON.stringify(samples[1] ?? samples[0])}: ` +
      `${fix}, or ${columnFor(format)}`
    )
  }
  const { minLength, maxLength } = shape.node as { readonly minLength?: unknown; readonly maxLength?: unknown }
  if (width === undefined) return undefined
  if (typeof maxLength === 'number' && maxLength < width[0])
    return `has at most ${maxLength} characters, ${lies}, whose values have ${width[0]} or more: raise maxLength`
  if (typeof minLength === 'number' && minLength > width[1])
    return `has at least ${minLength} characters, ${lies}, whose values have at most ${width[1]}: lower minLength`
  return undefined
}

/**
 * Returns the content of a computed member. `sqlType` is the type of the expression, if it is
 * known. Returns `undefined` if the schema does not give the member exactly one type.
 */
export function computedContent(shape: Shape | undefined, sqlType?: string): Content | undefined {
  const [type, ...others] = shape?.types ?? []
  if (type === undefined || others.length > 0) return undefined
  if (type === 'object' || type === 'array') return { kind: 'json', cast: 'jsonb' }
  const name =
    type === 'integer'
      ? isRounded(sqlType)
        ? sqlType
        : 'bigint'
      : type === 'number'
        ? numberType(sqlType)
        : type === 'boolean'
          ? 'boolean'
          : computedText(shape)
  const known = columnType(name, undefined, shape)
  return known && { kind: 'scalar', type: known }
}

const isRounded = (sqlType: string | undefined): sqlType is string =>
  sqlType === 'real' || sqlType === 'double precision'

/**
 * The type that a number is compared as. If a `numeric` or a `real` were compared as `double
 * precision`, filters and cursors would not match the order of the list.
 */
const numberType = (sqlType: string | undefined): string =>
  sqlType === 'real' || sqlType === 'numeric' ? sqlType : 'double precision'

/**
 * The SQL types that the expressions of string members are cast to, by the format of the member.
 * The database then compares and outputs the results as values of that type, and not as text.
 */
const computedTypes: Readonly<Record<string, string>> = {
  'date-time': 'timestamp with time zone',
  uuid: 'uuid',
  decimal: 'numeric',
  int64: 'bigint',
}

export const castTo = (expression: string, shape: Shape | undefined): string => {
  if (!shape?.types.has('string')) return `(${expression})`
  // The cast to text also applies to types such as `character` and `citext`, which have an order
  // and an equality of their own. For an expression of type `text`, the cast does nothing.
  return `((${expression})::${computedText(shape)})`
}

const computedText = (shape: Shape | undefined): string => computedTypes[shape?.format ?? ''] ?? 'text'

/**
 * The content of the column that stores all members without a column of their own (option `rest`).
 */
export function restContent(name: string, source: Relation, faults: string[]): Content | undefined {
  const column = source.columns.get(name)
  if (column?.type === 'jsonb' || column?.type === 'json') return { kind: 'json', cast: column.type }
  faults.push(
    `"rest" must name a jsonb column, but "${name}" ` +
      `${column === undefined ? 'does not exist' : `has the type ${column.type}`}`,
  )
  return undefined
}
