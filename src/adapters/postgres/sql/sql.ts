/** SQL as text and values: names are quoted, values are parameters, and there is no other way in. */

import { unfit } from '../unfit.js'

/** The values of one statement, as they are written into it. */
export class Parameters {
  readonly values: (string | null)[] = []

  /** Adds a value; gives the SQL that stands for it, of the type `cast`. */
  add(value: string | null, cast = 'text'): string {
    this.values.push(value)
    return `$${this.values.length}::text${cast === 'text' ? '' : `::${cast}`}`
  }
}

/** A row's alias in every statement, so that a team's expressions and ours never mean different rows. */
export const row = '_r'

/** A name as an identifier. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text as a literal, for what can be no parameter: statements that are printed, and paths that an index has to match. */
export const literal = (text: string): string =>
  text.includes('\\') ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${text.replaceAll("'", "''")}'`

/** Texts as one array value. */
export const arrayText = (items: readonly (string | null)[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : `"${special.test(item) ? item.replace(/["\\]/g, '\\$&') : item}"`)).join(',')}}`

/** What is escaped within an array value. */
const special = /["\\]/

/** A table or view as a team names it. */
export interface RelationName {
  readonly schema?: string
  readonly name: string
}

/** Reads `pieces` or `courier.pieces`; a name with a dot of its own is given as an object. Throws `ConfigurationError` where it is not. */
export function relationName(given: string | RelationName): RelationName {
  if (typeof given !== 'string') return given
  const [first = '', second, ...more] = given.split('.')
  if (more.length > 0) throw unfit(`"${given}" has more than one dot: give { schema, name }`)
  return second === undefined ? { name: first } : { schema: first, name: second }
}

/** A relation as an identifier. */
export const quoteRelation = ({ schema, name }: RelationName): string =>
  schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`

/** Every condition at once. */
export const every = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'true' : conditions.join(' AND ')
