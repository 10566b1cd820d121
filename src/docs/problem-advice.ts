/** Advice to clients for each problem. */
import type { ProblemCode } from '../problem-kinds.js'

/**
 * The advice for each problem, as Markdown. The type of this object requires an entry for every
 * problem.
 */
export const problemAdvice: Readonly<Record<ProblemCode, string>> = {
  'bad-request': 'Read `detail`: the request is malformed in a way that has no code of its own.',
  'malformed-path': 'Percent-encode each segment of the path once, as UTF-8.',
  'malformed-host': 'Send a valid `Host`.',
  'invalid-query':
    'Read `errors`: each entry names a parameter, and often the allowed values or the most similar name. ' +
    'If an entry names `after`, use the unchanged URL from the `Link` of a response to the same query, ' +
    'or leave out `after`.',
  'malformed-body': 'Send the complete body, well-formed and in UTF-8, with each member once.',
  'missing-body': 'Send a body with its `Content-Type`.',
  'unexpected-body': 'Send the request without a body.',
  'malformed-idempotency-key': 'Send one `Idempotency-Key` of at most 255 characters, such as a new UUID.',
  'missing-idempotency-key':
    'Send an `Idempotency-Key`: a new UUID for each record, and the same UUID when you repeat a request.',
  unauthenticated: 'Get a valid token and send it. `WWW-Authenticate` names the scheme.',
  forbidden: 'Ask the owner of the service for permission. If `errors` names an expansion, leave it out.',
  'unknown-version': 'Use one of the versions in `detail`.',
  'unknown-path': 'Check the spelling. Segments are case-sensitive, and numbers have no leading zeros.',
  absent: 'Search for the item in its list. It never existed, was deleted, or is not visible to you.',
  'method-not-allowed': 'Use one of the methods in `Allow`.',
  'request-timeout': 'Send the request again, and send its body without a pause.',
  gone: 'Use a newer version, or the replacement of the retired part. The response has no body.',
  stale: 'GET the item again, apply the change to its current state, and send the new `Etag` in `If-Match`.',
  'precondition-failed':
    'GET the item to see its current state. The change was refused, because `If-None-Match` is `*` and the item ' +
    'exists, or because `If-None-Match` names the current version of the item.',
  'body-too-large': 'Send a smaller body.',
  'uri-too-long': 'Shorten the query, or split the request.',
  'unsupported-accept': 'Send an `Accept` that allows one of the media types in `errors`.',
  'unsupported-content':
    'Send a supported `Content-Type`. `Accept` or `Accept-Patch` of the response lists the supported types.',
  'invalid-body': 'Correct each member that `errors` names.',
  duplicate: 'Use another value for the members in `errors`, or change the existing record.',
  reference: 'Create the records that the members in `errors` refer to, or refer to existing ones.',
  referenced: 'First remove the records that refer to this one.',
  'idempotency-mismatch':
    'Use a new `Idempotency-Key` for each new request. To retry a request, send the same body with the same key.',
  rule: 'Read `errors` and `detail`: they describe the violated rule.',
  'precondition-required': 'GET the item and send its `Etag` in `If-Match`.',
  'too-many-requests': 'Wait for the number of seconds in `Retry-After`.',
  'headers-too-large': 'Send fewer or shorter header fields, and a shorter URL.',
  internal:
    'Report the `requestId` to the owner of the service. Before you retry a write, GET the item to see whether ' +
    'the write was executed.',
  unavailable:
    'Wait for the number of seconds in `Retry-After`. If `detail` states that the outcome of a write is unknown, ' +
    'GET the item first.',
}
