/** Creates and changes the records that a check owns. Several checks use these functions. */
import { canonicalText, isObject, type JsonObject } from '../../definition/json.js'
import { header, mediaType } from '../../wire.js'
import { describe } from '../checks/expecting.js'
import type { SendOptions } from '../client/client.js'
import type { Exchange } from '../client/exchange.js'
import { breaks, breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { markerStem, type Owner, type OwnRecord, withJson } from './own-record.js'

export function needsMethod({ list }: Owner, method: string): void {
  if (!list.target.itemMethods.includes(method))
    throw new NotApplicable(`items of ${list.target.template} do not accept ${method}`)
}

/**
 * A merge patch that replaces the last two characters of the marker with the number `n`, as two
 * digits.
 */
export function patchOf(owner: Owner, marker: string, n: number): Readonly<Record<string, string>> {
  const { marker: member } = owner.creation
  if (member === undefined)
    throw new Unchecked(
      'no member is known that can contain the marker and be changed. Give "create.marker" in a target file',
    )
  return { [member]: `${markerStem(marker)}${String(n).padStart(2, '0')}` }
}

/** The options of a request with a merge patch (RFC 7396) and further header fields. */
export const mergePatch = (value: unknown, headers: Readonly<Record<string, string>> = {}) =>
  withJson(value, { [header.contentType]: mediaType.mergePatch, ...headers })

export const ifMatch = (field: string) => ({ [header.ifMatch]: field })

/**
 * Creates a record and reads it. Returns the record with its current state. Throws `NotApplicable`
 * unless items accept all of `methods`.
 */
export async function newRecord(owner: Owner, ...methods: readonly string[]) {
  for (const method of methods) needsMethod(owner, method)
  const own = await owner.make()
  return { own, ...(await owner.current(own)) }
}

/**
 * Creates a record and patches it. Returns the record, its state before the PATCH, and the PATCH
 * with its response.
 */
export async function patchedRecord(owner: Owner) {
  const { own, ...before } = await newRecord(owner, 'PATCH')
  const patch = await owner.send('PATCH', own, mergePatch(patchOf(owner, own.marker, 1), ifMatch(before.tag)))
  if (patch.answer.status >= 300) throw new Unchecked(`PATCH with the current tag got ${patch.answer.status}`)
  return { own, before, patch }
}

/**
 * A request that changes members of a record. It is a PATCH if items accept PATCH, and otherwise a
 * PUT.
 */
export interface Change {
  readonly method: 'PATCH' | 'PUT'
  readonly options: SendOptions
}

/**
 * The request that sets `members` of a record. Throws `NotApplicable` if items accept neither PATCH
 * nor PUT.
 */
export function changing(
  { list: { target } }: Owner,
  { posted }: OwnRecord,
  members: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Change {
  const { itemMethods, template } = target
  if (itemMethods.includes('PATCH')) return { method: 'PATCH', options: mergePatch(members, headers) }
  if (!itemMethods.includes('PUT')) throw new NotApplicable(`items of ${template} accept neither PATCH nor PUT`)
  const sent: unknown = JSON.parse(posted.request.body ?? '{}')
  return { method: 'PUT', options: withJson({ ...(isObject(sent) ? sent : {}), ...members }, headers) }
}

/** The statuses of a successful PUT without a body. */
export const putDone = [204, 200, 201]

/**
 * The first member that does not have its expected value, apart from members that the service may
 * set itself. `undefined` if there is no such member.
 */
export const otherMember = (wanted: JsonObject, shown: JsonObject): string | undefined =>
  Object.keys(wanted).find(
    (name) => !isStamp(name, wanted[name]) && canonicalText(wanted[name]) !== canonicalText(shown[name] ?? null),
  )

/** Whether the service may set a member itself at each change, such as the time of the change. */
const isStamp = (name: string, value: unknown): boolean =>
  /(?:updated|modified|changed|version|revision)/i.test(name) ||
  (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value))

/** The outcome for a member that does not have the expected value after a change. */
export function memberLost(
  expected: string,
  name: string,
  value: unknown,
  ...evidence: readonly [Exchange, Exchange, Exchange]
): Outcome {
  const text = memberText(name, value)
  const shown = evidence.slice(0, 2).map(({ request, answer }) => `${answer.body}${request.body ?? ''}`)
  // The script that reproduces the violation searches the response for `text`. This works only if
  // the service writes values as JSON.stringify() does. Some services write 1.0 in place of 1.
  return shown.join('').replace(/\s+/g, '').includes(text.replace(/\s+/g, ''))
    ? breaksBy({ kind: 'lacks', answer: 2, text }, expected, 'another value', ...evidence)
    : breaks(expected, 'another value', ...evidence)
}

/**
 * Sends PUT of a record. The body of the PUT is the response body in `read`. The status must be
 * 200, and each member that `otherMember()` compares must keep its value. `source` completes the
 * sentence "PUT of ...".
 */
export async function putBack(
  owner: Owner,
  { own, tag, value }: { readonly own: OwnRecord; readonly tag: string; readonly value: JsonObject },
  read: Exchange,
  source: string,
): Promise<Outcome> {
  const put = await owner.send('PUT', own, withJson(read.answer.json, ifMatch(tag)))
  if (put.answer.status !== 200)
    return breaksBy(
      { kind: 'status', answer: 1, expected: [200] },
      `200 for PUT of ${source}`,
      describe(put),
      read,
      put,
    )
  const after = await owner.current(own)
  const other = otherMember(value, after.value)
  if (other === undefined) return holds
  return memberLost(`"${other}" unchanged`, other, value[other], read, put, after.exchange)
}

/** A member and its value as JSON, such as `"name":"x"`. */
export const memberText = (name: string, value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`
