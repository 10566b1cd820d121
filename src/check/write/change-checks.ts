/**
 * Checks of JSON Patch, null, ids, the responses to writes, and preconditions (VERB-3, VERB-5,
 * VERB-10, HDR-3, HDR-4, HDR-8).
 */
import { canonicalText, isObject } from '../../definition/json.js'
import { header, mediaType } from '../../wire.js'
import type { WriteCheck } from '../check.js'
import { describe, expectStatus, firstBreak } from '../checks/expecting.js'
import type { SendOptions } from '../client/client.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { ifMatch, mergePatch, newRecord, patchOf } from './changes.js'
import { type Owner, withJson } from './own-record.js'

/**
 * The options of a request with a JSON Patch (RFC 6902). Throws `NotApplicable` if the document
 * does not offer JSON Patch.
 */
function jsonPatch(owner: Owner, tag: string, operations: readonly object[]): SendOptions {
  if (owner.list.target.patches?.includes(mediaType.jsonPatch) !== true)
    throw new NotApplicable(`the document does not offer ${mediaType.jsonPatch}`)
  return withJson(operations, { [header.contentType]: mediaType.jsonPatch, ...ifMatch(tag) })
}

/** A change of the marker: the member, the JSON Pointer to the member, and the new marker. */
function changeOf(owner: Owner, marker: string, n: number) {
  const [[member = '', value = ''] = []] = Object.entries(patchOf(owner, marker, n))
  return { member, path: `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`, value }
}

