/**
 * Warnings about columns that may hold values that do not match the schema, and about members that
 * are never written.
 */
import type { Shape } from '../../../definition/shape.js'
import { valueFormat } from '../../../definition/value-formats.js'
import { quote, quoteRelation, type RelationName } from '../sql/sql.js'
import type { CatalogColumn, Relation } from './catalog.js'
import type { Member } from './columns.js'
import { columnsFor } from './format-columns.js'

/**
 * Returns a warning if a column may hold values that do not match the format, type or `enum` of its
 * member.
 */
export function columnWarning(member: string, column: CatalogColumn, shape: Shape | undefined): string | undefined {
  if (shape === undefined) return undefined
  const format = valueFormat(shape)
  if (
    format !== undefined &&
    /^(?:text|character varying|character|(?:\w+\.)?citext)\b/.test(column.type) &&
    format.name !== 'local-date-time'
  ) {
    const better = columnsFor[format.name] ?? (format.name === 'int64' ? 'bigint' : 'numeric')
    return (
      `"${member}" has the format "${format.name}", and its column "${column.name}" has the type ${column.type}: ` +
      'equality filters do not find values that other programs write in another spelling, and sorting and range ' +
      `filters compare strings instead of values. Make the column ${better}.`
    )
  }
  const [, precision] = /^numeric(?:\((\d+),-?\d+\))?$/.exec(column.type) ?? []
  const isNumeric = /^numeric(?:\(\d+,-?\d+\))?$/.test(column.type)
  const hasFractions =
    /^(?:real|double precision)$/.test(column.type) || (isNumeric && !/,(?:0|-\d+)\)$/.test(column.type))
  if (hasFractions && shape.types.has('integer') && !shape.types.has('number'))
    return (
      `"${member}" is an integer, and its column "${column.name}" has the type ${column.type}, ` +
      `which may hold fractions: GET shows them, and PUT refuses them. Declare "${member}" as { type: 'number' }, ` +
      `or make the column ${isNumeric ? 'numeric(15,0) or bigint' : 'bigint'}.`
    )
  if (
    isNumeric &&
    (shape.types.has('number') || shape.types.has('integer')) &&
    (precision === undefined || Number(precision) > 15)
  )
    return (
      `"${member}" is a number, and its column "${column.name}" has the type ${column.type}, ` +
      'which may hold more digits than a JSON number: values that other programs write may be shown rounded. ' +
      `Declare "${member}" as { type: 'string', format: 'decimal' } if every digit matters.`
    )
  const unlisted =
    shape.values === undefined ? [] : (column.labels ?? []).filter((label) => !shape.values?.includes(label))
  if (unlisted.length > 0 && !column.type.endsWith('[]'))
    return (
      `"${member}" has an enum without ${unlisted.map((label) => `"${label}"`).join(', ')}, which its column ` +
      `"${column.name}" may hold: GET shows records with these values, and PUT refuses them. Add the values to the ` +
      'schema.'
    )
  return undefined
}

/**
 * Returns a warning if the column of a member of the key may hold NULL, which a unique index
 * allows. The columns of views and foreign tables are not checked.
 */
export function nullableKeyWarning(
  member: string,
  { name, notNull }: CatalogColumn,
  { kind }: Relation,
  table: RelationName,
): string | undefined {
  if (notNull || (kind !== 'r' && kind !== 'p')) return undefined
  return (
    `"${member}" is a member of the key, and its column "${name}" may hold NULL: a row without a key has no URL, ` +
    'and each list with such a row gets 500. ' +
    `ALTER TABLE ${quoteRelation(table)} ALTER COLUMN ${quote(name)} SET NOT NULL.`
  )
}

/** Returns a warning if clients can send a member that no statement writes. */
export function ignoredWarning({ name, column }: Member, shape: Shape | undefined, isKey: boolean): string | undefined {
  if (column !== undefined || isKey || shape === undefined || shape.readOnly) return undefined
  return (
    `"${name}" is never written: it is computed, or only the database sets it. ` +
    `A value that a client sends is silently dropped. Declare "${name}" as readOnly in the schema: then a request ` +
    'that sets or changes the value gets 422.'
  )
}
