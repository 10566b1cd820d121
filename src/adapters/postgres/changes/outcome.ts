/** Results of the statement of a change. */
import type { Refused, Repeated, Stored } from '../../contract.js'
import { isRefused } from '../../contract.js'
import type { Applied } from '../options/change-options.js'
import type { Ask } from '../sql/ask.js'
import { Outdated } from '../table/opening.js'
import { teamErrors } from '../transactions/team-errors.js'
import { isOutdated, refusalOf } from '../writes/refusals.js'
import type { PendingChange } from './pending-change.js'

export type Outcome = Applied<unknown> | { readonly created: unknown } | Repeated

/** What is done around a change in its transaction, such as keeping it for repeats; it may leave the change out. */
export type Around<R> = (ask: Ask, work: () => Promise<R | Refused>) => Promise<R | Refused>

/** The refusal for the failure of a constraint. Throws every other error, and errors of a team's own statements. */
export function refusedBy(
  error: unknown,
  { table, action, value }: Pick<PendingChange, 'table' | 'action' | 'value'>,
): Refused {
  const isTeams = error instanceof Error && teamErrors.has(error)
  const refused = isTeams ? undefined : refusalOf(table, error, { action, value })
  if (refused === undefined) throw error
  if (isOutdated(table, error)) throw new Outdated(refused)
  return refused
}

/** The result as a team's function gets it. */
export const appliedOf = (result: unknown): Applied<unknown> =>
  (typeof result === 'object' && result !== null && 'created' in result ? result.created : result) as Applied<unknown>

/** The record that a create or a replace has stored; `undefined` of any other answer. */
export function storedIn(result: unknown): Stored<Record<string, unknown>> | undefined {
  const applied = appliedOf(result)
  return typeof applied === 'object' && 'value' in applied ? (applied as Stored<Record<string, unknown>>) : undefined
}

const undone: readonly unknown[] = ['absent', 'stale', 'mismatched', 'running']

/** Whether the result is a success. The transaction of any other is rolled back. */
export const succeeded = (result: unknown): boolean => !undone.includes(result) && !isRefused(result)
