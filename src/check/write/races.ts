/** Runs a race several times, and counts the races that do not have exactly one winner. */

import type { Exchange } from '../client/exchange.js'
import type { Sign } from '../sign.js'
import type { Evidence, Outcome } from '../verdict.js'
import { holds, Unchecked } from '../verdict.js'
import type { Owner } from './own-record.js'

/** The number of clients in a race. */
export const clients = 5

/**
 * The test by which a script recognizes a race that does not have exactly one winner. Each client
 * with a successful response is a winner.
 */
export const winners: Sign = { kind: 'winners' }

/** The result of one race. */
export interface Round {
  /** The requests that succeeded and have changed or created something, with their responses. */
  readonly winners: readonly Exchange[]
  readonly answers: readonly Exchange[]
}

/**
 * The result of a race in which each client must succeed or be refused. `isRefused` recognizes a
 * refusal. Throws `Unchecked` for any other response.
 */
export function roundOf(answers: readonly Exchange[], isRefused: (exchange: Exchange) => boolean): Round {
  const odd = answers.find((one) => one.answer.status >= 300 && !isRefused(one))
  if (odd !== undefined) throw new Unchecked(`${odd.request.method} got ${odd.answer.status} in a race`)
  return { winners: answers.filter(({ answer }) => answer.status < 300), answers }
}

/**
 * Runs a race several times. The verdict is `holds` if all races have exactly one winner, `flaky`
 * if only some have, and `breaks` if none has.
 *
 * @param address the URL to which connections are opened before the first race, so that all
 * requests of a race are sent at once
 * @param sign how a script recognizes the violation. `undefined` if no script can reproduce the
 * violation. For example, the requests may contain values of the record that the check created. A
 * script creates a record of its own, and can't put the values of that record into the requests
 */
export async function decideRaces(
  owner: Owner,
  address: string,
  runs: number,
  round: (number: number) => Promise<Round>,
  sign: Sign | undefined,
): Promise<Outcome> {
  const lost: Round[] = []
  await owner.list.service.client.warmUp(address, clients)
  for (let number = 0; number < runs; number++) {
    const found = await round(number)
    if (found.winners.length !== 1) lost.push(found)
  }
  const [first] = lost
  if (first === undefined) return holds
  const evidence = (first.winners.length === 0 ? first.answers : first.winners).slice(0, 2) as unknown as Evidence
  const without = lost.filter((race) => race.winners.length === 0).length
  const counts = { 'two winners or more': lost.length - without, 'no winner': without }
  const seen = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} of ${runs} races had ${what}`)
    .join(', and ')
  const found = {
    expected: 'exactly one winner',
    seen,
    evidence,
    ...(sign === undefined ? { unscripted: true } : { sign }),
  }
  return lost.length === runs
    ? { verdict: 'breaks', ...found }
    : { verdict: 'flaky', broken: lost.length, runs, ...found }
}
