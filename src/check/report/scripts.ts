/**
 * Writes shell scripts. Each script reproduces one violation, without this package.
 */
import { clauses } from '../../clauses.js'
import { safeMethods } from '../../http/safe-methods.js'
import type { Request } from '../client/exchange.js'
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
  const used = new Set<string>()
  return results.flatMap((result) => {
    const found = breakOf(result)
    return found === undefined || !canScript(found)
      ? []
      : [{ name: fileName(result, used), text: scriptOf(result, found, byName) }]
  })
}

/**
 * Whether a script can reproduce the violation. A script creates records in only one collection, so
 * there is no script for a violation that needs new records in two collections. A trace contains
 * all requests of a check, so a script can create the same records only if the violation has a
 * trace. A violation with unsafe requests but without a trace gets no script, because these
 * requests would go to records that the script has not created.
 */
function canScript({ unscripted = false, trace, evidence }: Break): boolean {
  if (trace === undefined && evidence.some(({ request }) => !safeMethods.has(request.method))) return false
  const created = (trace?.exchanges ?? []).filter((one) => createdBy(one) !== undefined)
  return !unscripted && new Set(created.map(({ request }) => request.url)).size < 2
}

/** Returns a new file name. `used` contains the earlier names, without `.sh`. */
function fileName({ check, where }: Result, used: Set<string>): string {
  const base = `${check}-${where}`.replace(/[^\w]+/g, '-').replace(/^-|-$/g, '')
  let name = base
  for (let n = 2; used.has(name); n++) name = `${base}-${n}`
  used.add(name)
  return `${name}.sh`
}

function scriptOf(result: Result, found: Break, principals: ReadonlyMap<string, Principal>): string {
  const { check, clause, where, rule, fix, outcome } = result
  const { evidence } = found
  const requests = (found.trace?.exchanges ?? evidence).map(({ request }) => request)
  const { verdict } = outcome
  const danger = dangerOf(found, requests)
  const lines = [
    '#!/bin/sh',
    comment(`${check} at ${where}: ${rule}`),
    comment(`${clause}, ${clauses[clause].title}: ${clauses[clause].text}`),
    comment(`Fix: ${fix}`),
    ...(danger !== undefined ? [comment(danger)] : found.trace === undefined ? [] : [comment(ofOwnRecord)]),
    comment('Exit codes: 1 if the answers show the violation, 0 if they do not, 2 if the script could not tell.'),
    'set -u',
    ...(danger === undefined
      ? []
      : [`[ "\${DISPOSABLE:-}" = yes ] || { echo ${word(`${danger} Set DISPOSABLE=yes.`)} >&2; exit 2; }`]),
    ...variablesOf(requests, principals).map(
      (name) => `[ -n "\${${name}:-}" ] || { echo 'Set the environment variable ${name}.' >&2; exit 2; }`,
    ),
    ...commandsOf(found, verdict === 'flaky', principals),
    '',
    `echo ${word(`Expected: ${found.expected}`)}`,
    `echo ${word(`Seen by the check: ${found.seen}`)}`,
    'if [ "$shown" = 1 ]; then echo "The violation was shown in run $run."; exit 1; fi',
    'echo "The violation was not shown. Runs: $run."',
    '',
  ]
  return lines.join('\n')
}

/** Why a script needs a disposable service. `undefined` if it does not need one. */
function dangerOf({ trace }: Break, requests: readonly Request[]): string | undefined {
  const onlyIf = 'Run the script only on a service whose data you can lose.'
  if (trace?.isHazardous === true) return `The script could destroy records that it has not created. ${onlyIf}`
  return requests.some(({ caller }) => caller.kind === 'wrong-password')
    ? `The script sends a wrong password for a real user, whose account may then be locked. ${onlyIf}`
    : undefined
}

const ofOwnRecord = 'The script creates a record of its own, and removes it.'

/**
 * A shell comment on one line. Line breaks in the text become spaces, because a line break would
 * end the comment.
 */
const comment = (text: string): string => `# ${text.replace(/\s+/g, ' ')}`

const word = (text: string): string => `'${text.replace(/[^\P{Cc}]/gu, ' ').replaceAll("'", "'\\''")}'`
