/**
 * The literal spellings on the wire, each once. The code says `page` and `size`; only this file says `offest` and `limit`.
 */

/** Names of the query parameters of a list (QUERY-2..7). */
export const parameter = {
  sort: 'sort',
  search: 'q',
  /** The page number. The conventions spell it this way (QUERY-4). */
  page: 'offest',
  size: 'limit',
  expand: 'expand',
  /** Reserved for the opaque hint that keeps deep walks cheap (QUERY-7). */
  after: 'after',
} as const

/** Names of the header fields that the conventions use. */
export const header = {
  accept: 'Accept',
  acceptEncoding: 'Accept-Encoding',
  acceptPatch: 'Accept-Patch',
  allow: 'Allow',
  cacheControl: 'Cache-Control',
  connection: 'Connection',
  contentEncoding: 'Content-Encoding',
  contentLength: 'Content-Length',
  contentType: 'Content-Type',
  deprecation: 'Deprecation',
  etag: 'Etag',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  link: 'Link',
  location: 'Location',
  preferenceApplied: 'Preference-Applied',
  requestId: 'x-request-id',
  retryAfter: 'Retry-After',
  sunset: 'Sunset',
  totalCount: 'x-total-count',
  transferEncoding: 'Transfer-Encoding',
  vary: 'Vary',
} as const

/** What a browser's script may read of a response (HDR-7): give it to the `exposedHeaders` option of `cors`. */
export const exposedHeaders: readonly string[] = Object.freeze([
  header.etag,
  header.location,
  header.link,
  header.totalCount,
  'x-authorization-token',
  header.requestId,
  header.retryAfter,
  header.deprecation,
  header.sunset,
  'RateLimit',
  'RateLimit-Policy',
])

/** Media types (HDR-1, HDR-5, VERB-5, ERR-3). */
export const mediaType = {
  json: 'application/json',
  mergePatch: 'application/merge-patch+json',
  problem: 'application/problem+json',
} as const
