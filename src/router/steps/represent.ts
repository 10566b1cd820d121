/** From what came of the operation to an answer: links, expansions, tags, pagination (REP, HDR-2, HDR-4, QUERY-7, VERB-8). */
import type { Page, Stored } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import { type Conditions, checkRead, unmodifiedTag } from '../../middleware/if-match.js'
import { itemPath, lineageOf } from '../../plan/addresses.js'
import { type HintTo, hintMaker } from '../../plan/hint.js'
import { keyOf } from '../../plan/resource-plan.js'
import type { Mounted } from '../../plan/routes.js'
import type { Answer, Headers } from '../../representation/answer.js'
import { mergeVary } from '../../representation/header-fields.js'
import { paginationHeaders } from '../../representation/pagination.js'
import type { Related } from '../../representation/related.js'
import { represent as wireForm } from '../../representation/represent.js'
import { bodyTag, itemTag, pageTag } from '../../representation/tags.js'
import { header, parameter } from '../../wire.js'
import type { Exchange } from '../exchange.js'
import { encoded, endpointWire } from '../formats.js'
import type { Outcome } from '../operations/operation.js'
import { mayShow } from '../permission.js'
import { relatedOf } from '../sight.js'

type Of<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>

export async function represent(exchange: Exchange): Promise<void> {
  const { outcome } = exchange
  if (outcome === undefined) throw new Error('An operation came to nothing.')
  exchange.answer = await answerOf(exchange, outcome)
}

function answerOf(exchange: Exchange, outcome: Outcome): Answer | Promise<Answer> {
  switch (outcome.kind) {
    case 'page':
      return pageAnswer(exchange, outcome)
    case 'item':
      return itemAnswer(exchange, outcome)
    case 'state':
      return stateAnswer(exchange, outcome)
    case 'value':
      return valueAnswer(exchange, outcome)
    default:
      return { status: outcome.status, headers: outcome.headers ?? {} }
  }
}

async function pageAnswer(exchange: Exchange, { page, resource }: Of<'page'>): Promise<Answer> {
  const { base, root, conditions, list, listPath } = exchange
  const query = list as NonNullable<typeof list>
  const { items } = page
  const related = await relatedOf(exchange, resource, items, query.expand)
  const tag = pageTag(exchange, resource, page, related)
  checkRead(conditions, tag)
  const headers = { ...cacheHeaders(exchange, resource), [header.etag]: tag }
  const unmodified = unmodifiedAnswer(conditions, headers, tag)
  if (unmodified !== undefined) return unmodified
  const hintTo = hintsOf(exchange, resource, page)
  Object.assign(headers, paginationHeaders(`${root}${listPath}`, query, { ...page, count: items.length }, hintTo))
  const wire = items.map(({ value }) => wireForm(resource, value, keysOf(exchange, resource, value), base, related))
  return { status: 200, ...(await encoded(exchange, wire, resource.wire.list, headers)) }
}

/** Hints for the links beside a page, where its store can follow them (QUERY-7). */
function hintsOf(exchange: Exchange, resource: Mounted, { items, seekable = false }: Page<unknown>): HintTo | undefined {
  const [first, last] = [items[0], items.at(-1)]
  if (!seekable || first === undefined || last === undefined) return undefined
  const query = exchange.list as NonNullable<Exchange['list']>
  return hintMaker(resource.plan.list.places, query, exchange, { first: first.value, last: last.value })
}

async function itemAnswer(exchange: Exchange, outcome: Of<'item'>): Promise<Answer> {
  const { stored, resource, keys, status } = outcome
  const address = exchange.route?.kind === 'member' ? { [header.contentLocation]: ownAddress(exchange, outcome) } : {}
  const { related, headers, answer } = await itemHead(exchange, resource, stored, address)
  if (answer !== undefined) return answer
  Object.assign(headers, outcome.headers)
  if (!exchange.reads) headers[header.vary] = exchange.service.varyOfChange
  const created = exchange.method === 'POST'
  // Of what a client may prefer, the answer names only what is not done anyway (RFC 7240 3).
  if (outcome.bare === true) return { status, headers: created ? headers : { ...headers, [header.preferenceApplied]: 'return=minimal' } }
  // Who may write and not read has changed it, and sees nothing of it.
  if (!exchange.reads && !(await mayShow(exchange, resource, keys.at(-1) as KeyValue))) return { status, headers }
  if (created) headers[header.preferenceApplied] = 'return=representation'
  if (!exchange.reads) headers[header.contentLocation] = ownAddress(exchange, outcome)
  const wire = wireForm(resource, stored.value, keys, exchange.base, related)
  return { status, ...(await encoded(exchange, wire, resource.wire.item, headers)) }
}

