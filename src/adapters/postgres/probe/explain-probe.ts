/**
 * Checks with `EXPLAIN` whether the database accepts statements, without running them. `EXPLAIN`
 * parses, rewrites and plans a statement, and checks privileges. It fires no triggers.
 */

import type { Database, TextRow, Wait } from '../connections/client.js'
import { failureKind } from '../connections/failures.js'
import type { Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { SampleCall } from './sample-calls.js'

/** A failed statement: its method and the error. The error may be temporary. */
export interface Finding {
  readonly method: string
  readonly error: unknown
}

/**
 * Thrown to end a sample call that sends the same statement a second time. The call repeats the
 * statement because the statement returned no row.
 */
class AskedBefore extends Error {}

/**
 * Whether a failure is temporary, such as a lost connection. Such a failure says nothing about the
 * statement.
 */
export const isPassing = (error: unknown): boolean =>
  ['lost', 'unsent', 'cancelled', 'busy', 'conflict'].includes(failureKind(error))

/**
 * Sends `EXPLAIN` for each statement of `calls`, except for the statements in `taken`, which the
 * database has already accepted. Adds the accepted statements to `taken`, and returns a finding for
 * each statement that failed. Each call gets an empty result for each statement, so the statements
 * that are sent only if a record is missing are also checked. Ends at the first temporary failure,
 * such as a lost connection. Uses `EXPLAIN` without options, because all databases with
 * PostgreSQL's protocol support it.
 */
export async function explained(
  calls: readonly SampleCall[],
  database: Database,
  wait: Wait,
  taken: Set<string>,
): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const asked = new Set(taken)
  for (const { method, run } of calls) {
    const own = new Set<string>()
    const explain = async (text: string, values: readonly (string | null)[]): Promise<readonly never[]> => {
      if (own.has(text)) throw new AskedBefore()
      own.add(text)
      if (asked.has(text)) return []
      asked.add(text)
      try {
        await ask(database, `EXPLAIN ${text}`, values, wait)
        taken.add(text)
      } catch (error) {
        found.push({ method, error })
        if (isPassing(error)) throw error
      }
      return []
    }
    const cells: StatementSender['cells'] = (text, _columns, values) => explain(text, values)
    const explaining: StatementSender = {
      query: (text: string, parameters?: Parameters) => explain(text, parameters?.values ?? []),
      cells,
      shared: cells,
    }
    try {
      await run(explaining)
    } catch (error) {
      if (isPassing(error)) return found
      if (!(error instanceof AskedBefore)) throw error
    }
  }
  return found
}

/**
 * Runs a statement. In the caller's transaction, it uses a savepoint, so that a failed statement
 * does not abort the transaction.
 */
const ask = (
  database: Database,
  text: string,
  values: readonly (string | null)[],
  wait: Wait,
): Promise<readonly TextRow[]> =>
  database.mayBeNested
    ? database.transaction((session) => session.query(text, values), wait, true)
    : database.query(text, values, wait)
