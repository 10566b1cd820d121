/** Checks of `If-Match` without concurrent requests (HDR-3). */
import type { WriteCheck } from '../check.js'
import { describe, expectStatus, firstBreak } from '../checks/expecting.js'
import type { SendOptions } from '../client/client.js'
import { success } from '../sign.js'
import { breaksBy, holds } from '../verdict.js'
import { ifMatch, mergePatch, needsMethod, newRecord, patchedRecord, patchOf } from './changes.js'
import { withJson } from './own-record.js'

export const preconditionChecks: readonly WriteCheck[] = [
  {
    id: 'HDR-3/stale',
    needs: ['HDR-2/after-change'],
    rule: 'PUT, PATCH and DELETE with an outdated tag in `If-Match` get 412.',
    why: 'Otherwise the change of another client would be lost.',
    fix: 'Compare If-Match with the current tag for every write method.',
    async run(owner) {
      const { own, before } = await patchedRecord(owner)
      const { tag: stale, value } = before
      const attempts: readonly (readonly [string, SendOptions])[] = [
        ['PATCH', mergePatch(patchOf(owner, own.marker, 2), ifMatch(stale))],
        ['PUT', withJson(value, ifMatch(stale))],
        ['DELETE', { headers: ifMatch(stale) }],
      ]
      const offered = attempts.filter(([method]) => owner.list.target.itemMethods.includes(method))
      const found = await firstBreak(offered, async ([method, options]) =>
        expectStatus(await owner.send(method, own, options), [412], `${method} with an outdated tag`),
      )
      return found ?? holds
    },
  },
  {
    id: 'HDR-3/weak',
    needs: ['HDR-2/item'],
    rule: 'A weak tag in `If-Match` gets 412.',
    why: 'A weak tag does not prove that the item is unchanged.',
    fix: 'Compare If-Match strongly (RFC 9110 13.1.1).',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const patch = await owner.send(
        'PATCH',
        own,
        mergePatch(patchOf(owner, own.marker, 1), ifMatch(`W/${tag.replace(/^W\//, '')}`)),
      )
      return expectStatus(patch, [412], 'a weak tag in If-Match') ?? holds
    },
  },
  {
    id: 'HDR-3/list',
    rule: '`If-Match` accepts a list of tags, and `*` for any tag.',
    why: 'Clients use the syntax that HTTP defines.',
    fix: 'Parse If-Match as a list (RFC 9110 13.1.1).',
    async run(owner) {
      needsMethod(owner, 'PATCH')
      const own = await owner.make()
      const found = await firstBreak([1, 2], async (n) => {
        const { tag } = await owner.current(own)
        const field = n === 1 ? `"no-such-tag", ${tag}` : '*'
        const patch = await owner.send('PATCH', own, mergePatch(patchOf(owner, own.marker, n), ifMatch(field)))
        if (patch.answer.status < 300) return undefined
        const sign = { kind: 'status', answer: 0, expected: success } as const
        return breaksBy(sign, `success for If-Match: ${field}`, describe(patch), patch)
      })
      return found ?? holds
    },
  },
]
