/** A shell script for each break, which reproduces it without this package. */
import { clauses } from '../../clauses.js'
import { safeMethods } from '../../http/safe-methods.js'
import type { Principal } from '../client/principals.js'
import type { Break, Result } from '../verdict.js'
import { curlOf, variablesOf } from './curl.js'
import { breakOf } from './report.js'

export interface Script {
  /** Such as `QUERY-7-total-orders.sh`. */
  readonly name: string
  readonly text: string
}

/** The scripts of all breaks. */
export function scriptsOf(results: readonly Result[], principals: readonly Principal[]): readonly Script[] {
  const byName = new Map(principals.map((principal) => [principal.name, principal]))
  return results.flatMap((result) => {
    const found = breakOf(result)
    return found === undefined ? [] : [{ name: nameOf(result), text: scriptOf(result, found, byName) }]
  })
}

const nameOf = ({ check, where }: Result): string =>
  `${`${check}-${where}`.replace(/[^\w]+/g, '-').replace(/^-|-$/g, '')}.sh`

function scriptOf(
  result: Result,
  { expected, seen, evidence }: Break,
  principals: ReadonlyMap<string, Principal>,
): string {
  const { check, clause, where, rule, fix } = result
  const requests = evidence.map(({ request }) => request)
  const lines = [
    '#!/bin/sh',
    comment(`${check} at ${where}: ${rule}`),
    comment(`${clause}, ${clauses[clause].title}: ${clauses[clause].text}`),
    comment(`Fix: ${fix}`),
    ...(requests.some(({ method }) => !safeMethods.has(method)) ? [comment(ofOwnRecord)] : []),
    'set -eu',
    ...variablesOf(requests, principals).map((name) => `: "\${${name}:?set it to a token}"`),
    ...evidence.flatMap(({ request, answer }) => [
      '',
      comment(`Answered ${answer.status}.`),
      curlOf(request, principals),
      'echo',
    ]),
    '',
    `echo ${word(`Expected: ${expected}`)}`,
    `echo ${word(`Seen before: ${seen}`)}`,
    '',
  ]
  return lines.join('\n')
}

/** Records of the check are removed at the end of a run. */
const ofOwnRecord =
  'The check has removed its record. Replace the address and the tag by those of a record of your own.'

/** A comment on one line: a line break would end it. */
const comment = (text: string): string => `# ${text.replace(/\s+/g, ' ')}`

const word = (text: string): string => `'${text.replace(/[^\P{Cc}]/gu, ' ').replaceAll("'", "'\\''")}'`
