/** Helpers for the most common kind of check: one request, and its expected status. */
import type { Exchange } from '../client/exchange.js'
import { breaksBy, type Outcome } from '../verdict.js'

/** A break if the status is a different one. */
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

/** The status and the beginning of the body. */
export function describe({ answer: { status, type, body } }: Exchange): string {
  const what = body === '' ? 'without a body' : `with ${type === '' ? 'a body' : type}`
  return `${status} ${what}`
}

/** The first break of several requests, in their order. `undefined` if there is none. */
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
