/** `If-Match`: one after the other, and in races (HDR-3). */
import type { WriteCheck } from '../check.js'
import { describe, expectStatus, firstBreak } from '../checks/expecting.js'
import type { SendOptions } from '../client/client.js'
import type { Exchange } from '../client/exchange.js'
import { success } from '../sign.js'
import { breaksBy, holds, type Outcome, Unchecked } from '../verdict.js'
import { ifMatch, mergePatch, needsMethod, newRecord, patchedRecord, patchOf } from './changes.js'
import type { Owner, OwnRecord } from './own-record.js'
import { withJson } from './own-record.js'

/** Races of one check. */
const races = 20

/** Clients of one race. */
const clients = 6

export const preconditionChecks: readonly WriteCheck[] = [
  {
    id: 'HDR-3/stale',
    needs: ['HDR-2/after-change'],
    rule: 'PUT, PATCH and DELETE with the tag of an earlier version are 412.',
    why: 'The change of another client would be lost.',
    fix: 'Compare If-Match with the current tag for every method that changes.',
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
        expectStatus(await owner.send(method, own, options), [412], `${method} with the tag of an earlier version`),
      )
      return found ?? holds
    },
  },
  {
    id: 'HDR-3/weak',
    needs: ['HDR-2/item'],
    rule: 'A weak tag in `If-Match` is 412.',
    why: 'A weak tag does not say that nothing has changed.',
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
    rule: '`If-Match` takes a list of tags, and `*` for any version.',
    why: 'Clients use the syntax that HTTP defines.',
    fix: 'Read If-Match as a list (RFC 9110 13.1.1).',
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
  {
    id: 'HDR-3/race',
    needs: ['HDR-3/stale', 'HDR-2/after-change'],
    rule: `Of ${clients} clients that change an item with one tag at the same time, exactly one succeeds.`,
    why: 'If two succeed, one change is lost without notice.',
    fix: 'Compare the tag in the statement that writes: UPDATE ... WHERE id = ... AND version = ...',
    async run(owner) {
      needsMethod(owner, 'PATCH')
      const own = await owner.make()
      return rateOf(await raceOften(owner, own))
    },
  },
]

/** The races of which more than one client was a winner, or none. */
async function raceOften(owner: Owner, own: OwnRecord): Promise<readonly (readonly Exchange[])[]> {
  const lost: (readonly Exchange[])[] = []
  await owner.list.service.client.warmUp(own.address, clients)
  for (let race = 0; race < races; race++) {
    const { tag } = await owner.current(own)
    const each = Array.from({ length: clients }, (_, n) =>
      mergePatch(patchOf(owner, own.marker, (race * clients + n + 1) % 100), ifMatch(tag)),
    )
    const answers = await owner.list.service.client.race('PATCH', own.address, each)
    const odd = answers.find(({ answer }) => answer.status !== 412 && answer.status >= 300)
    if (odd !== undefined) throw new Unchecked(`a client of a race was answered ${odd.answer.status}`)
    const winners = answers.filter(({ answer }) => answer.status < 300)
    if (winners.length !== 1) lost.push(winners.length === 0 ? answers : winners)
  }
  return lost
}

function rateOf(lost: readonly (readonly Exchange[])[]): Outcome {
  const [first] = lost
  const [one, other] = first ?? []
  if (one === undefined) return holds
  const seen = `${lost.length} of ${races} races had ${one.answer.status === 412 ? 'no winner' : 'two winners or more'}`
  const evidence = other === undefined ? ([one] as const) : ([one, other] as const)
  const found = { expected: 'exactly one winner', seen, evidence, sign: { kind: 'winners' } as const }
  return lost.length === races
    ? { verdict: 'breaks', ...found }
    : { verdict: 'flaky', broken: lost.length, runs: races, ...found }
}
