/**
 * Streams exports. An export is the whole filtered list, read and written page by page, with
 * constant memory use (PATH-4, VERB-1).
 */

import { isDeepStrictEqual } from 'node:util'
import type { ListRequest, Page } from '../adapters/contract.js'
import type { JsonObject } from '../definition/json.js'
import { loggableError } from '../failures/loggable.js'
import { checkRead } from '../middleware/if-match.js'
import { notify } from '../notify.js'
import { positionAfter } from '../plan/cursor.js'
import type { Mounted } from '../plan/routes.js'
import type { Exports, RowWriter } from '../plan/transfer-format.js'
import { HttpProblem, toProblem, Unavailable } from '../problem.js'
import type { Answer, Headers } from '../representation/answer.js'
import type { Related } from '../representation/related.js'
import { Streamed } from '../representation/streamed.js'
import { header } from '../wire.js'
import type { Outcome } from './operations/operation.js'
import { relatedOf } from './related-records.js'
import { AnswerLinks } from './shown-links.js'
import type { Executed, Parsed, Routed } from './stages.js'
import { Store } from './store.js'

type PageOutcome = Extract<Outcome, { kind: 'page' }>

/** Converts a record of a page to the form in which clients see it. */
export type WireOf = (exchange: Parsed, resource: Mounted, record: unknown, related: Related, at: number) => JsonObject

/** The number of characters to collect before each write. */
const pieceLength = 65_536

/**
 * Takes one of the export slots of the resource, before anything is read. Throws `unavailable`
 * (503) if all slots are taken. Throws `bad-request` for HTTP/1.0, which has no chunked encoding.
 * Without chunked encoding, a client can't distinguish a truncated export from a complete export.
 */
export function beginExport(exchange: Routed): void {
  if (exchange.req.httpVersionMajor === 1 && exchange.req.httpVersionMinor === 0) {
    const detail =
      'An export needs HTTP/1.1 or later: in HTTP/1.0 a truncated export looks complete. ' +
      'If there is a proxy in between, configure it to use HTTP/1.1 for this service (nginx: proxy_http_version 1.1).'
    throw new HttpProblem('bad-request', { detail })
  }
  const exports = exportsOf(exchange)
  if (exports.running >= exports.maxConcurrent) {
    throw new Unavailable({
      retryAfter: 10,
      detail: 'Too many exports of this resource are running. Try again after one has ended.',
    })
  }
  exports.running += 1
  exchange.progress.holdExport(() => {
    exports.running -= 1
  })
}

function exportsOf({ resource }: Pick<Routed, 'resource'>): Exports {
  if (resource.exports === undefined) throw new Error(`"${resource.plan.collection}" has no exports.`)
  return resource.exports
}

/**
 * Returns the response whose body is the whole list. The first piece of the body is produced before
 * the response starts. So if an error occurs while that piece is produced, the response is an
 * ordinary problem.
 */
export async function exportAnswer(exchange: Executed, outcome: PageOutcome, wireOf: WireOf): Promise<Answer> {
  const { representation, conditions, method } = exchange
  const { page, resource } = outcome
  const { transfer } = representation
  if (transfer === undefined) throw new Error(`${representation.mediaType} is not a format of exports.`)
  // An export has no entity tag, because its bytes are not known before they are sent. So an entity
  // tag in `If-Match` never matches, and the response is a 412.
  checkRead(conditions, '')
  const headers: Headers = {
    [header.cacheControl]: resource.plan.definition.cacheControl ?? exchange.cacheControl,
    [header.vary]: exchange.service.vary,
    [header.contentType]: transfer.contentType,
    ...(transfer.disposition === undefined ? {} : { [header.contentDisposition]: transfer.disposition }),
    ...(page.total === undefined ? {} : { [header.totalCount]: String(page.total) }),
  }
  const { timeout, stallTimeout } = exportsOf(exchange)
  const until = performance.now() + timeout
  const writer = transfer.writer(resource, exchange.expand)
  const pieces = piecesOf(exchange, outcome, writer, wireOf, until)
  const first = method === 'HEAD' ? undefined : await pieces.next()
  const options = { timeout, stallTimeout, onCut: (error: unknown) => cut(exchange, error) }
  return { status: 200, headers, body: new Streamed(first?.value ?? '', pieces, options) }
}

/**
 * Reports an error that occurred after the response had begun. The status has already been sent, so
 * the response can't become a problem. Instead, the hooks get the error, and the client notices
 * that the connection was closed early.
 */
function cut(exchange: Executed, error: unknown): void {
  const problem = toProblem(error)
  exchange.progress.setProblem(problem)
  const { status, code, clause } = problem
  const thrown = problem.cause ?? error
  exchange.progress.failure = { error: thrown }
  notify(
    exchange.service.hooks.onError,
    () => ({ ...exchange.event(), status, code, clause, step: 'respond', error: thrown }),
    exchange.req,
  )
}

async function* piecesOf(
  exchange: Executed,
  { page: begun, resource, query, wanted, links: ofFirst }: PageOutcome,
  writer: RowWriter,
  wireOf: WireOf,
  until: number,
): AsyncGenerator<string, void, undefined> {
  const store = new Store(exchange, resource)
  const { expand, service } = exchange
  let page = begun
  let links = ofFirst
  let request = wanted
  let seen = 0
  let piece = writer.head
  for (;;) {
    const related = await relatedOf(exchange, resource, page.items, expand, { links })
    for (const [at, { value }] of page.items.entries()) {
      piece += writer.row(wireOf(exchange, resource, value, related, at))
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    seen += page.items.length
    const next = nextRequest(resource, wanted, request, page, seen)
    if (next === undefined) break
    request = next
    exchange.timeLimit.restart(Math.min(service.timeout, Math.max(0, until - performance.now())))
    links = AnswerLinks.of(exchange, resource, expand)
    page = await store.list(next, query, links)
    // The position was made from a row that the store returned, so the store must accept it. If a
    // refusal were treated as an empty page, the export would end early and look complete.
    if (page.refused !== undefined)
      throw loggableError(`The adapter of "${resource.plan.collection}" refused to seek past a row that it returned.`)
  }
  yield piece
}

/** Returns the request for the next page, or `undefined` after the last page. */
function nextRequest(
  { plan }: Mounted,
  wanted: ListRequest,
  before: ListRequest,
  { items, more, seekable, total, exact }: Page<unknown>,
  seen: number,
): ListRequest | undefined {
  const last = items.at(-1)
  if (last === undefined || !(more ?? mayHaveMore(items.length, wanted.size, total, exact, seen))) return undefined
  const { seek: _, ...rest } = wanted
  const seek = seekable ? positionAfter(plan.list.cursorValues, wanted, last.value) : undefined
  // If the store can't seek to a position, it skips as many rows as have been read. If rows before
  // the page are inserted or deleted during the export, the export repeats or misses some rows.
  if (seek === undefined) return { ...rest, count: false, page: Math.floor(seen / wanted.size) + 1, offset: seen }
  if (isDeepStrictEqual(seek, before.seek)) {
    throw loggableError(
      `The adapter of "${plan.collection}" returned the same position twice. ` +
        'It marks its lists as "seekable" but does not seek.',
    )
  }
  return { ...rest, count: false, seek }
}

/**
 * Returns whether there may be another page, for stores that do not report `more`. There may be
 * another page if this page is full, or if fewer rows than the exact total have been read.
 */
const mayHaveMore = (length: number, size: number, total: number | undefined, exact = true, seen = 0): boolean =>
  length >= size || (total !== undefined && exact && seen < total)
