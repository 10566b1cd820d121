/** Streamed exports: the whole filtered list, page by page of its adapter, in constant memory (PATH-4, VERB-1). */
import { isDeepStrictEqual } from 'node:util'
import type { ListRequest, Page } from '../adapters/contract.js'
import type { JsonObject } from '../definition/json.js'
import { checkRead } from '../middleware/if-match.js'
import { notify } from '../notify.js'
import { seekBehind } from '../plan/hint.js'
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

/** A record of a page as it is on the wire. */
export type WireOf = (exchange: Parsed, resource: Mounted, record: unknown, related: Related, at: number) => JsonObject

/** Characters that are put together before they are written. */
const pieceLength = 65_536

/**
 * Takes a place among the exports of the resource, before anything is read. Throws `unavailable` (503)
 * where there is none, and `bad-request` for HTTP/1.0: without chunks no client could tell the end of
 * an export from a cut.
 */
export function beginExport(exchange: Routed): void {
  if (exchange.req.httpVersionMajor === 1 && exchange.req.httpVersionMinor === 0) {
    const detail =
      'An export needs HTTP/1.1 or later: in HTTP/1.0 a cut export looks like a whole one. If a proxy stands between, have it speak HTTP/1.1 to this service (nginx: proxy_http_version 1.1).'
    throw new HttpProblem('bad-request', { detail })
  }
  const exports = exportsOf(exchange)
  if (exports.running >= exports.maxConcurrent) {
    throw new Unavailable({ retryAfter: 10, detail: 'Too many exports of this resource are running. Try again when one has ended.' })
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

/** The answer whose body is the whole list. Its first piece is there already, so what fails at once is a problem like any other. */
export async function exportAnswer(exchange: Executed, outcome: PageOutcome, wireOf: WireOf): Promise<Answer> {
  const { representation, conditions, method } = exchange
  const { page, resource } = outcome
  const { transfer } = representation
  if (transfer === undefined) throw new Error(`${representation.mediaType} is no format of exports.`)
  // An export has no tag, so no precondition on one holds; its bytes are not known before they are sent.
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

/** An answer that has begun can't become a problem: hooks hear of the error, and the client of a connection that broke. */
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
    // The place came from the store itself: an empty page would end the export as if it were whole.
    if (page.refused !== undefined) throw new Error(`The adapter of "${resource.plan.collection}" refused to seek behind its own row.`)
  }
  yield piece
}

/** What comes behind a page; `undefined` where nothing does. */
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
  const seek = seekable ? seekBehind(plan.list.places, wanted, last.value) : undefined
  // A store that can't seek counts rows: those that come and go meanwhile move the others.
  if (seek === undefined) return { ...rest, count: false, page: Math.floor(seen / wanted.size) + 1, offset: seen }
  if (isDeepStrictEqual(seek, before.seek)) {
    throw new Error(`The adapter of "${plan.collection}" gave the same place twice. It says "seekable" of a list, and does not seek.`)
  }
  return { ...rest, count: false, seek }
}

/** For stores that do not say: a full page may have another behind it, and so may one that ends before the total. */
const mayHaveMore = (length: number, size: number, total: number | undefined, exact = true, seen = 0): boolean =>
  length >= size || (total !== undefined && exact && seen < total)
