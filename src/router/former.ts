/**
 * Responds as the service did before it adopted the conventions, for clauses that are not enforced
 * yet.
 */
import type { Awaitable } from '../adapters/contract.js'
import { settled } from '../promise.js'
import type { Answer, Headers } from '../representation/answer.js'
import { json } from '../representation/encoding.js'
import type { Views } from '../representation/views.js'
import { header } from '../wire.js'
import { encodedValue } from './formats.js'
import type { Outcome } from './operations/operation.js'
import type { Executed } from './stages.js'

/**
 * Returns the response for an outcome without content. The response to a DELETE may have the status
 * and the body that it had before the service adopted the conventions (VERB-6).
 */
export function formerEmpty(
  exchange: Executed,
  { status, headers = {} }: Extract<Outcome, { kind: 'empty' }>,
): Awaitable<Answer> {
  const legacy = exchange.operation.name === 'remove' ? exchange.legacy('VERB-6') : undefined
  if (legacy === undefined) return { status, headers }
  legacy.found('DELETE')
  const { body, status: before = body === undefined ? status : 200 } = legacy.settings
  if (body === undefined) return { status: before, headers }
  // A custom representation converts records, and this body is not a record. So the body is sent as
  // JSON.
  if (exchange.representation.text === undefined) {
    return {
      status: before,
      headers: { ...headers, [header.contentType]: json.contentType, [header.vary]: exchange.service.vary },
      body: JSON.stringify(body),
    }
  }
  return settled(encodedValue(exchange, body, headers), (answer): Answer => ({ status: before, ...answer }))
}

/**
 * Returns whether HEAD of an item gets the same response as GET, without the body. This is the case
 * while VERB-8 is not enforced.
 */
export function isHeadLikeGet(exchange: Executed): boolean {
  const legacy = exchange.legacy('VERB-8')
  legacy?.found('HEAD')
  return legacy !== undefined
}

/**
 * Returns the views of records. If the service's links were plain URLs before it adopted the
 * conventions, the views show plain URLs instead of link objects (REP-1). `hasRecord` is true if
 * there is a record to show.
 */
export function formerViews(exchange: Executed, hasRecord = true): { readonly views: Views } {
  const { service, resource } = exchange
  const legacy = exchange.legacy('REP-1')
  if (legacy === undefined) return service.reuse
  if (hasRecord && [...resource.plan.links.values()].some(({ kind }) => kind !== 'external')) legacy.found('href')
  return { views: service.reuse.plainViews }
}

/**
 * Removes `x-total-count` if the service did not send this field before it adopted the conventions
 * (QUERY-7).
 */
export function withoutTotal(exchange: Executed, headers: Headers): void {
  const legacy = headers[header.totalCount] === undefined ? undefined : exchange.legacy('QUERY-7')
  if (legacy === undefined) return
  legacy.found(header.totalCount)
  delete headers[header.totalCount]
}
