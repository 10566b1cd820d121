/** From what came of the operation to an answer: links, expansions, tags, pagination (REP, HDR-2, HDR-4, QUERY-7, VERB-8). */
import type { Page, Stored } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import { checkRead, notModified } from '../../middleware/if-match.js'
import { lineageOf } from '../../plan/addresses.js'
import { type HintTo, hintMaker } from '../../plan/hint.js'
import { keyOf } from '../../plan/resource-plan.js'
import type { Mounted } from '../../plan/routes.js'
import type { Answer, Headers } from '../../representation/answer.js'
import { paginationHeaders } from '../../representation/pagination.js'
import { gatherRelated, nothingRelated, type Related, standsAlone } from '../../representation/related.js'
import { represent as wireForm } from '../../representation/represent.js'
import { bodyTag, itemTag, pageTag } from '../../representation/tags.js'
import { header } from '../../wire.js'
import type { Exchange } from '../exchange.js'
import type { Outcome } from '../operations/operation.js'
import { mayShow, readable } from '../permission.js'

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
  const known = notModified(conditions, tag)
  if (known !== undefined) return { status: 304, headers: { ...headers, [header.etag]: known } }
  const hintTo = hintsOf(exchange, resource, page)
  Object.assign(headers, paginationHeaders(`${root}${listPath}`, query, { ...page, count: items.length }, hintTo))
  const wire = items.map(({ value }) => wireForm(resource, value, keysOf(exchange, resource, value), base, related))
  return { status: 200, ...encoded(exchange, wire, headers) }
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
  const { related, headers, answer } = await itemHead(exchange, resource, stored)
  if (answer !== undefined) return answer
  Object.assign(headers, outcome.headers)
  const created = exchange.method === 'POST'
  // Of what a client may prefer, the answer names only what is not done anyway (RFC 7240 3).
  if (outcome.bare === true) return { status, headers: created ? headers : { ...headers, [header.preferenceApplied]: 'return=minimal' } }
  // Who may write and not read has changed it, and sees nothing of it.
  if (!exchange.reads && !(await mayShow(exchange, resource, keys.at(-1) as KeyValue))) return { status, headers }
  if (created) headers[header.preferenceApplied] = 'return=representation'
  return { status, ...encoded(exchange, wireForm(resource, stored.value, keys, exchange.base, related), headers) }
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

async function itemHead(exchange: Exchange, resource: Mounted, stored: Stored<unknown>): Promise<ItemHead> {
  const { conditions, method, expand } = exchange
  const related = await relatedOf(exchange, resource, [stored], expand)
  const tag = itemTag(exchange, resource, stored, related)
  const headers: Headers = { ...cacheHeaders(exchange, resource), [header.etag]: tag }
  if (method !== 'GET' && method !== 'HEAD') return { related, headers }
  // What is not 2xx without its preconditions is the same with them (RFC 9110 13.2.1).
  if (method === 'HEAD') return { related, headers, answer: { status: 302, headers } }
  checkRead(conditions, tag, stored.version)
  const known = notModified(conditions, tag)
  return known === undefined
    ? { related, headers }
    : { related, headers, answer: { status: 304, headers: { ...headers, [header.etag]: known } } }
}

function valueAnswer(exchange: Exchange, { status, value, headers: given = {} }: Of<'value'>): Answer {
  const { method, conditions, cacheControl, service } = exchange
  const reads = method === 'GET' || method === 'HEAD'
  // Also of a 204: without a word about it, any cache may keep the answer to a GET (RFC 9111 4.2.2).
  const headers = { [header.cacheControl]: cacheControl, [header.vary]: service.vary, ...given }
  if (value === undefined) return { status, headers: reads ? headers : given }
  const answer = encoded(exchange, value, headers)
  if (status !== 200 || !reads) return { status, ...answer }
  const tag = bodyTag(answer.body)
  checkRead(conditions, tag)
  const { [header.contentType]: type = '', ...tagged } = { ...answer.headers, [header.etag]: tag }
  const known = notModified(conditions, tag)
  if (known !== undefined) return { status: 304, headers: { ...tagged, [header.etag]: known } }
  return { status, body: answer.body, headers: { ...tagged, [header.contentType]: type } }
}

function encoded(
  { representation: { contentType, encode }, service: { vary } }: Exchange,
  value: unknown,
  headers: Headers,
): { headers: Headers; body: string } {
  return { headers: { ...headers, [header.contentType]: contentType, [header.vary]: vary }, body: encode(value) }
}

function cacheHeaders(exchange: Exchange, resource: Mounted): Headers {
  return { [header.cacheControl]: resource.plan.definition.cacheControl ?? exchange.cacheControl, [header.vary]: exchange.service.vary }
}

function relatedOf(
  exchange: Exchange,
  resource: Mounted,
  items: readonly Stored<unknown>[],
  expand: readonly string[],
): Related | Promise<Related> {
  if (standsAlone(resource, expand)) return nothingRelated
  const records = items.map((item) => item.value)
  return gatherRelated(resource, records, expand, (mounted, keys) => readable(exchange, mounted, keys))
}

/** The keys of a listed record's own address: below the parents of the path, or, in an associated sub-collection, where it lives by itself. */
function keysOf({ route, keys }: Exchange, resource: Mounted, record: unknown): readonly KeyValue[] {
  const key = keyOf(resource.plan, record)
  return route?.association === undefined ? [...keys, key] : lineageOf(resource, key)
}
