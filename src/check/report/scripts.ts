/**
 * Writes a shell script for each violation. The script reproduces the violation without this
 * package.
 */
import { clauses } from '../../clauses.js'
import type { Principal } from '../client/principals.js'
import type { Break, Result } from '../verdict.js'
import { variablesOf } from './curl.js'
import { breakOf } from './report.js'
import { createdBy } from './script-plan.js'
import { commandsOf } from './script-text.js'

export interface Script {
  /** The file name, such as `QUERY-7-total-orders.sh`. */
  readonly name: string
  readonly text: string
}

/** The scripts for all violations that a script can reproduce. */
export function scriptsOf(results: readonly Result[], principals: readonly Principal[]): readonly Script[] {
  const byName = new Map(principals.map((principal) => [principal.name, principal]))
  return results.flatMap((result) => {
    const found = breakOf(result)
    return found === undefined || !canScript(found)
      ? []
      : [{ name: nameOf(result), text: scriptOf(result, found, byName) }]
  })
}

/**
 * Whether a script can reproduce the violation. A script creates records in only one collection, so
 * there is no script for a violation that needs records of two collections.
 */
function canScript({ unscripted = false, trace }: Break): boolean {
  const created = (trace?.exchanges ?? []).filter((one) => createdBy(one) !== undefined)
  return !unscripted && new Set(created.map(({ request }) => request.url)).size < 2
}

const nameOf = ({ check, where }: Result): string =>
  `${`${check}-${where}`.replace(/[^\w]+/g, '-').replace(/^-|-$/g, '')}.sh`

function scriptOf(result: Result, found: Break, principals: ReadonlyMap<string, Principal>): string {
  const { check, clause, where, rule, fix, outcome } = result
  const { evidence } = found
  const requests = (found.trace?.exchanges ?? evidence).map(({ request }) => request)
  const { verdict } = outcome
  const lines = [
    '#!/bin/sh',
    comment(`${check} at ${where}: ${rule}`),
    comment(`${clause}, ${clauses[clause].title}: ${clauses[clause].text}`),
    comment(`Fix: ${fix}`),
    ...(found.trace === undefined ? [] : [comment(found.trace.isHazardous ? hazardous : ofOwnRecord)]),
    comment('Exit codes: 1 if the answers show the break, 0 if they do not, 2 if the script could not find out.'),
    'set -u',
    ...(found.trace?.isHazardous === true
      ? [`[ "\${DISPOSABLE:-}" = yes ] || { echo ${word(`${hazardous} Set DISPOSABLE=yes.`)} >&2; exit 2; }`]
      : []),
    ...variablesOf(requests, principals).map(
      (name) => `[ -n "\${${name}:-}" ] || { echo 'Set ${name} to a token.' >&2; exit 2; }`,
    ),
    ...commandsOf(found, verdict === 'flaky', principals),
    '',
    `echo ${word(`Expected: ${found.expected}`)}`,
    `echo ${word(`Seen by the check: ${found.seen}`)}`,
    'if [ "$shown" = 1 ]; then echo "The break was shown in run $run."; exit 1; fi',
    'echo "The break was not shown. Runs: $run."',
    '',
  ]
  return lines.join('\n')
}

const hazardous =
  'The script could destroy records that it has not created. Run it only if the whole service may be lost.'

const ofOwnRecord = 'The script creates a record of its own, and removes it.'

/**
 * A shell comment on one line. Line breaks in the text become spaces, because a line break would
 * end the comment.
 */
const comment = (text: string): string => `# ${text.replace(/\s+/g, ' ')}`

const word = (text: string): string => `'${text.replace(/[^\P{Cc}]/gu, ' ').replaceAll("'", "'\\''")}'`
