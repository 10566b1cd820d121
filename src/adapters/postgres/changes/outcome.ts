/** The results of a change's statement. */
import type { Refused, Repeated, Stored } from '../../contract.js'
import { isRefused } from '../../contract.js'
import type { Applied } from '../options/change-options.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { Outdated } from '../table/opening.js'
import { callbackErrors } from '../transactions/callback-errors.js'
import { isOutdated, refusalOf } from '../writes/refusals.js'
import type { PendingChange } from './pending-change.js'

export type Outcome = Applied<unknown> | { readonly created: unknown } | Repeated

/**
 * Runs other work before and after a change, in the same transaction. For example, stores the
 * created record, so that a retry of the request gets the same response. The wrapper may also skip
 * the change.
 */
export type ChangeWrapper<R> = (ask: StatementSender, work: () => Promise<R | Refused>) => Promise<R | Refused>

/**
 * Converts the error of a violated constraint to a refusal. Throws `Outdated` if the error shows
 * that the table has changed. Rethrows every other error, including errors that the service's own
 * functions caused.
 */
export function refusedBy(
  error: unknown,
  { table, action, value }: Pick<PendingChange, 'table' | 'action' | 'value'>,
): Refused {
  const isFromService = error instanceof Error && callbackErrors.has(error)
  const refused = isFromService ? undefined : refusalOf(table, error, { action, value })
  if (refused === undefined) throw error
  if (isOutdated(table, error)) throw new Outdated(refused)
  return refused
}

/**
 * The result as it is passed to the service's own functions. For a create, this is the created
 * record.
 */
export const appliedOf = (result: unknown): Applied<unknown> =>
  (typeof result === 'object' && result !== null && 'created' in result ? result.created : result) as Applied<unknown>

/** The record that a create or a replace has stored; `undefined` for any other result. */
export function storedIn(result: unknown): Stored<Record<string, unknown>> | undefined {
  const applied = appliedOf(result)
  return typeof applied === 'object' && 'value' in applied ? (applied as Stored<Record<string, unknown>>) : undefined
}

const undone: readonly unknown[] = ['absent', 'stale', 'mismatched', 'running']

/** Whether the result is a success. If not, the transaction is rolled back. */
export const succeeded = (result: unknown): boolean => !undone.includes(result) && !isRefused(result)
