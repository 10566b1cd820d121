/**
 * Checks of POST, PUT, PATCH and DELETE (VERB-2, VERB-3, VERB-5, VERB-6, VERB-9, VERB-10, VERB-12,
 * HDR-2, HDR-5, REP-8). They change only records that they have created.
 */
import type { JsonObject } from '../../definition/json.js'
import { header, mediaType } from '../../wire.js'
import type { WriteCheck } from '../check.js'
import { describe, expectStatus } from '../checks/expecting.js'
import { breaks, breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { ifMatch, memberLost, mergePatch, newRecord, otherMember, patchedRecord, patchOf, putBack } from './changes.js'
import { type Owner, withJson } from './own-record.js'

export const writeChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-2/location',
    rule: 'POST returns 201 or 202 with the absolute URL of the new item in `Location`.',
    why: 'Clients use this address to read and change the new item.',
    fix: 'Send Location with 201 and 202, and serve the item there.',
    run: shownAtLocation,
  },
  {
    id: 'VERB-12/repeat',
    rule: 'A retry of a POST with the same `Idempotency-Key` creates nothing, and gets the first response.',
    why: 'A client that repeats a request after a lost response must not create two items.',
    fix: 'Store the key with the new item, in the same transaction.',
    async run(owner) {
      if (owner.creation.idempotent !== true) throw new NotApplicable('POST accepts no Idempotency-Key')
      const { number, exchange, marker, options } = await owner.post()
      const address = owner.addressOf(exchange)
      if (address === undefined) throw new Unchecked('the response to POST has no address of a new item')
      await owner.recordCreated(number, address, exchange, marker)
      const second = await owner.list.service.client.send('POST', exchange.request.url, options)
      const other = owner.addressOf(second)
      if (other === address) return holds
      // The repeated request has created another item, which the check must also remove.
      if (other !== undefined) await owner.recordUnexpected(other, second, marker)
      return breaksBy(
        { kind: 'unequal', answers: [0, 1], name: header.location },
        `Location: ${exchange.answer.field(header.location)}`,
        `${second.answer.status}, Location: ${second.answer.field(header.location) ?? '(absent)'}`,
        exchange,
        second,
      )
    },
  },
  {
    id: 'VERB-3/unchanged',
    rule: 'PUT accepts the result of GET, returns 200 and keeps the id.',
    why: 'Clients read an item, change one member and send the whole item back.',
    fix: 'Accept read-only members and links with their current values.',
    async run(owner) {
      const record = await newRecord(owner, 'PUT')
      return putBack(owner, record, record.exchange, 'the result of GET')
    },
  },
  {
    id: 'VERB-5/merge',
    rule: 'PATCH changes only the members in its body.',
    why: 'Clients that change different members must not undo the changes of one another.',
    fix: 'Merge the body into the stored item (RFC 7396).',
    async run(owner) {
      const { own, ...before } = await newRecord(owner, 'PATCH')
      const change = patchOf(owner, own.marker, 1)
      const patch = await owner.send('PATCH', own, mergePatch(change, ifMatch(before.tag)))
      const wrong = expectStatus(patch, [200], 'PATCH of a text member')
      if (wrong !== undefined) return wrong
      const after = await owner.current(own)
      const wanted: JsonObject = { ...before.value, ...change }
      const other = otherMember(wanted, after.value)
      if (other === undefined) return holds
      const what = `"${other}" with its sent or previous value`
      return memberLost(what, other, wanted[other], before.exchange, patch, after.exchange)
    },
  },
  {
    id: 'HDR-2/after-change',
    rule: 'After a change an item has a new tag.',
    why: 'A client with the old tag must not mistake the old representation for the current one.',
    fix: 'Compute the tag from the version of the item, and change the version with each change.',
    async run(owner) {
      const { before, patch, after } = await changed(owner)
      if (after.tag !== before.tag) return holds
      const sign = { kind: 'equal', answers: [0, 2], name: header.etag } as const
      return breaksBy(sign, 'a new tag after the change', after.tag, before.exchange, patch, after.exchange)
    },
  },
  {
    id: 'VERB-10/tag',
    rule: 'The response to a change has the new tag.',
    why: 'Clients continue with this tag, without another GET.',
    fix: 'Send the new tag with responses to PUT and PATCH.',
    async run(owner) {
      const { patch, after } = await changed(owner)
      const sent = patch.answer.field(header.etag)
      if (sent === after.tag) return holds
      const sign = { kind: 'unequal', answers: [0, 1], name: header.etag } as const
      return breaksBy(sign, `Etag: ${after.tag} in the response to the change`, sent ?? 'none', patch, after.exchange)
    },
  },
  {
    id: 'VERB-6/delete',
    needs: ['ERR-1/missing-item'],
    rule: 'The response to DELETE has no body, and afterwards GET of the item returns 404.',
    why: 'A deleted item must be gone for every client.',
    fix: 'Answer DELETE with 204, and GET of a deleted item with 404.',
    run: goneAfterDelete,
  },
  {
    id: 'VERB-3/creates-nothing',
    needs: ['ERR-1/missing-item', 'VERB-6/delete'],
    rule: 'PUT of an item that does not exist returns 404, and creates nothing.',
    why: 'A client that changes a deleted item must get an error.',
    fix: 'Answer PUT with 404 if there is no item. Only POST creates items.',
    async run(owner) {
      const { own, tag, value } = await newRecord(owner, 'PUT', 'DELETE')
      await owner.send('DELETE', own, { headers: ifMatch(tag) })
      if ((await owner.send('GET', own)).answer.status !== 404) throw new Unchecked('DELETE did not remove the item')
      const put = await owner.send('PUT', own, withJson(value))
      return expectStatus(put, [404], 'PUT of an item that was deleted') ?? holds
    },
  },
  {
    id: 'HDR-5/body',
    rule: 'A body of an unsupported media type gets 415, and a malformed body gets 400.',
    why: 'The status tells the client what is wrong with its body.',
    fix: 'Check Content-Type first, then parse, then validate.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const plain = { headers: { [header.contentType]: 'text/plain', ...ifMatch(tag) }, body: 'text' }
      const foreign = expectStatus(await owner.send('PATCH', own, plain), [415], 'a body in text/plain')
      if (foreign !== undefined) return foreign
      const broken = { headers: { [header.contentType]: mediaType.mergePatch, ...ifMatch(tag) }, body: '{"x":' }
      return expectStatus(await owner.send('PATCH', own, broken), [400], 'a malformed JSON body') ?? holds
    },
  },
  {
    id: 'REP-8/unknown-member',
    rule: 'An unknown member in a body gets 422.',
    why: 'If a misspelt member is ignored, the change seems to have succeeded.',
    fix: 'Answer with 422 if a body has a member that the schema does not have.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const patch = await owner.send('PATCH', own, mergePatch({ noSuchMember: 1 }, ifMatch(tag)))
      return expectStatus(patch, [422], 'an unknown member') ?? holds
    },
  },
  {
    id: 'VERB-9/not-offered',
    rule: 'A method that a URL does not offer gets 405 with `Allow`.',
    why: 'Clients can use one of the allowed methods instead.',
    fix: 'Answer a method that is not offered with 405, and list the offered methods in Allow.',
    async run(owner) {
      if (owner.list.target.itemMethods.includes('POST')) throw new NotApplicable('items accept POST')
      const own = await owner.make()
      const post = await owner.send('POST', own, withJson({}))
      const wrong = expectStatus(post, [405], 'POST of an item')
      if (wrong !== undefined) return wrong
      if (post.answer.field(header.allow) !== undefined) return holds
      return breaksBy({ kind: 'no-field', answer: 0, name: header.allow }, 'a field Allow', 'none', post)
    },
  },
]

