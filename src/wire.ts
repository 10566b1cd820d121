/**
 * The literal names of parameters, header fields and media types. The rest of the code uses the
 * names `page` and `size` for the parameters that are called `offest` and `limit` in requests.
 */

/** Names of the query parameters of a list (QUERY-2..7). */
export const parameter = {
  sort: 'sort',
  search: 'q',
  /** The page number. `offest` is the spelling of the conventions (QUERY-4). */
  page: 'offest',
  size: 'limit',
  expand: 'expand',
  /**
   * An opaque cursor, which makes it cheap to read pages far into a list (QUERY-7). No filter may
   * have this name.
   */
  after: 'after',
} as const

/** Names of the header fields that the conventions use. */
export const header = {
  accept: 'Accept',
  acceptEncoding: 'Accept-Encoding',
  acceptPatch: 'Accept-Patch',
  allow: 'Allow',
  allowCredentials: 'Access-Control-Allow-Credentials',
  allowOrigin: 'Access-Control-Allow-Origin',
  authorization: 'Authorization',
  cacheControl: 'Cache-Control',
  connection: 'Connection',
  contentDisposition: 'Content-Disposition',
  contentEncoding: 'Content-Encoding',
  contentLength: 'Content-Length',
  contentLocation: 'Content-Location',
  contentSecurityPolicy: 'Content-Security-Policy',
  contentType: 'Content-Type',
  crossOriginResourcePolicy: 'Cross-Origin-Resource-Policy',
  deprecation: 'Deprecation',
  etag: 'Etag',
  exposeHeaders: 'Access-Control-Expose-Headers',
  frameOptions: 'X-Frame-Options',
  idempotencyKey: 'Idempotency-Key',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  link: 'Link',
  location: 'Location',
  prefer: 'Prefer',
  preferenceApplied: 'Preference-Applied',
  poweredBy: 'X-Powered-By',
  rateLimit: 'RateLimit',
  rateLimitPolicy: 'RateLimit-Policy',
  referrerPolicy: 'Referrer-Policy',
  requestId: 'x-request-id',
  retryAfter: 'Retry-After',
  strictTransport: 'Strict-Transport-Security',
  sunset: 'Sunset',
  /**
   * The token of a public service. It is sent in the response to a login (AUTH-2), and in every
   * request (AUTH-3).
   */
  token: 'x-authorization-token',
  totalCount: 'x-total-count',
  transferEncoding: 'Transfer-Encoding',
  typeOptions: 'X-Content-Type-Options',
  vary: 'Vary',
  wwwAuthenticate: 'WWW-Authenticate',
} as const

/**
 * The header fields of a response that scripts in browsers can read (HDR-7), in addition to those
 * that CORS always allows. `crossOrigin()` exposes them. Another CORS middleware should expose them
 * too.
 */
export const exposedHeaders: readonly string[] = Object.freeze([
  header.etag,
  header.location,
  header.contentLocation,
  header.preferenceApplied,
  header.acceptPatch,
  header.link,
  header.totalCount,
  header.token,
  header.requestId,
  header.retryAfter,
  header.deprecation,
  header.sunset,
  header.rateLimit,
  header.rateLimitPolicy,
])

/** Media types (HDR-1, HDR-5, VERB-5, ERR-3). */
export const mediaType = {
  json: 'application/json',
  jsonPatch: 'application/json-patch+json',
  mergePatch: 'application/merge-patch+json',
  problem: 'application/problem+json',
  xml: 'application/xml',
  /** The same as `application/xml` (RFC 7303 9.2). */
  textXml: 'text/xml',
  problemXml: 'application/problem+xml',
} as const

/** The two media types of XML. */
export const xmlTypes: readonly string[] = Object.freeze([mediaType.xml, mediaType.textXml])
