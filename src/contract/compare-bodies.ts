/**
 * Compares the request bodies and the responses of operations: each media type of a body, the
 * statuses, the header fields, and the links.
 */
import { own } from '../definition/json.js'
import { header, parameter } from '../wire.js'
import type { Found } from './changes.js'
import { compareEncoding, isForm } from './compare-encoding.js'
import { compareLinks } from './compare-links.js'
import type { OperationSides } from './compare-parameters.js'
import type { Comparison, Finding, SchemaPlace } from './findings.js'
import { schemaOf, valueSchema } from './flatten.js'
import { levelOf, type OwnKind } from './kinds.js'
import { holds, isBinary, isTextual, isXml, normalType } from './media-types.js'
import { child, type Place, type Source } from './nodes.js'
import { changeOf } from './sentences.js'

type Rest = Pick<Found, 'what' | 'effect' | 'before' | 'after' | 'detail' | 'place'>

function add({ changes, operation }: OperationSides, kind: OwnKind, { effect, ...rest }: Rest): void {
  const level = levelOf(kind)
  changes.add({ kind, level, operation, ...rest, ...(level === 'breaking' && effect !== undefined ? { effect } : {}) })
}

const nameOf = ({ operation: { method, path } }: OperationSides): string => `${method} ${path}`

/** Compares the request bodies of two operations. */
export function compareRequestBodies(before: Place, after: Place, sides: OperationSides): void {
  const old = sides.before.member(before, 'requestBody')
  const updated = sides.after.member(after, 'requestBody')
  const [wanted, isWanted] = [old, updated].map((body) => own(body?.value, 'required') === true)
  const of = nameOf(sides)
  const rest = { before: old, after: updated, place: 'body' }
  if (old === undefined && updated === undefined) return
  if (old === undefined) {
    const what = `${of} accepts a body now`
    if (isWanted)
      add(sides, 'required-request-body-added', {
        ...rest,
        what: `${what} and requires it`,
        effect: 'clients that send none get 400',
      })
    else add(sides, 'request-body-added', { ...rest, what })
    return
  }
  if (updated === undefined) {
    add(sides, 'request-body-removed', {
      ...rest,
      what: `${of} no longer accepts a body`,
      effect: 'clients that send one get 400',
    })
    return
  }
  if (!wanted && isWanted)
    add(sides, 'request-body-became-required', {
      ...rest,
      what: `the body of ${of} is required now`,
      effect: 'clients that send none get 400',
    })
  if (wanted && !isWanted)
    add(sides, 'request-body-became-optional', { ...rest, what: `the body of ${of} is optional now` })
  compareContents({ before: old, after: updated }, { place: 'request', words: `the body of ${of}`, at: 'body' }, sides)
}

/** What a body is used for, and how messages and changes name the body. */
interface Body {
  readonly place: 'request' | 'response' | 'delivery' | 'reply'
  /** The name of the body in messages, such as `the body of PUT /orders/{id}`. */
  readonly words: string
  /** The start of a change's member `place`, such as `body` in `body application/json`. */
  readonly at: string
  /** Whether the body is a page of a list, and clients can choose the size of the page. */
  readonly isPage?: boolean
}

type Content = ReadonlyMap<string, { readonly type: string; readonly place: Place }>

const contentOf = (source: Source, body: Place): Content =>
  new Map(
    [...source.members(source.member(body, 'content'))].map(([type, place]) => [normalType(type), { type, place }]),
  )

/** Compares a body in each of its media types. */
export function compareContents(
  bodies: { readonly before: Place; readonly after: Place },
  body: Body,
  sides: OperationSides,
): void {
  const before = contentOf(sides.before, bodies.before)
  const after = contentOf(sides.after, bodies.after)
  const { place, words, at } = body
  const isSent = place === 'request' || place === 'reply'
  const matched = new Set<string>()
  for (const [name, old] of before) {
    const [found, updated] = after.has(name)
      ? [name, after.get(name)]
      : ([...after].find(([other]) => (isSent ? holds(other, name) : holds(name, other))) ?? [])
    if (found === undefined || updated === undefined) {
      const [verb, effect] = lostType[place]
      add(sides, `${place}-media-type-removed`, {
        before: old.place,
        place: `${at} ${old.type}`,
        what: `${words} no longer ${verb} ${old.type}`,
        effect,
      })
      continue
    }
    matched.add(found)
    if (isBinary(name)) continue
    const comparison: Comparison = { place, text: isSent && isTextual(name), xml: isXml(name) }
    const schema = (side: Place) => schemaOf(ifPresent(child(side, 'schema')))
    const pair = { before: schema(old.place), after: schema(updated.place) }
    for (const finding of sides.schemas.compare(pair, comparison)) {
      if (body.isPage === true && isLongerPage(finding)) continue
      sides.changes.add(
        changeOf(finding, comparison, { operation: sides.operation, words, place: `${at} ${updated.type}` }),
      )
    }
    if (isForm(name))
      compareEncoding({ before: old.place, after: updated.place }, sides, {
        place,
        words,
        at,
        add: (kind, rest) => add(sides, kind, rest),
      })
  }
  for (const [name, updated] of after) {
    if (matched.has(name)) continue
    add(sides, `${place}-media-type-added`, {
      after: updated.place,
      place: `${at} ${updated.type}`,
      what: `${words} may be ${updated.type} now`,
      effect: 'clients that handle only the previous types fail',
    })
  }
}

