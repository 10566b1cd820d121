/**
 * Builds the response from an outcome: links, expansions, entity tags, pagination (REP, HDR-2,
 * HDR-4, QUERY-7, VERB-8).
 */
import type { Awaitable, Page, Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import { type KeyValue, lastKey } from '../../definition/key.js'
import { versionTag } from '../../http/entity-tags.js'
import { type Conditions, checkRead, unmodifiedTag } from '../../middleware/if-match.js'
import { itemPath, lineageOf } from '../../plan/addresses.js'
import { type CursorTo, cursorMaker } from '../../plan/cursor.js'
import type { ListQuery } from '../../plan/list-grammar.js'
import { keyOf } from '../../plan/resource-plan.js'
import type { Mounted } from '../../plan/routes.js'
import { isPromise, settled } from '../../promise.js'
import type { Answer, Headers, WholeBody } from '../../representation/answer.js'
import { json } from '../../representation/encoding.js'
import { mergeVary } from '../../representation/header-fields.js'
import type { Octets } from '../../representation/octets.js'
import { paginationHeaders } from '../../representation/pagination.js'
import { contentStamp, type Related } from '../../representation/related.js'
import { Presenter } from '../../representation/represent.js'
import { bodyTag, itemTag } from '../../representation/tags.js'
import type { View } from '../../representation/views.js'
import { header, parameter } from '../../wire.js'
import { exportAnswer, type WireOf } from '../export.js'
import { encoded, encodedValue } from '../formats.js'
import { formerEmpty, formerViews, isHeadLikeGet, withoutTotal } from '../former.js'
import type { Outcome } from '../operations/operation.js'
import { mayShow } from '../permission.js'
import { relatedOf } from '../related-records.js'
import type { Answered, Executed, Parsed } from '../stages.js'

type OutcomeOf<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>

export function represent(exchange: Executed): Answered | Promise<Answered> {
  exchange.conditions.missed?.()
  const answer = answerOf(exchange, exchange.outcome)
  return isPromise(answer) ? answer.then(answered) : { answer }
}

const answered = (answer: Answer): Answered => ({ answer })

function answerOf(exchange: Executed, outcome: Outcome): Awaitable<Answer> {
  switch (outcome.kind) {
    case 'page':
      return exchange.representation.transfer === undefined
        ? pageAnswer(exchange, outcome)
        : exportAnswer(exchange, outcome, wireOf)
    case 'item':
      return itemAnswer(exchange, outcome)
    case 'state':
      return stateAnswer(exchange, outcome)
    case 'value':
      return valueAnswer(exchange, outcome)
    case 'document':
      return documentAnswer(exchange, outcome)
    default:
      return exchange.route.modes === undefined
        ? { status: outcome.status, headers: outcome.headers ?? {} }
        : formerEmpty(exchange, outcome)
  }
}

function pageAnswer(exchange: Executed, outcome: OutcomeOf<'page'>): Awaitable<Answer> {
  const { resource, page, query, links } = outcome
  const reuses = mayReuseCopies(exchange)
  const items = reuses ? exchange.service.reuse.records.of(resource, page.items) : page.items
  const related = relatedOf(exchange, resource, page.items, query.expand, { links, reusesCopies: reuses })
  return settled(related, (found) => pageOf(exchange, outcome, items, found))
}

/**
 * Returns whether cached copies may replace the records in a response. Cached copies are used only
 * for reads, and only if the library itself converts the records to text.
 */
const mayReuseCopies = ({ reads, representation }: Executed): boolean => reads && representation.text !== undefined

function pageOf(
  exchange: Executed,
  { status, page, resource, query: list }: OutcomeOf<'page'>,
  items: readonly Stored<unknown>[],
  related: Related,
): Awaitable<Answer> {
  const { root, rawQuery, conditions, listPath, representation, service } = exchange
  const url = `${root}${listPath}`
  const { views } = exchange.route.modes === undefined ? service.reuse : formerViews(exchange, page.items.length > 0)
  const view = views.of(resource, exchange)
  const shown = service.reuse.page({
    resource,
    view,
    list,
    query: rawQuery,
    url,
    page,
    items,
    related,
    isJoined: representation === json,
  })
  const { tag } = shown
  checkRead(conditions, tag)
  const headers = headersOf(exchange, resource, tag)
  const unmodified = unmodifiedAnswer(conditions, headers, tag)
  if (unmodified !== undefined) return unmodified
  if (shown.isKept) {
    Object.assign(headers, shown.headers)
    if (exchange.route.modes !== undefined) withoutTotal(exchange, headers)
    return textAnswer(exchange, status, headers, shown.body)
  }
  const { total, exact, more, seekable } = page
  // The members are listed one by one. Spreading `page` and adding a member would create a new
  // object shape in V8 each time.
  const facts = { total, exact, more, seekable, count: items.length }
  const pagination = paginationHeaders(url, list, facts, cursorsOf(exchange, list, resource, page))
  Object.assign(headers, pagination)
  if (exchange.route.modes !== undefined) withoutTotal(exchange, headers)
  const wireAt = (at: number): JsonObject => {
    const { value } = items[at] as Stored<unknown>
    return view.presenter.represent(resource, value, keysOf(exchange, resource, value), related, at)
  }
  if (representation.text === undefined || items.length === 0) {
    const wire = items.map((_, at) => wireAt(at))
    return settled(encoded(exchange, wire, resource.wire.list, headers), (body): Answer => ({ status, ...body }))
  }
  const joined = shown.joined((at) => JSON.stringify(wireAt(at)))
  const text =
    joined ??
    representation.text(
      items.map((_, at) => wireAt(at)),
      resource.wire.list,
    )
  shown.keep(pagination, text)
  return textAnswer(exchange, status, headers, text)
}

/**
 * Returns the function that makes the cursors in the pagination links of a page. Returns
 * `undefined` if the store can't seek in this list or the page is empty (QUERY-7).
 */
function cursorsOf(
  exchange: Executed,
  query: ListQuery,
  resource: Mounted,
  { items, seekable = false }: Page<unknown>,
): CursorTo | undefined {
  const [first, last] = [items[0], items.at(-1)]
  if (!seekable || first === undefined || last === undefined) return undefined
  return cursorMaker(resource.plan.list.cursorValues, query, exchange, { first: first.value, last: last.value })
}

function itemAnswer(exchange: Executed, outcome: OutcomeOf<'item'>): Awaitable<Answer> {
  const { stored, resource, keys, links } = outcome
  return settled(
    relatedOf(exchange, resource, [stored], exchange.expand, { links, reusesCopies: mayReuseCopies(exchange) }),
    (related) => {
      const head = itemHead(exchange, resource, stored, related)
      if (exchange.route.kind === 'member') head.headers[header.contentLocation] = ownAddress(exchange, outcome)
      if (head.answer !== undefined) return head.answer
      if (exchange.reads) return itemBody(exchange, outcome, head)
      const { status, bodiless } = outcome
      const { headers } = head
      if (outcome.headers !== undefined) Object.assign(headers, outcome.headers)
      headers[header.vary] = exchange.service.varyOfChange
      const created = exchange.method === 'POST'
      if (bodiless === true) {
        // `Preference-Applied` names only a preference that changed the response (RFC 7240 3).
        if (!created) headers[header.preferenceApplied] = 'return=minimal'
        return { status, headers }
      }
      return settled(mayShow(exchange, resource, lastKey(keys)), (shown): Awaitable<Answer> => {
        // A caller who is allowed to write the item, but not to read it, gets no body.
        if (!shown) return { status, headers }
        if (created) headers[header.preferenceApplied] = 'return=representation'
        headers[header.contentLocation] = ownAddress(exchange, outcome)
        return itemBody(exchange, outcome, head)
      })
    },
  )
}

function itemBody(exchange: Executed, outcome: OutcomeOf<'item'>, head: ItemHead): Awaitable<Answer> {
  const { stored, resource, keys, status } = outcome
  const { view, related, headers } = head
  // Only reads use the cache. The response to a change is seldom needed again.
  if (exchange.reads && exchange.representation.text !== undefined) {
    return textAnswer(exchange, status, headers, itemText(exchange, outcome, head, exchange.representation.text))
  }
  const wire = view.presenter.represent(resource, stored.value, keys, related)
  return settled(encoded(exchange, wire, resource.wire.item, headers), (body): Answer => ({ status, ...body }))
}

function itemText(
  { service }: Executed,
  outcome: OutcomeOf<'item'>,
  { view, related }: ItemHead,
  text: TextOf,
): string | Octets {
  const { stored, resource, keys } = outcome
  const make = (): string => text(view.presenter.represent(resource, stored.value, keys, related), resource.wire.item)
  return service.reuse.item(resource, service.reuse.records.cachedOr(resource, stored), view, related, make)
}

type TextOf = NonNullable<Executed['representation']['text']>

function textAnswer({ representation }: Executed, status: number, headers: Headers, body: string | Octets): Answer {
  headers[header.contentType] = representation.contentType
  return { status, headers, body }
}

/**
 * Returns the URL at which a GET returns the representation that this response contains (RFC 9110
 * 8.7). This is the item's own URL, with the requested expansions.
 */
function ownAddress({ base, expand }: Executed, { resource, keys }: OutcomeOf<'item'>): string {
  const query = expand.length === 0 ? '' : `?${parameter.expand}=${expand.map(encodeURIComponent).join(',')}`
  return `${base}${itemPath(resource, keys)}${query}`
}

/**
 * Builds the response for a flag. A flag has the entity tag of the item that it belongs to
 * (PATH-8).
 */
function stateAnswer(exchange: Executed, { status, stored, resource, links }: OutcomeOf<'state'>): Awaitable<Answer> {
  return settled(relatedOf(exchange, resource, [stored], [], { links }), (related) => {
    const { headers, answer } = itemHead(exchange, resource, stored, related)
    return answer ?? { status, headers }
  })
}

interface ItemHead {
  readonly view: View
  readonly related: Related
  readonly headers: Headers
  /**
   * The complete response to a read, if this response has no body: a 304, or the response to a HEAD
   * whose operation has a `headStatus` (302 for an item, VERB-8).
   */
  readonly answer?: Answer
}

function itemHead(exchange: Executed, resource: Mounted, stored: Stored<unknown>, related: Related): ItemHead {
  const { conditions, method, reads, operation } = exchange
  const { views } = exchange.route.modes === undefined ? exchange.service.reuse : formerViews(exchange)
  const view = views.of(resource, exchange)
  const tag = itemTag(
    view,
    stored.version,
    related,
    resource.adapter.computes === true ? contentStamp(stored) : undefined,
  )
  const headers = headersOf(exchange, resource, tag)
  if (!reads) return { view, related, headers }
  // Preconditions apply only if the response without them would be 2xx (RFC 9110 13.2.1).
  const headStatus = method === 'HEAD' && !isHeadLikeGet(exchange) ? operation.headStatus : undefined
  if (headStatus !== undefined) return { view, related, headers, answer: { status: headStatus, headers } }
  checkRead(conditions, tag, stored.version)
  const answer = unmodifiedAnswer(conditions, headers, tag)
  return answer === undefined ? { view, related, headers } : { view, related, headers, answer }
}

/**
 * Returns a 304 if the client already has the representation with this entity tag. The 304 has
 * those header fields of the 200 that RFC 9110 15.4.5 requires.
 */
function unmodifiedAnswer(conditions: Conditions, headers: Headers, tag: string): Answer | undefined {
  const known = unmodifiedTag(conditions, tag)
  if (known === undefined) return undefined
  headers[header.etag] = known
  return { status: 304, headers }
}

function valueAnswer(
  exchange: Executed,
  { status, value, headers: given = {}, version }: OutcomeOf<'value'>,
): Awaitable<Answer> {
  const { reads, cacheControl, service } = exchange
  // The 204 of a read has `Cache-Control` too. Without this field, any cache may store the response
  // (RFC 9111 4.2.2).
  const headers: Headers = {
    [header.cacheControl]: cacheControl,
    ...given,
    [header.vary]: mergeVary(given[header.vary], service.vary),
  }
  // After a change, the entity tag is the tag of the item's new state (RFC 9110 8.8).
  const changed = reads || version === undefined ? {} : { [header.etag]: versionTag(version) }
  if (value === undefined) {
    if (!reads) return { status, headers: { ...given, ...changed } }
    return version === undefined ? { status, headers } : tagged(exchange, { status, headers }, version)
  }
  return settled(encodedValue(exchange, value, { ...headers, ...changed }), (answer): Answer => {
    if (status !== 200 || !reads || answer.body === undefined) return { status, ...answer }
    return tagged(exchange, { status, ...answer }, version, headers)
  })
}

function documentAnswer(
  { conditions, cacheControl, service, representation }: Executed,
  { status, bytes, tag, headers: given }: OutcomeOf<'document'>,
): Answer {
  checkRead(conditions, tag)
  const headers: Headers = {
    ...given,
    [header.cacheControl]: cacheControl,
    [header.vary]: service.vary,
    [header.etag]: tag,
  }
  const unmodified = unmodifiedAnswer(conditions, headers, tag)
  if (unmodified !== undefined) return unmodified
  headers[header.contentType] = representation.contentType
  return { status, headers, body: bytes }
}

/**
 * Adds the entity tag to the response of an endpoint's read. If the client already has this
 * representation, returns a 304 with `headers`.
 */
function tagged(
  { conditions }: Executed,
  answer: Answer & { readonly body?: WholeBody },
  version: string | undefined,
  headers = answer.headers,
): Answer {
  const tag = bodyTag(answer.body ?? '', version)
  checkRead(conditions, tag, version)
  const unmodified = unmodifiedAnswer(conditions, headers, tag)
  return unmodified ?? { ...answer, headers: { ...answer.headers, [header.etag]: tag } }
}

const headersOf = ({ cacheControl, service }: Executed, { plan }: Mounted, tag: string): Headers => ({
  [header.cacheControl]: plan.definition.cacheControl ?? cacheControl,
  [header.vary]: service.vary,
  [header.etag]: tag,
})

/** Converts a record of an export to the form in which clients see it. */
const wireOf: WireOf = (exchange, resource, record, related, at) =>
  new Presenter(exchange.base).represent(resource, record, keysOf(exchange, resource, record), related, at)

/**
 * Returns the keys in the URL of a listed record: the keys of the record's parents, and its own
 * key. In a list of an associated sub-collection, the keys of the parents are taken from the
 * record's own key, which includes them. In any other list, they are taken from the path of the
 * list.
 */
function keysOf({ route, keys }: Parsed, resource: Mounted, record: unknown): readonly KeyValue[] {
  const key = keyOf(resource.plan, record)
  return route.association === undefined ? [...keys, key] : lineageOf(resource, key)
}
