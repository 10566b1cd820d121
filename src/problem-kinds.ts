/** The table of the library's own problems. */

interface ProblemKind {
  readonly status: number
  readonly title: string
  /** The clause of the conventions that the problem refers to. */
  readonly clause: string
}

/** The problems, by their stable codes (ERR-1..3). */
export const problemKinds = {
  'bad-request': { status: 400, title: 'Bad request', clause: 'ERR-1' },
  'malformed-path': { status: 400, title: 'The path cannot be decoded', clause: 'PATH-11' },
  'malformed-host': { status: 400, title: 'The host of the request is malformed', clause: 'REP-5' },
  'invalid-query': { status: 400, title: 'The query is not valid', clause: 'QUERY-8' },
  'malformed-body': { status: 400, title: 'The body cannot be read', clause: 'HDR-5' },
  'missing-body': { status: 400, title: 'A body is required', clause: 'HDR-5' },
  'unexpected-body': { status: 400, title: 'This request takes no body', clause: 'VERB-4' },
  'malformed-idempotency-key': { status: 400, title: 'The Idempotency-Key cannot be read', clause: 'VERB-12' },
  'missing-idempotency-key': { status: 400, title: 'An Idempotency-Key is required', clause: 'VERB-12' },
  unauthenticated: { status: 401, title: 'Authentication is required', clause: 'AUTH-4' },
  forbidden: { status: 403, title: 'Permission is missing', clause: 'AUTH-4' },
  'unknown-version': { status: 404, title: 'There is no such version', clause: 'VER-1' },
  'unknown-path': { status: 404, title: 'There is nothing at this path', clause: 'PATH-1' },
  absent: { status: 404, title: 'The resource does not exist', clause: 'VERB-1' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here', clause: 'VERB-9' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time', clause: 'ERR-1' },
  gone: { status: 410, title: 'No longer available', clause: 'VER-2' },
  stale: { status: 412, title: 'The resource has changed', clause: 'HDR-3' },
  'precondition-failed': { status: 412, title: 'A precondition does not hold', clause: 'HDR-4' },
  'body-too-large': { status: 413, title: 'The body is too large', clause: 'HDR-5' },
  'uri-too-long': { status: 414, title: 'The address is too long', clause: 'ERR-1' },
  'unsupported-accept': { status: 415, title: 'No representation of this media type', clause: 'HDR-1' },
  'unsupported-content': { status: 415, title: 'The media type of the body is not supported', clause: 'HDR-5' },
  'invalid-body': { status: 422, title: 'The body is not valid', clause: 'ERR-2' },
  duplicate: { status: 422, title: 'The resource exists already', clause: 'ERR-2' },
  reference: { status: 422, title: 'The resource refers to a record that does not exist', clause: 'ERR-2' },
  referenced: { status: 422, title: 'Other records refer to the resource', clause: 'ERR-2' },
  'idempotency-mismatch': { status: 422, title: 'The Idempotency-Key was used for another request', clause: 'VERB-12' },
  rule: { status: 422, title: 'The request violates a rule of the service', clause: 'ERR-2' },
  'precondition-required': { status: 428, title: 'If-Match is required', clause: 'HDR-3' },
  'too-many-requests': { status: 429, title: 'Too many requests', clause: 'LIMIT-1' },
  'headers-too-large': { status: 431, title: 'The header fields are too large', clause: 'ERR-1' },
  internal: { status: 500, title: 'The service failed', clause: 'ERR-1' },
  unavailable: { status: 503, title: 'The service is unavailable for the moment', clause: 'ERR-1' },
} as const satisfies Record<string, ProblemKind>

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problemKinds
