/**
 * The option `only`, which selects checks by clause, such as `QUERY-7`, or by id, such as
 * `QUERY-7/total`.
 */
import { clauses } from '../clauses.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { attemptChecks } from './checks/attempts.js'
import { answerCheckIds } from './checks/every-answer.js'
import { listChecks } from './checks/index.js'
import { serviceChecks } from './checks/service-checks.js'
import { allWriteChecks, disposableChecks, publicChecks } from './write/index.js'

const clauseIds = Object.keys(clauses)

const checkIds = [
  ...new Set([
    ...[serviceChecks, listChecks, allWriteChecks, publicChecks, disposableChecks, attemptChecks].flatMap((checks) =>
      checks.map(({ id }) => id),
    ),
    ...answerCheckIds,
  ]),
]

/** Returns a function that says whether a check is selected. */
export const wanted =
  (only: readonly string[] | undefined) =>
  ({ id }: { readonly id: string }): boolean =>
    only === undefined || only.some((one) => id === one || id.startsWith(`${one}/`))

/**
 * Describes the first name in `only` that is neither a clause nor a check, or says that `only` is
 * empty. The caller puts the name of the option, such as `--only`, before this text. `undefined` if
 * there are names, and all of them are valid.
 */
export function selectionFault(only: readonly string[]): string | undefined {
  if (only.length === 0) return 'names no clause and no check. Give ids such as QUERY-7 or QUERY-7/total.'
  const wrong = only.find((name) => !clauseIds.includes(name) && !checkIds.includes(name))
  if (wrong === undefined) return undefined
  const [clause = ''] = wrong.split('/', 1)
  if (!clauseIds.includes(clause))
    return `names "${wrong}", which is not a clause. ${didYouMean(nearMiss(wrong, clauseIds), clauseIds)}`
  const checks = checkIds.filter((id) => id.startsWith(`${clause}/`))
  return `names "${wrong}", which is not a check. ${didYouMean(nearMiss(wrong, checks), checks, `Checks of ${clause}`)}`
}
