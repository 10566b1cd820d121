/**
 * The header fields of responses. Documents list them, and tests compare them with real responses.
 */
import { header } from '../wire.js'
import type { ServiceFacts } from './description.js'
import type { Situation } from './endings.js'
import { hasDeleteBody } from './legacy-endings.js'
import type { Route } from './routes.js'

/** A header field of a response. */
export interface AnswerField {
  readonly name: string
  /** Whether every such response has it. */
  readonly always: boolean
}

const always = (...names: readonly string[]): readonly AnswerField[] => names.map((name) => ({ name, always: true }))
const perhaps = (...names: readonly string[]): readonly AnswerField[] => names.map((name) => ({ name, always: false }))

/**
 * The facts that determine the header fields of a response. `body`: whether the operation reads a
 * body.
 */
export type FieldSituation = Pick<Situation, 'method' | 'facts' | 'life'> & {
  readonly body: boolean
  readonly modes?: Route['modes']
}

/** The fields of every response, successful or not. */
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

/** The fields of a successful response, each name once. */
export function fieldsOfSuccess(situation: Situation, status: number): readonly AnswerField[] {
  return merged([...own(situation, status), ...common(situation)])
}

function own(situation: Situation, status: number): readonly AnswerField[] {
  const { method, operation, route, facts } = situation
  if (method === 'OPTIONS') {
    const patch = route.operations.has('PATCH') ? perhaps(header.acceptPatch) : []
    // A preflight is answered without looking at the route.
    return [...(facts.cors ? perhaps(header.allow) : always(header.allow)), ...patch]
  }
  const cached = always(header.cacheControl, header.vary)
  if (status === 302 || status === 304)
    return [...cached, ...always(header.etag), ...(route.kind === 'member' ? perhaps(header.contentLocation) : [])]
  const file = (status === 200 || status === 201) && isFile(situation) ? perhaps(header.contentDisposition) : []
  switch (operation.answers) {
    case 'page': {
      const exported = route.resource?.exports !== undefined
      // An export is streamed, so it has no tag.
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
      // Among responses without a representation, only those of an endpoint below an item have a
      // version.
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

/** Whether the response may name a file: an export, or a representation of the team. */
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
 * The fields of a response to a POST, PUT or PATCH of a record. After an error in representing it,
 * a response has fewer fields (VERB-13).
 */
function written(method: string, status: number, file: readonly AnswerField[]): readonly AnswerField[] {
  if (status === 202) return always(header.location)
  // A POST that created nothing has no representation.
  if (method === 'POST' && status === 200) return []
  const made = status === 201 ? always(header.location) : []
  return [
    ...made,
    ...perhaps(header.etag, header.cacheControl, header.vary, header.preferenceApplied, header.contentLocation),
    ...file,
  ]
}

/** The header fields of problems with this status. */
export function fieldsOfProblem(situation: FieldSituation, status: number): readonly AnswerField[] {
  // The response of a retired version has no body and no notices (VER-2).
  if (status === 410)
    return [
      ...always(header.cacheControl, header.requestId),
      ...(situation.life?.brownouts === undefined ? [] : perhaps(header.retryAfter)),
    ]
  return merged([...always(header.cacheControl, header.vary), ...ofProblem(situation, status), ...common(situation)])
}

function ofProblem({ method, facts, body }: FieldSituation, status: number): readonly AnswerField[] {
  switch (status) {
    case 401:
      // The team's function `principal` chooses the fields of the errors that it throws.
      return facts.authenticate === undefined && facts.identifies
        ? perhaps(header.wwwAuthenticate)
        : always(header.wwwAuthenticate)
    case 405:
      return always(header.allow)
    case 415:
      // The accepted media types of bodies (RFC 9110 15.5.16, RFC 5789 2.2).
      return body ? perhaps(method === 'PATCH' ? header.acceptPatch : header.accept, header.acceptEncoding) : []
    case 429:
      // A team's own rate limit may omit it.
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

/** The fields of a response to a login request: GET, HEAD or OPTIONS (AUTH-2). */
export const fieldsOfLogin = (method: string, { cors }: Pick<ServiceFacts, 'cors'>): readonly AnswerField[] => [
  ...(method === 'OPTIONS'
    ? always(header.allow, header.requestId)
    : always(header.token, header.cacheControl, header.requestId)),
  ...(cors ? perhaps(header.allowOrigin) : []),
]
