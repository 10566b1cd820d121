/**
 * Read-only checks of flags (PATH-8). A flag has a URL below an item, such as `/orders/7/starred`.
 * PUT sets the flag, and DELETE unsets it.
 */
import type { ListCheck } from '../check.js'
import type { Listing } from '../listing.js'
import type { Flag } from '../target/target.js'
import { breaksBy, holds, NotApplicable } from '../verdict.js'
import { describe, firstBreak } from './expecting.js'

/**
 * The maximum number of items whose flags are read. Several items are read, because a flag may be
 * set for one item and not set for another.
 */
const maxItems = 3

/** The flags below the items of the collection. Throws `NotApplicable` if there are none. */
export function flagsOf({ target }: Listing): readonly Flag[] {
  const { flags = [], template } = target
  if (flags.length === 0) throw new NotApplicable(`items of ${template} have no flags`)
  return flags
}

export const flagChecks: readonly ListCheck[] = [
  {
    id: 'PATH-8/read',
    needs: ['VERB-1/item'],
    rule: 'GET of a flag returns 204 if the flag is set and 404 if it is not set. HEAD returns 302 or 404.',
    why: 'Clients read the flags of all services in the same way, by the status.',
    fix: 'Answer GET of a flag with 204 or 404, and HEAD with 302 or 404. Send no body for a flag that is set.',
    async run(list) {
      const flags = flagsOf(list).filter(({ methods }) => methods.includes('GET'))
      if (flags.length === 0) throw new NotApplicable(`flags of ${list.target.template} cannot be read`)
      const items = (await list.items()).slice(0, maxItems).map((item) => list.pathOf(item))
      const places = items.flatMap((item) => flags.map(({ name }) => `${item}/${name}`))
      const found = await firstBreak(places, async (path) => {
        const get = await list.send('GET', path)
        const { status, body } = get.answer
        if (status !== 204 && status !== 404) {
          const sign = { kind: 'status', answer: 0, expected: [204, 404] } as const
          return breaksBy(sign, '204 or 404 for GET of a flag', describe(get), get)
        }
        if (status === 204 && body !== '') return breaksBy({ kind: 'body', answer: 0 }, 'no body', describe(get), get)
        const head = await list.send('HEAD', path)
        const expected = status === 204 ? 302 : 404
        if (head.answer.status === expected) return undefined
        const sign = { kind: 'status', answer: 1, expected: [expected] } as const
        return breaksBy(sign, `${expected} for HEAD of a flag whose GET is ${status}`, describe(head), get, head)
      })
      return found ?? holds
    },
  },
]
