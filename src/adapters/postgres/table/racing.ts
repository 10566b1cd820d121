/**
 * Determines which writes to a table would miss an update that another session commits while the
 * write waits for the lock of the row (HDR-3). After the wait, PostgreSQL reads only the row itself
 * again. For all other data, the statement still uses the state from before the wait. This other
 * data includes the row that a view passes to its INSTEAD OF trigger or rule, rows that a
 * sub-select finds, and rows of other tables.
 */

import type { Database, Wait } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Relation } from './catalog.js'
import type { DescribedJoinTable } from './join-tables.js'

export interface Racing {
  readonly update: boolean
  readonly remove: boolean
  /**
   * The members whose expression may read other rows. If a caller's scope contains one of these
   * members, the caller's updates and removals could also miss an update of another session.
   */
  readonly members: ReadonlySet<string>
}

/**
 * Determines from the catalog and the options which writes would miss an update of another session.
 * If the options contain expressions, also queries the database about the functions that the
 * expressions call.
 */
export async function racingOf(
  { version, columns = {} }: PostgresAdapterOptions,
  {
    relation,
    joins,
    deletion,
  }: { relation: Relation; joins: ReadonlyMap<string, DescribedJoinTable>; deletion: object | undefined },
  database: Database,
  wait: Wait,
): Promise<Racing> {
  const expressions = new Map<string, string>()
  for (const [member, column] of Object.entries(columns))
    if (typeof column === 'object' && column.expression !== undefined) expressions.set(member, column.expression)
  const versionSql = typeof version === 'object' && 'expression' in version ? version.expression : undefined
  const isOpaque = relation.kind !== 'r' && relation.kind !== 'p'
  const functions = await functionsThatRead(
    [...expressions.values(), ...(versionSql === undefined ? [] : [versionSql])],
    database,
    wait,
  )
  // In a view, each column may be a sub-select.
  const readsOthers = (sql: string): boolean =>
    isOpaque || /\bselect\b/i.test(sql) || namesCalled(sql).some((name) => functions.has(name))
  const compares = versionSql !== undefined && readsOthers(versionSql)
  const update = relation.indirect.update || compares
  return {
    update,
    // Rows that were added to a join table while the removal waited must be removed together with
    // the record.
    remove: (deletion === undefined ? relation.indirect.remove || compares : update) || joins.size > 0,
    members: new Set([...expressions].filter(([, sql]) => readsOthers(sql)).map(([member]) => member)),
  }
}

/**
 * The names of the functions that an SQL expression calls. Names without quotation marks are
 * returned in lower case, because PostgreSQL converts them to lower case.
 */
export const namesCalled = (sql: string): readonly string[] =>
  [...sql.matchAll(/"((?:[^"]|"")+)"\s*\(|([\p{L}_][\p{L}\p{N}_$]*)\s*\(/gu)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.toLowerCase(),
  )

/**
 * The names of the functions that these expressions call and that could read tables. Leaves out the
 * server's own functions, and functions that are declared IMMUTABLE.
 */
async function functionsThatRead(
  expressions: readonly string[],
  database: Database,
  wait: Wait,
): Promise<ReadonlySet<string>> {
  const names = [...new Set(expressions.flatMap(namesCalled))]
  if (names.length === 0) return new Set()
  const text =
    'SELECT DISTINCT p.proname::text AS c0 FROM pg_proc p WHERE p.proname = ANY (ARRAY(SELECT ' +
    `json_array_elements_text($1::text::json))) AND p.provolatile <> 'i' AND p.pronamespace <> ` +
    `'pg_catalog'::regnamespace`
  const rows = await database.query(text, [JSON.stringify(names)], wait)
  return new Set(rows.flatMap(({ c0 }) => (c0 == null ? [] : [c0])))
}
