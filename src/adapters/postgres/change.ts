/** One change, with what a team does beside it: all of it takes place, or nothing (HDR-3). */
import { HttpProblem } from '../../problem.js'
import type { Call, Refused, Repeated } from '../contract.js'
import { isRefused } from '../contract.js'
import type { SqlClient } from './client.js'
import type { Databases } from './database.js'
import { Outdated } from './opening.js'
import type { Applied, Change } from './options.js'
import { isOutdated, isOwn, refusalOf } from './refusals.js'
import { type Ask, teamErrors, writing } from './statements.js'
import type { Table } from './table.js'

type Details = Omit<Change, 'apply'>

/** Runs the statement of a change, in a transaction where anything else belongs to it: `around`, which may do without what it is given. */
export async function changing<R extends Applied<unknown> | { readonly created: unknown } | Repeated>(
  databases: Databases,
  table: Table,
  call: Call,
  details: Details,
  statement: (ask: Ask) => Promise<R>,
  around?: (ask: Ask, work: () => Promise<R | Refused>) => Promise<R | Refused>,
): Promise<R | Refused> {
  const { write } = table.options
  /** The failure of a constraint is an answer; that of a team's own statement is not. */
  const refusing = async (work: () => Promise<R | Refused>, concerns = (_error: unknown) => true): Promise<R | Refused> => {
    try {
      return await work()
    } catch (error) {
      const isTeams = error instanceof Error && teamErrors.has(error)
      const refused = isTeams || !concerns(error) ? undefined : refusalOf(table, error, details)
      if (refused === undefined) throw error
      if (isOutdated(table, error)) throw new Outdated(refused)
      return refused
    }
  }
  // What fails at the commit is the record's, or it is a deferred constraint of a row that the team wrote beside it.
  const concerns = (error: unknown): boolean => write === undefined || details.action === 'remove' || isOwn(table, error)
  const change = async (ask: Ask, native: SqlClient | undefined): Promise<R | Refused> => {
    let applied: Promise<R | Refused> | undefined
    const apply = (): Promise<R | Refused> => {
      applied ??= refusing(() => statement(ask))
      return applied
    }
    const applyForTeam = (): Promise<Applied<unknown>> => {
      const answer = apply().then(appliedOf)
      // Who does not wait for it hears of its failure below.
      answer.catch(() => undefined)
      return answer
    }
    if (write === undefined || native === undefined) return apply()
    try {
      await write(native, { ...details, apply: applyForTeam }, call)
    } catch (error) {
      // What a team says to a client it says whatever became of the change.
      if (error instanceof HttpProblem) throw error
      const result = await applied
      // After a refusal the database takes no more statements in this transaction: the refusal is what went wrong.
      if (result !== undefined && !succeeded(result)) return result
      if (error instanceof Error) teamErrors.add(error)
      throw error
    }
    return apply()
  }
  return refusing(
    () =>
      writing<R | Refused>(
        databases,
        table.options,
        call,
        write !== undefined || table.separate || around !== undefined,
        succeeded,
        async (ask, native) => {
          const work = () => change(ask, native)
          return around === undefined ? work() : around(ask, work)
        },
      ),
    concerns,
  )
}

const appliedOf = (result: unknown): Applied<unknown> =>
  (typeof result === 'object' && result !== null && 'created' in result ? result.created : result) as Applied<unknown>

const undone: readonly unknown[] = ['absent', 'stale', 'mismatched', 'running']

const succeeded = (result: unknown): boolean => !undone.includes(result) && !isRefused(result)
