/**
 * The total of a list (QUERY-7). Depending on the options, it is counted exactly, counted up to a
 * bound, estimated above the bound, or omitted.
 */

import { planIn } from '../sql/plan.js'
import { Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { Matching } from '../table/list-statement.js'
import type { Table } from '../table/table.js'

/** The default of `countBound`, the largest total that `bounded` and `estimated` count exactly. */
export const usualBound = 10_000

/** Returns the SQL query that counts the rows, or `undefined` if the total is not counted. */
export function countSql({ options }: Table, from: string, where: string): string | undefined {
  const { count = 'exact', countBound = usualBound } = options
  if (count === 'none') return undefined
  if (count === 'exact') return `SELECT count(*)::text AS total FROM ${from} WHERE ${where}`
  return (
    `SELECT count(*)::text AS total FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ` +
    `${Math.trunc(countBound) + 1}) AS _b`
  )
}

/** The number of rows that PostgreSQL's planner expects. */
export async function estimatedRows({ from, where, values }: Matching, ask: StatementSender): Promise<number> {
  const parameters = new Parameters()
  parameters.values.push(...values)
  const [found] = await ask.query(`EXPLAIN (FORMAT JSON) SELECT 1 FROM ${from} WHERE ${where}`, parameters)
  return planIn(found)['Plan Rows'] as number
}