export const changeChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-5/json-patch',
    rule: 'If the document offers JSON Patch, the service applies it.',
    why: 'Clients use the documented formats.',
    fix: 'Apply the operations in their order (RFC 6902).',
    async run(owner) {
      const { own, tag, exchange } = await newRecord(owner, 'PATCH')
      const { member, path, value } = changeOf(owner, own.marker, 1)
      const operations = [
        { op: 'test', path, value: own.marker },
        { op: 'replace', path, value },
      ]
      const patch = await owner.send('PATCH', own, jsonPatch(owner, tag, operations))
      const wrong = expectStatus(patch, [200], 'a JSON Patch')
      if (wrong !== undefined) return wrong
      const after = await owner.current(own)
      return after.value[member] === value
        ? holds
        : breaks(`"${member}": "${value}"`, 'another value', exchange, patch, after.exchange)
    },
  },
  {
    id: 'VERB-5/json-patch-whole',
    needs: ['VERB-5/json-patch'],
    rule: 'A JSON Patch with a failing `test` is refused, and changes nothing.',
    why: 'The operations before the test must not take effect.',
    fix: 'Apply all operations to a copy, and store it only if each succeeds (RFC 5789, section 2).',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const { member, path, value } = changeOf(owner, own.marker, 1)
      const operations = [
        { op: 'replace', path, value },
        { op: 'test', path, value: 'no record has this text' },
      ]
      const patch = await owner.send('PATCH', own, jsonPatch(owner, tag, operations))
      const { status } = patch.answer
      if (status < 400 || status > 499)
        return breaks('a refusal of a JSON Patch with a failing test', describe(patch), patch)
      const after = await owner.current(own)
      return after.value[member] === own.marker
        ? holds
        : breaks(`"${member}" with its previous value`, 'another value', patch, after.exchange)
    },
  },
  {
    id: 'VERB-5/null',
    needs: ['VERB-5/merge'],
    rule: 'PATCH with null sets a nullable member to null.',
    why: 'Otherwise clients cannot clear a member with a merge patch.',
    fix: 'Distinguish null from an absent member when merging (RFC 7396).',
    async run(owner) {
      const { nullable } = owner.list.target
      const { members, marker, body = {} } = owner.creation
      const { own, tag, value } = await newRecord(owner, 'PATCH')
      const writable = nullable.filter((name) => (members.includes(name) || name in body) && name !== marker)
      const name = writable.find((one) => value[one] !== null && typeof value[one] !== 'object')
      if (name === undefined) throw new Unchecked('a new item has no nullable member that this check can set to null')
      const patch = await owner.send('PATCH', own, mergePatch({ [name]: null }, ifMatch(tag)))
      if (patch.answer.status === 422)
        throw new Unchecked(`PATCH of "${name}" with null got 422: the service may forbid null`)
      const wrong = expectStatus(patch, [200], `PATCH of "${name}" with null`)
      if (wrong !== undefined) return wrong
      const after = await owner.current(own)
      return after.value[name] === null ? holds : breaks(`"${name}": null`, 'a value', patch, after.exchange)
    },
  },
  {
    id: 'VERB-10/representation',
    rule: 'The response to PUT and PATCH is the new representation of the item.',
    why: 'Clients continue with this representation, without another GET.',
    fix: 'Return the new representation.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const patch = await owner.send('PATCH', own, mergePatch(patchOf(owner, own.marker, 1), ifMatch(tag)))
      if (patch.answer.status !== 200) throw new Unchecked(`PATCH got ${patch.answer.status}`)
      const { json } = patch.answer
      if (!isObject(json)) return breaks('the new representation', describe(patch), patch)
      const after = await owner.current(own)
      const other = Object.keys(after.value).find(
        (name) => canonicalText(after.value[name]) !== canonicalText(json[name] ?? null),
      )
      return other === undefined
        ? holds
        : breaks(`"${other}" as GET returns it`, 'another value', patch, after.exchange)
    },
  },
  {
    id: 'HDR-8/created',
    rule: 'If a 201 has a tag, it is the tag of the new item.',
    why: 'Clients use this tag to change the item that they created.',
    fix: 'Compute the tag from the stored item, after defaults and triggers have run.',
    async run(owner) {
      const { own, exchange, tag } = await newRecord(owner)
      const sent = own.posted.answer.field(header.etag)
      if (sent === undefined) throw new NotApplicable('the response to POST has no tag')
      return sent === tag ? holds : breaks(`Etag: ${tag} with 201`, sent, own.posted, exchange)
    },
  },
  {
    id: 'VERB-3/other-id',
    needs: ['VERB-3/unchanged'],
    rule: 'PUT of a body with another id gets 422, and the item keeps its id.',
    why: 'A client that confuses two items must not overwrite or move one of them.',
    fix: 'Compare the id of the body with that of the path.',
    async run(owner) {
      const [name, ...more] = owner.list.key
      const { own, tag, value, exchange } = await newRecord(owner, 'PUT')
      if (name === undefined || more.length > 0 || !(name in value))
        throw new NotApplicable('the id does not consist of exactly one member of the item')
      const missing = await owner.list.aMissingItem()
      const address = `${owner.list.service.base}${missing}`
      const id = decodeURIComponent(missing.slice(missing.lastIndexOf('/') + 1))
      if ((await owner.list.service.client.send('GET', address)).answer.status !== 404)
        throw new Unchecked(`the check needs an unused id, but GET of ${address} did not get 404`)
      const other = typeof value[name] === 'number' ? Number(id) : id
      const put = await owner.send('PUT', own, withJson({ ...value, [name]: other }, ifMatch(tag)))
      // If the service has changed the id, the item is now at the other URL.
      if (put.answer.status < 300) await owner.recordUnexpected(address, own.posted, own.marker)
      const wrong = expectStatus(put, [422], 'PUT of a body with another id')
      return wrong === undefined ? holds : breaks('422 for PUT of a body with another id', describe(put), exchange, put)
    },
  },
  {
    id: 'HDR-3/absent',
    needs: ['VERB-6/delete'],
    rule: 'A change with `If-Match` gets 404, not 412, if the item does not exist.',
    why: 'After a 412, clients would try the change again, although the item does not exist.',
    fix: 'Look the item up before comparing tags.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'DELETE')
      await owner.send('DELETE', own, { headers: ifMatch(tag) })
      if ((await owner.send('GET', own)).answer.status !== 404) throw new Unchecked('DELETE did not remove the item')
      const again = await owner.send('DELETE', own, { headers: ifMatch(tag) })
      return expectStatus(again, [404], 'DELETE of an item that was deleted, with If-Match') ?? holds
    },
  },
  {
    id: 'HDR-4/changes',
    needs: ['HDR-3/stale'],
    rule: 'A change with the current tag, or with `*`, in `If-None-Match` gets 412.',
    why: 'With this condition, the client asks the service not to change the current version.',
    fix: 'Compare If-None-Match for every write method (RFC 9110 13.1.2).',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const found = await firstBreak([tag, '*'], async (field) => {
        const patch = mergePatch(patchOf(owner, own.marker, 1), { [header.ifNoneMatch]: field })
        return expectStatus(await owner.send('PATCH', own, patch), [412], `PATCH with If-None-Match: ${field}`)
      })
      return found ?? holds
    },
  },
]
