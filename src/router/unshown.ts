/** Builds the response for a request that made a change and then failed with an error (VERB-13). */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { versionTag } from '../http/entity-tags.js'
import { Unavailable } from '../problem.js'
import type { Answer, Headers } from '../representation/answer.js'
import { header } from '../wire.js'
import type { Outcome } from './operations/operation.js'
import type { AnyStage } from './stages.js'

/**
 * Returns a response with the success status and without a body. The response has a `Location` if
 * the outcome contains a `Location`. If the outcome contains the new version of the record, the
 * response has the entity tag of this version. The client can send this tag in a later `If-Match`.
 * In `If-None-Match`, the tag never leads to a 304, because it belongs to no representation.
 * Returns `undefined` if the outcome is not known. In that case, `changeMadeProblem` reports the
 * change.
 */
export function bodilessSuccess({ outcome, service }: AnyStage): Answer | undefined {
  if (outcome === undefined || outcome.kind === 'page' || outcome.kind === 'document') return undefined
  const headers: Headers = {
    [header.cacheControl]: 'no-store',
    [header.vary]: service.varyOfChange,
    ...givenHeaders(outcome),
  }
  if (outcome.kind === 'item' || outcome.kind === 'state') headers[header.etag] = versionTag(outcome.stored.version)
  if (outcome.kind === 'value' && outcome.version !== undefined) headers[header.etag] = versionTag(outcome.version)
  return { status: outcome.status, headers }
}

/** Returns the problem that reports a change whose success status is not known. */
export const changeMadeProblem = (cause: unknown): Unavailable =>
  new Unavailable({
    cause,
    detail:
      'The change was made, but its response could not be built. Do not repeat the request: GET the resource to ' +
      'see the change.',
  })

/**
 * Returns the header fields of the outcome, without fields that can't be sent. Such a field may be
 * the reason why the response failed.
 */
function givenHeaders(outcome: Exclude<Outcome, { kind: 'page' | 'document' }>): Headers {
  const given = outcome.kind === 'state' ? {} : (outcome.headers ?? {})
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => isSendable(name, value)))
}

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
