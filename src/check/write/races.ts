/** Runs races several times, and counts the rounds without exactly one winner. */

import type { Exchange } from '../client/exchange.js'
import type { Sign } from '../sign.js'
import type { Evidence, Outcome } from '../verdict.js'
import { holds, Unchecked } from '../verdict.js'
import type { Owner } from './own-record.js'

/** The number of clients in a race. */
export const clients = 5

/** Each client with a successful answer is a winner. */
export const winners: Sign = { kind: 'winners' }

/** The result of one race. */
export interface Round {
  /** The responses to successful clients. */
  readonly winners: readonly Exchange[]
  readonly answers: readonly Exchange[]
}

/**
 * A round in which every client that did not succeed must be refused. Throws `Unchecked` for any
 * other answer.
 */
export function roundOf(answers: readonly Exchange[], isRefused: (exchange: Exchange) => boolean): Round {
  const odd = answers.find((one) => one.answer.status >= 300 && !isRefused(one))
  if (odd !== undefined) throw new Unchecked(`${odd.request.method} was answered ${odd.answer.status} in a race`)
  return { winners: answers.filter(({ answer }) => answer.status < 300), answers }
}

/**
 * Runs `round` several times. A break in every round breaks the rule; in some of them it is a rate.
 *
 * @param address opens connections to it before the first round, so that all requests of a race
 *   leave at once
 * @param sign how a script recognizes the break; `undefined` if none can show it, because the
 *   requests hold values of a record that a script can't replace, or depend on their order
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
  const hasNone = first.winners.length === 0
  const evidence = (hasNone ? first.answers : first.winners).slice(0, 2) as unknown as Evidence
  const seen = `${lost.length} of ${runs} races had ${hasNone ? 'no winner' : 'two winners or more'}`
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
