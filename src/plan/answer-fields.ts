/**
 * Lists the header fields of responses. The OpenAPI documents contain these lists, and tests
 * compare them with real responses.
 */
import { header } from '../wire.js'
import type { ServiceFacts } from './description.js'
import type { Situation } from './endings.js'
import { hasDeleteBody } from './legacy-endings.js'
import type { Route } from './routes.js'

/** A header field of a response. */
export interface AnswerField {
  readonly name: string
  /**
   * Whether every response with the same method, route and status has the field. If false, only
   * some of these responses have it.
   */
  readonly always: boolean
}

const always = (...names: readonly string[]): readonly AnswerField[] => names.map((name) => ({ name, always: true }))
const perhaps = (...names: readonly string[]): readonly AnswerField[] => names.map((name) => ({ name, always: false }))

/**
 * The facts that determine the header fields of a response. `body` tells whether the operation
 * reads a request body.
 */
export type FieldSituation = Pick<Situation, 'method' | 'facts' | 'life'> & {
  readonly body: boolean
  readonly modes?: Route['modes']
}

/** The header fields that successful responses and problems have in common. */
function common({ facts, life }: Pick<Situation, 'facts' | 'life'>): readonly AnswerField[] {
  return [
    ...always(header.requestId),
    ...(facts.rateLimit ? perhaps(header.rateLimit, header.rateLimitPolicy) : []),
    ...(facts.cors ? perhaps(header.allowOrigin) : []),
    ...(life?.deprecated === undefined ? [] : always(header.deprecation)),
    ...(life?.sunset === undefined ? [] : always(header.sunset)),
    ...(life?.successor === undefined ? [] : always(header.link)),
  ]
}

/** The header fields of a successful response. Each name occurs once. */
export function fieldsOfSuccess(situation: Situation, status: number): readonly AnswerField[] {
  return merged([...own(situation, status), ...common(situation)])
}

function own(situation: Situation, status: number): readonly AnswerField[] {
  const { method, operation, route, facts } = situation
  if (method === 'OPTIONS') {
    const patch = route.operations.has('PATCH') ? perhaps(header.acceptPatch) : []
    // A CORS preflight is an OPTIONS request, too. The CORS middleware responds to it, without
    // `Allow`.
    return [...(facts.cors ? perhaps(header.allow) : always(header.allow)), ...patch]
  }
  const cached = always(header.cacheControl, header.vary)
  if (status === 302 || status === 304)
    return [...cached, ...always(header.etag), ...(route.kind === 'member' ? perhaps(header.contentLocation) : [])]
  const file = (status === 200 || status === 201) && isFile(situation) ? perhaps(header.contentDisposition) : []
  switch (operation.answers) {
    case 'page': {
      const exported = route.resource?.exports !== undefined
      // An export is streamed, so it has no entity tag.
      return [
        ...cached,
        ...(exported ? perhaps(header.etag) : always(header.etag)),
        ...file,
        ...perhaps(header.link, header.totalCount),
      ]
    }
    case 'item':
      return operation.method === 'GET'
        ? [
            ...cached,
            ...always(header.etag),
            ...file,
            ...(route.kind === 'member' ? always(header.contentLocation) : []),
          ]
        : written(operation.method, status, file)
    case 'state':
      return [...cached, ...always(header.etag)]
    case 'document':
      return [...cached, ...always(header.etag)]
    case 'value': {
      // In a 200 response to GET or HEAD, the entity tag is computed from the endpoint's result.
      // Any other response has an entity tag only if the endpoint is below an item and the version
      // of this item is known.
      const tag =
        (method === 'GET' || method === 'HEAD') && status === 200
          ? perhaps(header.etag)
          : route.resource === undefined
            ? []
            : perhaps(header.etag)
      return [
        ...(operation.method === 'GET' ? cached : perhaps(header.cacheControl, header.vary)),
        ...tag,
        ...file,
        ...(status === 201 || status === 202 ? always(header.location) : []),
      ]
    }
    case 'empty':
      return hasDeleteBody(situation, status) ? perhaps(header.vary) : []
  }
}

/**
 * Whether the response may be an export or be written by a custom representation. Such a response
 * may have `Content-Disposition`.
 */
function isFile({ method, operation, route, facts }: Situation): boolean {
  const { resource, endpoint } = route
  const own = (endpoint === undefined ? resource?.representations : endpoint.methods.get(method)?.representations) ?? []
  const what = operation.answers === 'page' ? 'list' : operation.answers === 'item' ? 'item' : 'value'
  return (
    [...facts.representations, ...own].some((one) => one[what] !== undefined) ||
    (what === 'list' && resource?.exports !== undefined)
  )
}

/**
 * The header fields of a response to a POST, PUT or PATCH of a record. If the record was written
 * but its representation failed, the response has fewer fields (VERB-13).
 */
function written(method: string, status: number, file: readonly AnswerField[]): readonly AnswerField[] {
  if (status === 202) return always(header.location)
  // If the adapter created no record, the response to a POST is 200 and contains no representation.
  if (method === 'POST' && status === 200) return []
  const made = status === 201 ? always(header.location) : []
  return [
    ...made,
    ...perhaps(header.etag, header.cacheControl, header.vary, header.preferenceApplied, header.contentLocation),
    ...file,
  ]
}

/** The header fields of a problem with this status. */
export function fieldsOfProblem(situation: FieldSituation, status: number): readonly AnswerField[] {
  // A 410 response reports a retired version, a retired part of a version, or a brownout. It has no
  // body, and no `Deprecation`, `Sunset` or `Link` (VER-2, VER-3).
  if (status === 410)
    return [
      ...always(header.cacheControl, header.requestId),
      ...(situation.facts.cors ? perhaps(header.allowOrigin) : []),
      ...(situation.life?.brownouts === undefined ? [] : perhaps(header.retryAfter)),
    ]
  return merged([...always(header.cacheControl, header.vary), ...ofProblem(situation, status), ...common(situation)])
}

function ofProblem({ method, facts, body }: FieldSituation, status: number): readonly AnswerField[] {
  switch (status) {
    case 401:
      // If the service's own function `principal` identifies the callers, it throws its own 401
      // errors, which may lack `WWW-Authenticate`.
      return facts.authenticate === undefined && facts.identifies
        ? perhaps(header.wwwAuthenticate)
        : always(header.wwwAuthenticate)
    case 405:
      return always(header.allow)
    case 415:
      // These fields list the media types or content codings that a body may have (RFC 9110
      // 15.5.16, RFC 5789 2.2).
      return body ? perhaps(method === 'PATCH' ? header.acceptPatch : header.accept, header.acceptEncoding) : []
    case 429:
      // If the service limits the rate of requests in its own code, that code may omit
      // `Retry-After`.
      return facts.rateLimit ? always(header.retryAfter) : perhaps(header.retryAfter)
    case 503:
      return perhaps(header.retryAfter)
    default:
      return []
  }
}

function merged(fields: readonly AnswerField[]): readonly AnswerField[] {
  const found = new Map<string, boolean>()
  for (const { name, always: sure } of fields) found.set(name, sure || found.get(name) === true)
  return [...found].map(([name, sure]) => ({ name, always: sure }))
}

/** The header fields of a successful response to a login request: GET, HEAD or OPTIONS (AUTH-2). */
export const fieldsOfLogin = (method: string, { cors }: Pick<ServiceFacts, 'cors'>): readonly AnswerField[] => [
  ...(method === 'OPTIONS'
    ? always(header.allow, header.requestId)
    : always(header.token, header.cacheControl, header.requestId)),
  ...(cors ? perhaps(header.allowOrigin) : []),
]