/** Where a GET gives what the answer to another request shows (RFC 9110 8.7): the item's own address, with the expansions that it was asked for. */
function ownAddress({ base, expand }: Exchange, { resource, keys }: Of<'item'>): string {
  const query = expand.length === 0 ? '' : `?${parameter.expand}=${expand.map(encodeURIComponent).join(',')}`
  return `${base}${itemPath(resource, keys)}${query}`
}

/** A flag carries the very tag of the resource it belongs to (PATH-8). */
async function stateAnswer(exchange: Exchange, { stored }: Of<'state'>): Promise<Answer> {
  const { headers, answer } = await itemHead(exchange, exchange.resource, stored)
  return answer ?? { status: 204, headers }
}

interface ItemHead {
  readonly related: Related
  readonly headers: Headers
  /** The whole answer, where a read needs no more: HEAD is 302, and a GET may be 304. */
  readonly answer?: Answer
}

async function itemHead(exchange: Exchange, resource: Mounted, stored: Stored<unknown>, address: Headers = {}): Promise<ItemHead> {
  const { conditions, method, expand } = exchange
  const related = await relatedOf(exchange, resource, [stored], expand)
  const tag = itemTag(exchange, resource, stored, related)
  const headers: Headers = { ...cacheHeaders(exchange, resource), ...address, [header.etag]: tag }
  if (method !== 'GET' && method !== 'HEAD') return { related, headers }
  // What is not 2xx without its preconditions is the same with them (RFC 9110 13.2.1).
  if (method === 'HEAD') return { related, headers, answer: { status: 302, headers } }
  checkRead(conditions, tag, stored.version)
  const answer = unmodifiedAnswer(conditions, headers, tag)
  return answer === undefined ? { related, headers } : { related, headers, answer }
}

/** The 304, where the client has the representation of this tag: with the fields that the 200 would have (RFC 9110 15.4.5). */
function unmodifiedAnswer(conditions: Conditions, headers: Headers, tag: string): Answer | undefined {
  const known = unmodifiedTag(conditions, tag)
  return known === undefined ? undefined : { status: 304, headers: { ...headers, [header.etag]: known } }
}

async function valueAnswer(exchange: Exchange, { status, value, headers: given = {} }: Of<'value'>): Promise<Answer> {
  const { method, conditions, cacheControl, service } = exchange
  const reads = method === 'GET' || method === 'HEAD'
  // Also of a 204: without a word about it, any cache may keep the answer to a GET (RFC 9111 4.2.2).
  const headers = { [header.cacheControl]: cacheControl, ...given, [header.vary]: mergeVary(given[header.vary], service.vary) }
  if (value === undefined) return { status, headers: reads ? headers : given }
  const answer = await encoded(exchange, value, endpointWire(exchange), headers)
  const { body } = answer
  if (status !== 200 || !reads || body === undefined) return { status, ...answer }
  const tag = bodyTag(body)
  checkRead(conditions, tag)
  const unmodified = unmodifiedAnswer(conditions, headers, tag)
  return unmodified ?? { status, body, headers: { ...answer.headers, [header.etag]: tag } }
}

function cacheHeaders(exchange: Exchange, resource: Mounted): Headers {
  return { [header.cacheControl]: resource.plan.definition.cacheControl ?? exchange.cacheControl, [header.vary]: exchange.service.vary }
}

/** The keys of a listed record's own address: below the parents of the path, or, in an associated sub-collection, where it lives by itself. */
function keysOf({ route, keys }: Exchange, resource: Mounted, record: unknown): readonly KeyValue[] {
  const key = keyOf(resource.plan, record)
  return route?.association === undefined ? [...keys, key] : lineageOf(resource, key)
}
