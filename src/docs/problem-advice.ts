/** What a client should do about each problem. */
import type { ProblemCode } from '../problem-kinds.js'

/** Markdown. The type requires advice for each problem. */
export const problemAdvice: Readonly<Record<ProblemCode, string>> = {
  'bad-request': 'Read `detail`: the request is malformed in a way that has no code of its own.',
  'malformed-path': 'Percent-encode each segment of the path once, as UTF-8.',
  'malformed-host': 'Send a valid `Host`.',
  'invalid-query':
    'Look at `errors`: each names a parameter, what is allowed, and the nearest name. Follow a `Link` whole, or leave `after` out.',
  'malformed-body': 'Send the whole body, well-formed, in UTF-8, each member once.',
  'missing-body': 'Send a body with its `Content-Type`.',
  'unexpected-body': 'Send the request without a body: the address says everything.',
  'malformed-idempotency-key': 'Send one `Idempotency-Key` of at most 255 characters, such as a new UUID.',
  'missing-idempotency-key':
    'Send an `Idempotency-Key`: a new UUID for each record, and the same one when you repeat a request.',
  unauthenticated: 'Get a valid token and send it. `WWW-Authenticate` says which kind is wanted.',
  forbidden: 'Ask the owner of the service for the permission. Where `errors` names an expansion, leave that one out.',
  'unknown-version': 'Use one of the versions in `detail`.',
  'unknown-path': 'Check the spelling. Segments are case-sensitive, and numbers have no leading zeros.',
  absent: 'Look for the item in its list. It was never there, is deleted, or is not visible to you.',
  'method-not-allowed': 'Use one of the methods in `Allow`.',
  'request-timeout': 'Send the request again, and its body without a pause.',
  gone: 'Use a newer version. The answer has no body.',
  stale: 'GET the item again, apply the change to what it is now, and send the new `Etag` in `If-Match`.',
  'precondition-failed': 'GET the item to see what it is now. `If-None-Match` forbids the change while it exists.',
  'body-too-large': 'Send a smaller body.',
  'uri-too-long': 'Shorten the query, or split the request.',
  'unsupported-accept': 'Send an `Accept` that allows one of the media types in `errors`.',
  'unsupported-content':
    'Send a `Content-Type` that is supported: `Accept` of the answer, or `Accept-Patch`, lists them.',
  'invalid-body': 'Correct each member that `errors` names.',
  duplicate: 'Use another value for the members in `errors`, or change the record that exists.',
  reference: 'Create what the members in `errors` refer to, or refer to something else.',
  referenced: 'Remove the records that refer to this one first.',
  'idempotency-mismatch': 'Use a new `Idempotency-Key` for another request. Repeat a request with the body it had.',
  rule: 'Read `errors` and `detail`: they say which rule is broken.',
  'precondition-required': 'GET the item and send its `Etag` in `If-Match`.',
  'too-many-requests': 'Wait as many seconds as `Retry-After` says.',
  'headers-too-large': 'Send fewer or shorter header fields, and a shorter address.',
  internal:
    'Tell the owner of the service the `requestId`. Before you repeat a write, GET the item to see whether it was made.',
  unavailable:
    'Wait as many seconds as `Retry-After` says. Where `detail` says that the outcome of a write is unknown, GET the item first.',
}
