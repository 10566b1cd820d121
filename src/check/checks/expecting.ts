/**
 * Helpers for the most common kind of check, which sends a request and compares the status of the
 * response.
 */
import type { Exchange } from '../client/exchange.js'
import { breaksBy, type Outcome } from '../verdict.js'

/**
 * Returns a violation if the status is not one of `statuses`. Returns `undefined` otherwise. `when`
 * describes the request in reports.
 */
export function expectStatus(exchange: Exchange, statuses: readonly number[], when: string): Outcome | undefined {
  const { status } = exchange.answer
  if (statuses.includes(status)) return undefined
  return breaksBy(
    { kind: 'status', answer: 0, expected: statuses },
    `${statuses.join(' or ')} for ${when}`,
    describe(exchange),
    exchange,
  )
}

/**
 * Describes a response by its status and media type, such as `404 with application/problem+json`.
 */
export function describe({ answer: { status, type, body } }: Exchange): string {
  const what = body === '' ? 'without a body' : `with ${type === '' ? 'a body' : type}`
  return `${status} ${what}`
}

/**
 * Calls `look` with each value, one after the other, and returns the first violation that `look`
 * finds. Returns `undefined` if there is none.
 */
export async function firstBreak<T>(
  all: Iterable<T>,
  look: (one: T) => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  for (const one of all) {
    const found = await look(one)
    if (found !== undefined) return found
  }
  return undefined
}