/**
 * For each use of a body: the verb of the sentence about a removed media type, and the effect of
 * the removal on clients.
 */
const lostType: Readonly<Record<Body['place'], readonly [verb: string, effect: string]>> = {
  request: ['may be', 'clients that send it get 415'],
  response: ['comes as', 'clients that ask for it get 415'],
  delivery: ['comes as', 'clients that expect it receive another type'],
  reply: ['may be', 'the service can no longer read replies of that type'],
}

const ifPresent = (place: Place): Place | undefined => (place.value === undefined ? undefined : place)

/** Compares the responses of two operations. */
export function compareResponses(before: Place, after: Place, sides: OperationSides): void {
  const old = sides.before.members(sides.before.member(before, 'responses'))
  const updated = sides.after.members(sides.after.member(after, 'responses'))
  const pairs = new Map<string, readonly [string, Place, Place]>()
  for (const [status, place] of old) {
    const [key, other] = responseFor(updated, status)
    if (other !== undefined) pairs.set(`${status} ${key}`, [status, place, other])
    else removedStatus(status, place, old, updated, sides)
  }
  for (const [status, place] of updated) {
    const [key, other] = responseFor(old, status)
    if (other !== undefined) pairs.set(`${key} ${status}`, [status, other, place])
    else addedStatus(status, place, before, after, sides)
  }
  const isPage = hasPageSize(sides.before, before) && hasPageSize(sides.after, after)
  for (const [status, one, other] of pairs.values())
    compareResponse(status, { before: one, after: other, isPage }, sides)
}

/** Returns whether clients can choose the number of items in a response. */
const hasPageSize = (source: Source, operation: Place): boolean =>
  source.items(child(operation, 'parameters')).some(({ value }) => own(value, 'name') === parameter.size)

/**
 * Returns whether a finding says that the `maxItems` of a page was raised. Such a finding is not
 * reported, because a page gets longer only if a client asks for more items.
 */
const isLongerPage = ({ path, difference, keyword }: Finding): boolean =>
  path.length === 0 && difference === 'maximum-raised' && keyword === 'maxItems'

/**
 * Returns the key and the value of the response that an operation declares for a status. This is
 * the entry for the status itself, otherwise the entry for its range (such as `2XX`), otherwise
 * `default`. For a success, `default` counts only if the operation declares no success. For any
 * other status, `default` counts only if it has content or header fields.
 */
export function responseFor(all: ReadonlyMap<string, Place>, status: string): readonly [string, Place | undefined] {
  const skipsDefault = isSuccess(status) ? [...all.keys()].some(isSuccess) : !hasContent(all.get('default'))
  const others = skipsDefault ? [] : ['default']
  const key = [status, status.toUpperCase(), `${status.charAt(0)}XX`, ...others].find((one) => all.has(one)) ?? status
  return [key, all.get(key)]
}

/**
 * Returns whether a response has content or header fields. A `default` that has no content and no
 * header fields says nothing about the statuses that it covers.
 */
const hasContent = (answer: Place | undefined): boolean =>
  ['content', 'headers'].some((member) => own(answer?.value, member) !== undefined)

/**
 * Returns whether a status is a success. Statuses below 400 count as a success, except 304, because
 * only conditional requests receive it.
 */
export const isSuccess = (status: string): boolean => /^[123]/.test(status) && status !== '304'

