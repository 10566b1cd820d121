/**
 * Checks that run races, in which several clients write at the same time (HDR-3, VERB-2, VERB-12).
 */
import type { WriteCheck } from '../check.js'
import type { Racer } from '../client/client.js'
import type { Exchange } from '../client/exchange.js'
import { NotApplicable, Unchecked } from '../verdict.js'
import { ifMatch, mergePatch, needsMethod, patchOf } from './changes.js'
import { isRefused, type Owner, type OwnRecord, withJson } from './own-record.js'
import { clients, decideRaces, type Round, roundOf, winners } from './races.js'

export const raceChecks: readonly WriteCheck[] = [
  {
    id: 'HDR-3/race',
    needs: ['HDR-3/stale', 'HDR-2/after-change'],
    rule: `Of ${clients} clients that PATCH an item at the same time with the same tag, exactly one succeeds.`,
    why: 'If two succeed, one change is lost without notice.',
    fix: 'Compare the tag in the statement that writes: UPDATE ... WHERE id = ... AND version = ...',
    async run(owner) {
      needsMethod(owner, 'PATCH')
      const own = await owner.make()
      return decideRaces(owner, own.address, 20, (race) => changeRound(owner, own, race, patchRacer), winners)
    },
  },
  {
    id: 'HDR-3/race-put',
    needs: ['HDR-3/stale', 'HDR-2/after-change', 'VERB-3/unchanged'],
    rule: `Of ${clients} clients that PUT an item at the same time with the same tag, exactly one succeeds.`,
    why: 'If two succeed, one change is lost without notice.',
    fix: 'Compare the tag in the statement that writes: UPDATE ... WHERE id = ... AND version = ...',
    async run(owner) {
      needsMethod(owner, 'PUT')
      const own = await owner.make()
      return decideRaces(owner, own.address, 12, (race) => changeRound(owner, own, race, putRacer), undefined)
    },
  },
  {
    id: 'HDR-3/race-delete',
    needs: ['HDR-3/stale', 'HDR-2/after-change', 'VERB-6/delete'],
    rule: 'Of clients that PATCH and DELETE an item at the same time with the same tag, exactly one succeeds.',
    why: 'If a PATCH and a DELETE both succeed, a change is lost, or a deleted item is restored.',
    fix: 'Compare the tag in the statement that deletes: DELETE ... WHERE id = ... AND version = ...',
    async run(owner) {
      for (const method of ['PATCH', 'DELETE']) needsMethod(owner, method)
      return decideRaces(
        owner,
        `${owner.list.service.base}${owner.list.path}`,
        10,
        (race) => deleteRound(owner, race),
        undefined,
      )
    },
  },
  {
    id: 'VERB-2/race',
    rule: `Of ${clients} clients that create an item with the same id at the same time, exactly one succeeds.`,
    why: 'If two succeed, one of them has overwritten the item of the other.',
    fix: 'Let the store refuse the second item, with a unique constraint on the key.',
    run(owner) {
      const { unique = [], marker } = owner.creation
      if (!owner.list.key.every((name) => unique.includes(name)))
        throw new NotApplicable(`clients do not choose the ids of ${owner.list.target.template}`)
      if (marker === undefined)
        throw new Unchecked('no member is known that can contain the marker, so the items could not be found again')
      return decideRaces(
        owner,
        `${owner.list.service.base}${owner.list.path}`,
        8,
        () => createRound(owner, false),
        winners,
      )
    },
  },
  {
    id: 'VERB-12/race',
    needs: ['VERB-12/repeat'],
    rule: `Of ${clients} equal POSTs with the same \`Idempotency-Key\` at the same time, only one creates an item.`,
    why: 'A client that repeats a request before the first response must not create two items.',
    fix: 'Store the key and the item in one transaction, with a unique constraint on the key.',
    run(owner) {
      if (owner.creation.idempotent !== true) throw new NotApplicable('POST accepts no Idempotency-Key')
      return decideRaces(
        owner,
        `${owner.list.service.base}${owner.list.path}`,
        8,
        () => createRound(owner, true),
        undefined,
      )
    },
  },
]

type Current = Awaited<ReturnType<Owner['current']>>

const patchRacer = (owner: Owner, own: OwnRecord, { tag }: Current, n: number): Racer => ({
  method: 'PATCH',
  ...mergePatch(patchOf(owner, own.marker, n), ifMatch(tag)),
})

const putRacer = (owner: Owner, own: OwnRecord, { tag, value }: Current, n: number): Racer => ({
  method: 'PUT',
  ...withJson({ ...value, ...patchOf(owner, own.marker, n) }, ifMatch(tag)),
})

/** Runs one race of changes. All requests except one must be refused with 412. */
async function changeRound(owner: Owner, own: OwnRecord, race: number, racer: typeof patchRacer): Promise<Round> {
  const before = await owner.current(own)
  const each = Array.from({ length: clients }, (_, n) => racer(owner, own, before, (race * clients + n + 1) % 100))
  const answers = await owner.list.service.client.race(own.address, each)
  // If the tag of the item never changes, the service can't detect requests with an outdated tag.
  if (race === 0 && (await owner.current(own)).tag === before.tag)
    throw new Unchecked('the tag is the same after a change')
  return roundOf(answers, isStale)
}

/** Runs one race in which some clients change an item and the others delete it. */
async function deleteRound(owner: Owner, race: number): Promise<Round> {
  const own = await owner.make()
  const before = await owner.current(own)
  const each = Array.from({ length: clients }, (_, n) =>
    n % 2 === race % 2 ? patchRacer(owner, own, before, n + 1) : { method: 'DELETE', headers: ifMatch(before.tag) },
  )
  return roundOf(await owner.list.service.client.race(own.address, each), isStaleOrGone)
}

const isStale = ({ answer }: Exchange): boolean => answer.status === 412

/**
 * Whether a client was refused in a race with DELETE. A request that is handled after the DELETE
 * gets 404, because services check whether an item exists before they check preconditions.
 */
const isStaleOrGone = ({ answer }: Exchange): boolean => answer.status === 412 || answer.status === 404

/**
 * Sends the same POST several times at once. All records that are created are entered into the
 * ledger.
 *
 * @param key whether the requests have an `Idempotency-Key`, which is then the same for all. With a
 * key, several responses with the same item URL count as one winner, because only one request has
 * created the item
 */
async function createRound(owner: Owner, key: boolean): Promise<Round> {
  const post = await owner.intend({ key })
  const each = Array.from({ length: clients }, () => ({ method: 'POST', ...post.options }))
  const answers = await owner.list.service.client.race(post.url, each)
  const created = answers.filter((one) => owner.addressOf(one) !== undefined)
  const first = new Map(created.map((one) => [owner.addressOf(one) as string, one]).reverse() as [string, Exchange][])
  const [own, ...others] = first.keys()
  if (own !== undefined) await owner.recordCreated(post.number, own, first.get(own) as Exchange, post.marker)
  for (const address of others) await owner.recordUnexpected(address, first.get(address) as Exchange, post.marker)
  const odd = answers.find((one) => !created.includes(one) && !isRefusedPost(one))
  if (odd !== undefined) throw new Unchecked(`POST got ${odd.answer.status} in a race`)
  if (created.length === 0) owner.noteRefusal(post.number)
  return { winners: key ? [...first.values()] : created, answers }
}

/**
 * Whether a POST was refused. The response is 422 if the id exists. While a request with the same
 * key is in progress, the response is 503, or 409 in some services.
 */
const isRefusedPost = (exchange: Exchange): boolean => isRefused(exchange) || exchange.answer.status === 503
