/** Reads the SQL types of the expressions that compute members. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { stateOf } from '../connections/failures.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { rowAlias } from '../sql/sql.js'
import { columnNames } from './columns.js'

/**
 * The SQL types of expressions, without their lengths and precisions, by the name of the member.
 */
export type ExpressionTypes = ReadonlyMap<string, string>

/**
 * Returns the SQL types of the expressions that compute numbers. A number must be compared in the
 * SQL type of its expression, because the database sorts by that type. All other expressions are
 * cast to a type that the schema determines, so their own types are not needed. `source` is the SQL
 * of the relation that is read. If the database refuses the expressions, returns no types: the
 * check of the statements in `ready()` reports the error.
 */
export async function expressionTypesOf(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  source: string,
  databases: Databases,
  wait: Wait,
): Promise<ExpressionTypes> {
  const found = [...columnNames(definition, options)].flatMap(([name, { expression }]) => {
    const types = definition.shape.members.get(name)?.types
    const isNumber = types?.has('number') || types?.has('integer')
    return expression !== undefined && isNumber ? [[name, expression] as const] : []
  })
  if (found.length === 0) return new Map()
  // Without rows, the expressions are not computed. The outer join still returns one row of nulls.
  const computed = found.map(([, expression], i) => `(${expression}) AS e${i}`).join(', ')
  const types = found.map((_, i) => `pg_typeof(_x.e${i})::oid`).join(', ')
  const text =
    'SELECT json_agg(format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL) ORDER BY _t.place)::text AS c0 ' +
    `FROM (SELECT 1) AS _one LEFT JOIN (SELECT ${computed} FROM ${source} AS ${rowAlias} WHERE false) AS _x ON true ` +
    `CROSS JOIN LATERAL unnest(ARRAY[${types}]) WITH ORDINALITY AS _t (oid, place) ` +
    'JOIN pg_type t ON t.oid = _t.oid'
  try {
    // In the caller's transaction, a savepoint keeps a failed statement from aborting the
    // transaction.
    const { read } = databases
    const [row] = read.mayBeNested
      ? await read.transaction((session) => session.query(text, []), wait, true)
      : await read.query(text, [], wait)
    const names = JSON.parse(row?.c0 ?? '[]') as readonly string[]
    return new Map(found.map(([name], i) => [name, names[i] ?? '']))
  } catch (error) {
    // Errors of the expressions (classes 22 and 42), and statements that Citus does not support.
    if (/^(?:0A|22|42)/.test(stateOf(error) ?? '')) return new Map()
    throw error
  }
}
