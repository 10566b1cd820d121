/**
 * Checks with bodies that are invalid or hostile, or that do not match their `Idempotency-Key`
 * (ERR-2, ERR-3, VERB-12).
 */
import { get, isList, isObject, pointerTokens } from '../../definition/json.js'
import { header } from '../../wire.js'
import type { WriteCheck } from '../check.js'
import { describe, expectStatus, firstBreak } from '../checks/expecting.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { ifMatch, mergePatch, newRecord, patchOf } from './changes.js'
import { markerStem, withJson } from './own-record.js'

/** Bodies that are well-formed JSON but not objects, so PATCH must refuse them. */
const noObjects = ['[]', '"text"', '7', 'null', 'true']

/**
 * Bodies that might break a parser or a store. The response to them must not be a 5xx. In the first
 * two bodies, the value begins with the record's marker (see `own-record.ts`) without its last two
 * digits. If the service stores such a value, the cleanup still recognizes the record.
 */
const hostile = (member: string, marker: string): readonly string[] => [
  `{"${member}":"${markerStem(marker)}\\ud800"}`,
  `{"${member}":"${markerStem(marker)}\\u0000"}`,
  `{"__proto__":{"${member}":"x"}}`,
  '{"constructor":{"prototype":{"x":1}}}',
  `{"${member}":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
  `{"${member}":1e999}`,
]

export const bodyChecks: readonly WriteCheck[] = [
  {
    id: 'ERR-2/schema',
    rule: 'A well-formed body with a value of the wrong type gets 422.',
    why: 'Clients can distinguish invalid values from malformed bodies.',
    fix: 'Answer 400 for bodies that cannot be parsed, and 422 for bodies that violate the schema.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const [member = ''] = Object.keys(patchOf(owner, own.marker, 1))
      const patch = await owner.send('PATCH', own, mergePatch({ [member]: { no: 'text' } }, ifMatch(tag)))
      return expectStatus(patch, [422], `an object in the string member "${member}"`) ?? holds
    },
  },
  {
    id: 'ERR-2/no-object',
    rule: 'A body that is not an object gets 422 or 400, never a 5xx.',
    why: 'A fault of the client must not look like a failure of the service.',
    fix: 'Validate that the body is an object before using it.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const found = await firstBreak(noObjects, async (body) => {
        const patch = await owner.send('PATCH', own, { ...mergePatch({}, ifMatch(tag)), body })
        return expectStatus(patch, [422, 400], `the body ${body}`)
      })
      return found ?? holds
    },
  },
  {
    id: 'ERR-2/hostile',
    rule: 'A hostile body never causes a 5xx.',
    why: 'A fault of the client must not look like a failure of the service, and failures attract attackers.',
    fix: 'Limit the depth of bodies, and answer 422 for values that cannot be stored.',
    async run(owner) {
      const { own } = await newRecord(owner, 'PATCH')
      const [member = ''] = Object.keys(patchOf(owner, own.marker, 1))
      const found = await firstBreak(hostile(member, own.marker), async (body) => {
        const patch = await owner.send('PATCH', own, { ...mergePatch({}), body })
        return patch.answer.status < 500
          ? undefined
          : breaks(`400, 413 or 422 for ${body.slice(0, 60)}`, describe(patch), patch)
      })
      return found ?? holds
    },
  },
  {
    id: 'ERR-3/places',
    needs: ['ERR-2/schema', 'REP-8/unknown-member'],
    rule: 'If a body is refused, the response lists each violation with a JSON Pointer to its position.',
    why: 'Clients show each message next to its field.',
    fix: 'In `errors`, add an entry with a pointer for each violation.',
    async run(owner) {
      const { own, tag } = await newRecord(owner, 'PATCH')
      const [member = ''] = Object.keys(patchOf(owner, own.marker, 1))
      const body = { [member]: { no: 'text' }, noSuchMember: 1 }
      const patch = await owner.send('PATCH', own, mergePatch(body, ifMatch(tag)))
      const wrong = expectStatus(patch, [422], 'a body with two violations')
      if (wrong !== undefined) return wrong
      const errors = isObject(patch.answer.json) ? patch.answer.json.errors : undefined
      const pointers = isList(errors) ? errors.map(pointerIn) : []
      const lost = pointers.find(
        (one) => one !== undefined && get(body, pointerTokens(one)) === undefined && one !== '',
      )
      if (lost !== undefined) return breaks('pointers to positions in the body', lost.slice(0, 80), patch)
      const lacking = [member, 'noSuchMember'].find((name) => !pointers.some((one) => one?.split('/')[1] === name))
      return lacking === undefined
        ? holds
        : breaks(
            `an entry in "errors" with a pointer to "/${lacking}"`,
            JSON.stringify(errors ?? null).slice(0, 120),
            patch,
          )
    },
  },
  {
    id: 'VERB-12/other-body',
    needs: ['VERB-12/repeat'],
    rule: 'A different body with a used `Idempotency-Key` gets 422 and creates nothing.',
    why: 'Otherwise a client that reuses a key by mistake gets the address of the wrong item.',
    fix: 'Store a digest of the body with the key, and answer 422 if a body with the same key has another digest.',
    async run(owner) {
      if (owner.creation.idempotent !== true) throw new NotApplicable('POST accepts no Idempotency-Key')
      const { number, exchange, marker, body, options } = await owner.post()
      const address = owner.addressOf(exchange)
      if (address === undefined) throw new Unchecked('the response to POST has no address of a new item')
      const own = await owner.recordCreated(number, address, exchange, marker)
      const key = options.headers?.[header.idempotencyKey] ?? ''
      const changed = { ...body, ...patchOf(owner, own.marker, 1) }
      const second = await owner.list.service.client.send(
        'POST',
        exchange.request.url,
        withJson(changed, { [header.idempotencyKey]: key }),
      )
      const other = owner.addressOf(second)
      if (other !== undefined && other !== address)
        await owner.recordUnexpected(other, second, String(patchOf(owner, own.marker, 1)[owner.creation.marker ?? '']))
      const wrong = expectStatus(second, [422], 'a different body with a used key')
      return wrong === undefined
        ? holds
        : breaks('422 for a different body with a used key', describe(second), exchange, second)
    },
  },
]

/**
 * The JSON Pointer in an entry of `errors`, without the `#` of a URI fragment such as `#/name`.
 * `undefined` if the entry has no pointer.
 */
function pointerIn(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined
  const found = Object.values(entry).find((one) => typeof one === 'string' && /^#?\/[^/\s]/.test(one))
  return typeof found === 'string' ? found.replace(/^#/, '') : undefined
}
