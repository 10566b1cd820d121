/** Checks that a refused write changes nothing (VERB-13). */
import { header, parameter } from '../../wire.js'
import type { WriteCheck } from '../check.js'
import { describe, firstBreak } from '../checks/expecting.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf } from '../listing.js'
import { valueAt } from '../listings.js'
import { breaks, breaksBy, holds, Unchecked } from '../verdict.js'
import { changing, ifMatch, memberText, newRecord, patchOf } from './changes.js'

/**
 * A media type that no service offers. If a service checks `Accept` too late, it has already made
 * the change when it refuses the request.
 */
const unacceptable = { [header.accept]: 'application/x-no-such-type' }

/** Whether a response is a refusal. Throws `Unchecked` if the outcome is unknown. */
function isRefusal({ request, answer: { status } }: Exchange): boolean {
  if (status >= 500) throw new Unchecked(`${request.method} got ${status}, so the outcome is unknown`)
  return status >= 400
}

export const committedChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-13/change',
    needs: ['VERB-3/unchanged', 'VERB-5/merge'],
    rule: 'A refused PUT or PATCH changes nothing.',
    why: 'If a refused request changes the item, the client does not know of the change, and overwrites or repeats it.',
    fix: 'Check Accept and validate the whole body before any change.',
    async run(owner) {
      const { own } = await newRecord(owner)
      const refusals = [
        { headers: unacceptable, more: {} },
        { headers: {}, more: { noSuchMember: 1 } },
      ]
      const found = await firstBreak(refusals.entries(), async ([at, { headers, more }]) => {
        const { tag } = await owner.current(own)
        const [[name = '', value = ''] = []] = Object.entries(patchOf(owner, own.marker, at + 1))
        const { method, options } = changing(owner, own, { [name]: value, ...more }, { ...headers, ...ifMatch(tag) })
        const change = await owner.send(method, own, options)
        if (!isRefusal(change)) return undefined
        const after = await owner.current(own)
        if (after.value[name] !== value) return undefined
        const sign = { kind: 'shows', answer: 1, text: memberText(name, value) } as const
        const expected = `"${name}" with its value before the refused ${method}`
        return breaksBy(sign, expected, `${change.answer.status}, and the new value`, change, after.exchange)
      })
      return found ?? holds
    },
  },
  {
    id: 'VERB-13/create',
    rule: 'A refused POST creates nothing.',
    why: 'A client that repeats a refused request must not create two items.',
    fix: 'Check Accept before creating anything.',
    async run(owner) {
      const { list, ledger } = owner
      const { marker: member } = owner.creation
      if (member === undefined || !list.target.filters.some(({ name }) => name === member))
        throw new Unchecked('no filter could find an item that a refused POST may have created')
      const { number, url, marker, options } = await owner.intend()
      const post = await list.service.client.send('POST', url, {
        ...options,
        headers: { ...options.headers, ...unacceptable },
      })
      if (!isRefusal(post)) {
        const address = owner.addressOf(post)
        if (address !== undefined) await owner.recordCreated(number, address, post, marker)
        return holds
      }
      const after = await list.list({ [member]: marker, [parameter.size]: 1 })
      const item = itemsOf(after).find((one) => valueAt(one, member) === marker)
      if (item === undefined) {
        ledger.done(number)
        return holds
      }
      // The entry in the ledger stays open, so the cleanup searches for the marker.
      const sign = { kind: 'shows', answer: 1, text: memberText(member, marker) } as const
      return breaksBy(sign, 'no new item after a refused POST', `${post.answer.status}, and a new item`, post, after)
    },
  },
  {
    id: 'VERB-13/delete',
    needs: ['ERR-1/missing-item', 'VERB-6/delete'],
    rule: 'A refused DELETE removes nothing.',
    why: 'After a refusal, the client assumes that the item still exists.',
    fix: 'Check Accept before removing anything.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'DELETE')
      const removed = await owner.send('DELETE', own, { headers: { ...unacceptable, ...ifMatch(tag) } })
      if (!isRefusal(removed)) return holds
      const after = await owner.send('GET', own)
      return after.answer.status === 404
        ? breaks('200 for GET after a refused DELETE', `${describe(removed)}, and then 404`, removed, after)
        : holds
    },
  },
]
