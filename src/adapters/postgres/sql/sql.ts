/** Builds SQL. Names are quoted, and strings from requests are always parameters. */

import { unfit } from '../unfit.js'

/** The parameter values of one statement. */
export class Parameters {
  readonly values: (string | null)[] = []

  /**
   * Adds a value. Returns the SQL of its placeholder, cast to the type `cast`, for example
   * `$1::text::uuid`.
   */
  add(value: string | null, cast = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::text${cast === 'text' ? '' : `::${cast}`}`
  }
}

/**
 * The alias of the resource's table in every statement. SQL expressions in the adapter's options
 * also use this alias.
 */
export const rowAlias = '_r'

/** Quotes a name as an identifier. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Quotes a string as an SQL literal. Used in DDL, in expressions that must match the expression of
 * an index, and for names that do not come from requests, such as types and the paths of members.
 */
export const literal = (text: string): string =>
  text.includes('\\') ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${text.replaceAll("'", "''")}'`

/** Encodes strings as one PostgreSQL array value, for example `{"a",NULL,"b"}`. */
export const arrayText = (items: readonly (string | null)[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : `"${special.test(item) ? item.replace(/["\\]/g, '\\$&') : item}"`)).join(',')}}`

/** The characters that must be escaped in an array value. */
const special = /["\\]/

/** The name of a table or view, as the options contain it. */
export interface RelationName {
  readonly schema?: string
  readonly name: string
}

/**
 * Parses the name of a table or view, such as `pieces` or `courier.pieces`. A name that contains a
 * dot must be given as an object. Throws `ConfigurationError` for a string with more than one dot.
 */
export function relationName(given: string | RelationName): RelationName {
  if (typeof given !== 'string') return given
  const [first = '', second, ...more] = given.split('.')
  if (more.length > 0) throw unfit(`"${given}" has more than one dot: use { schema, name }`)
  return second === undefined ? { name: first } : { schema: first, name: second }
}

/** Quotes the name of a table or view, including its schema if there is one. */
export const quoteRelation = ({ schema, name }: RelationName): string =>
  schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`

export const allOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'true' : conditions.join(' AND ')
