/**
 * Finds the options whose SQL expressions the database refuses. If the database refuses a whole
 * statement, its error does not say which option is the cause.
 */
import type { Database, Wait } from '../connections/client.js'
import { messageOf, unavailable } from '../connections/failures.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { Table } from '../table/table.js'
import { explained, isPassing } from './explain-probe.js'

/** Returns a fault for each refused expression. Throws `Unavailable` if the connection was lost. */
export async function refusedExpressions(
  table: Table,
  database: Database,
  wait: Wait,
  isInconclusive: (table: Table, error: unknown) => boolean,
): Promise<readonly string[]> {
  const calls = expressionsOf(table).map(({ place, sql }) => ({
    method: place,
    run: (ask: StatementSender) => ask.query(`SELECT ${sql} FROM ${table.source}`),
  }))
  const found = await explained(calls, database, wait, new Set())
  return found.flatMap(({ method, error }) => {
    if (isPassing(error)) throw unavailable(error, false)
    if (isInconclusive(table, error)) return []
    return `the database refuses the expression of ${method}: ${messageOf(error)}. Correct the expression`
  })
}

/** The SQL expressions in the options, each with the option that contains it. */
function expressionsOf({ options, layout, version }: Table): { readonly place: string; readonly sql: string }[] {
  const members = layout.members.flatMap(({ name, sql }) => {
    const column = options.columns?.[name as never] as { readonly expression?: string } | string | undefined
    return typeof column === 'object' && column.expression !== undefined
      ? [{ place: `"${name}" in "columns"`, sql }]
      : []
  })
  const isComputed = typeof options.version === 'object' && 'expression' in options.version
  return isComputed ? [...members, { place: '"version"', sql: version.shownSql }] : members
}
