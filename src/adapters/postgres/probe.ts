/** Before the first request: what the statements are made of, on no rows (the mend is better read at start than in a log at night). */
import type { Wait } from './client.js'
import type { Databases } from './database.js'
import { failureKind, stateOf, unavailable } from './failures.js'
import { vectorSql } from './search.js'
import { quote } from './sql.js'
import type { Table } from './table.js'
import { warnOfHiddenWarnings } from './unconfirmed.js'
import { unfit } from './unfit.js'

/** Rows from which on counting them all is worth a word. */
const many = 100_000

/** Throws `ConfigurationError` where a statement of the adapter can't run, `Unavailable` where the database can't be asked. */
export async function probe(table: Table, databases: Databases, warn: (message: string) => void, wait: Wait): Promise<void> {
  const { definition, layout, options, relation } = table
  const asked = [
    ...[...definition.filters.values()].flatMap(({ op, path }) => (op === 'contains' || op === 'null' ? [] : [path])),
    ...definition.sort.map((field) => field.split('.')),
  ]
  const places = asked.map((path) => layout.place(path).sql)
  for (const { op, path } of definition.filters.values()) if (op === 'null') places.push(layout.nothing(path))
  if (definition.search !== undefined && typeof options.search !== 'function') places.push(vectorSql(table, options.search ?? {}))
  const selection = [table.shown, ...places.map((sql, i) => `${sql} AS p${i}`)].join(', ')
  // A policy may ask for a setting that only the team's function makes; the planner already looks at it.
  const excused = options.session === undefined ? [] : ['42704']
  await tried(() => databases.read.query(`SELECT ${selection} FROM ${table.source} LIMIT 0`, [], wait), excused)
  for (const { relation: join, key } of table.joins.values()) {
    const same = key.map((column, i) => `_j.${quote(column)} = ${layout.key[i]?.sql}`).join(' AND ')
    await tried(() => databases.write.query(`SELECT 1 AS c0 FROM ${join} AS _j JOIN ${table.target} ON ${same} LIMIT 0`, [], wait), excused)
  }
  for (const privilege of relation.lacking)
    warn(`The role may not ${privilege} in the table of "${definition.collection}": what needs that will fail.`)
  for (const privilege of table.kept?.lacking ?? [])
    warn(
      `The role may not ${privilege} in ${table.kept?.relation}: a POST with an Idempotency-Key to "${definition.collection}" will fail.`,
    )
  if (table.alive !== undefined)
    await tried(() => databases.write.query(`SELECT 1 AS c0 FROM ${table.target} WHERE ${table.alive} LIMIT 0`, [], wait), excused)
  await warnOfHiddenWarnings(databases.write, warn, wait)
  const { count = 'exact' } = options
  if (count === 'exact' && relation.rows > many) {
    warn(
      `"${definition.collection}" has about ${Math.round(relation.rows)} rows, and each list counts those that match: set count to "bounded", "estimated" or "none" where that takes too long.`,
    )
  }
}

async function tried(statement: () => Promise<unknown>, excused: readonly string[]): Promise<void> {
  try {
    await statement()
  } catch (error) {
    if (excused.includes(stateOf(error) ?? '')) return
    if (failureKind(error) !== 'other') throw unavailable(error, false)
    throw unfit(`the database refuses a statement: ${(error as Error).message}. Check the expressions and privileges`)
  }
}