function removedStatus(
  status: string,
  place: Place,
  old: ReadonlyMap<string, Place>,
  updated: ReadonlyMap<string, Place>,
  sides: OperationSides,
): void {
  const isRange = /^[1-5]XX$/i.test(status)
  // A range is not gone if the later document declares individual statuses of the range in its
  // place.
  if (isRange && [...updated.keys()].some((one) => one.startsWith(status.charAt(0)))) return
  const isDefaultSuccess =
    status === 'default' && ![...old.keys()].some(isSuccess) && ![...updated.keys()].some(isSuccess)
  const rest = { before: place, place: status, what: `${nameOf(sides)} no longer responds with ${status}` }
  if (isDefaultSuccess || isSuccess(status))
    add(sides, 'status-removed', { ...rest, effect: 'clients that expect it fail' })
  else add(sides, 'error-status-removed', rest)
}

function addedStatus(status: string, place: Place, before: Place, after: Place, sides: OperationSides): void {
  const required = (source: Source, operation: Place): boolean =>
    source
      .items(child(operation, 'parameters'))
      .some(
        ({ value }) =>
          String(own(value, 'name')).toLowerCase() === header.ifMatch.toLowerCase() && own(value, 'required') === true,
      )
  if (status === '428' && !required(sides.before, before)) {
    // If the later document requires the parameter `If-Match`, the comparison of parameters reports
    // the change.
    if (!required(sides.after, after)) {
      add(sides, 'if-match-required', {
        after: place,
        place: status,
        what: `${nameOf(sides)} responds with 428 now`,
        effect: 'clients that send no If-Match are rejected',
      })
    }
    return
  }
  add(sides, 'status-added', { after: place, place: status, what: `${nameOf(sides)} responds with ${status} now` })
}

interface ResponsePair {
  readonly before: Place
  readonly after: Place
  readonly isPage: boolean
}

function compareResponse(status: string, { before, after, isPage }: ResponsePair, sides: OperationSides): void {
  const words = `the ${status} response of ${nameOf(sides)}`
  compareHeaders(status, { before, after }, words, sides)
  compareContents({ before, after }, { place: 'response', words, at: status, isPage }, sides)
  compareLinks({ before, after }, sides, { status, of: words, add: (kind, rest) => add(sides, kind, rest) })
}

/** Header fields that only announce a change. */
const advisory: ReadonlySet<string> = new Set([header.deprecation, header.sunset].map((name) => name.toLowerCase()))

function compareHeaders(
  status: string,
  pair: { readonly before: Place; readonly after: Place },
  of: string,
  sides: OperationSides,
): void {
  const before = headersOf(sides.before, pair.before)
  const after = headersOf(sides.after, pair.after)
  for (const [key, old] of before) {
    const updated = after.get(key)
    const place = `${status} header "${old.name}"`
    const words = `the header ${old.name} of ${of}`
    if (updated === undefined) {
      const kind = advisory.has(key) ? 'advisory-header-removed' : 'response-header-removed'
      add(sides, kind, { before: old.place, place, what: `${words} was removed`, effect: lostHeader(key) })
      continue
    }
    const [was, is] = [old, updated].map((one) => own(one.place.value, 'required') === true)
    const rest = { before: old.place, after: updated.place, place }
    if (was && !is)
      add(sides, 'response-header-became-optional', {
        ...rest,
        what: `${words} is no longer always present`,
        effect: 'clients that rely on it fail if it is missing',
      })
    if (!was && is) add(sides, 'response-header-became-required', { ...rest, what: `${words} is always present now` })
    const comparison: Comparison = { place: 'header' satisfies SchemaPlace, text: false }
    const schemas = { before: valueSchema(sides.before, old.place), after: valueSchema(sides.after, updated.place) }
    for (const finding of sides.schemas.compare(schemas, comparison)) {
      sides.changes.add(changeOf(finding, comparison, { operation: sides.operation, words, place }))
    }
  }
  for (const [key, updated] of after) {
    if (!before.has(key))
      add(sides, 'response-header-added', {
        after: updated.place,
        place: `${status} header "${updated.name}"`,
        what: `the header ${updated.name} of ${of} is new`,
      })
  }
}

const lostHeader = (name: string): string =>
  name === header.totalCount
    ? `clients that page with ${parameter.page} can't tell how many items there are`
    : 'clients that read it no longer find it'

interface Field {
  readonly name: string
  readonly place: Place
}

function headersOf(source: Source, response: Place): ReadonlyMap<string, Field> {
  const fields = [...source.members(source.member(response, 'headers'))].map(
    ([name, place]) => [name.toLowerCase(), { name, place }] as const,
  )
  // `content` declares the media type. A header field "Content-Type" is ignored (OpenAPI 3.1,
  // Response Object).
  return new Map(fields.filter(([name]) => name !== 'content-type'))
}