/** Creates and patches a record, and returns its state before and after the PATCH. */
async function changed(owner: Owner) {
  const { own, before, patch } = await patchedRecord(owner)
  return { before, patch, after: await owner.current(own) }
}

/**
 * Checks that the response to POST contains the URL of the new item, and that GET of this URL
 * returns the item.
 */
export async function shownAtLocation(owner: Owner): Promise<Outcome> {
  const { number, exchange, marker } = await owner.post()
  const wrong = expectStatus(exchange, [201, 202], 'POST of a new item')
  if (wrong !== undefined) return wrong
  const location = exchange.answer.field(header.location)
  if (location === undefined)
    return breaksBy({ kind: 'no-field', answer: 0, name: header.location }, 'a field Location', 'none', exchange)
  if (!/^https?:\/\//.test(location)) return breaks('an absolute address in Location', location, exchange)
  const address = owner.addressOf(exchange)
  if (address === undefined) return breaks(`an address directly below ${exchange.request.url}`, location, exchange)
  const shown = await owner.list.service.client.send('GET', address)
  if (shown.answer.status !== 200)
    return breaksBy(
      { kind: 'status', answer: 1, expected: [200] },
      '200 at the address of the new item',
      describe(shown),
      exchange,
      shown,
    )
  await owner.recordCreated(number, address, exchange, marker)
  return holds
}

/**
 * Checks that the response to DELETE of a new item has no body, and that GET responds with 404
 * afterwards.
 */
export async function goneAfterDelete(owner: Owner): Promise<Outcome> {
  const { own, tag } = await newRecord(owner, 'DELETE')
  const removed = await owner.send('DELETE', own, { headers: ifMatch(tag) })
  if (removed.answer.status === 412 && (await owner.current(own)).tag !== tag)
    throw new Unchecked('the tag of an item changes while the item does not change')
  const wrong = expectStatus(removed, [200, 202, 204], 'DELETE of an item')
  if (wrong !== undefined) return wrong
  if (removed.answer.body !== '') return breaksBy({ kind: 'body', answer: 0 }, 'no body', describe(removed), removed)
  const after = await owner.send('GET', own)
  if (after.answer.status === 404) return holds
  const sign = { kind: 'status', answer: 1, expected: [404] } as const
  return breaksBy(sign, '404 after DELETE', describe(after), removed, after)
}
