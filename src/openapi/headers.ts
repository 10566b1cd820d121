/** The header fields of responses, as components. */
import type { AnswerField } from '../plan/answer-fields.js'
import { header } from '../wire.js'
import { longestUrlOrField, safeInteger } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { typeName } from './names.js'

interface Field {
  readonly description: string
  readonly schema: DocumentSchema
}

const text = (description: string, more: DocumentSchema = {}): Field => ({
  description,
  schema: { type: 'string', maxLength: longestUrlOrField, ...more },
})

const natural = safeInteger({ type: 'integer', minimum: 0 })

/** The description and schema of each field. */
const fields: Readonly<Record<string, Field>> = {
  [header.accept]: text('The accepted media types of a request body (RFC 9110 15.5.16).'),
  [header.acceptEncoding]: text('The accepted content codings of a request body (RFC 9110 15.5.16).'),
  [header.acceptPatch]: text('The accepted media types of a PATCH body (RFC 5789 3.1).'),
  [header.allowOrigin]: text('The origin whose scripts may read the response (HDR-7).'),
  [header.allow]: text('The methods that the caller may use at this URL (VERB-9).'),
  [header.cacheControl]: text('How long the response may be cached, and whether shared caches may store it (HDR-6).'),
  [header.contentDisposition]: text('A suggested file name (RFC 6266).'),
  [header.contentLocation]: text("The item's own URL (RFC 9110 8.7).", { format: 'uri-reference' }),
  [header.deprecation]: text('The time from which the version, or this part of it, is deprecated (RFC 9745).', {
    pattern: '^@-?[0-9]+$',
  }),
  [header.etag]: text('The version of the representation: send it as `If-Match` or `If-None-Match` (HDR-2).', {
    pattern: '^(?:W/)?".*"$',
  }),
  [header.link]: text(
    'Links to other pages, with the relations `first`, `prev`, `next` and `last`, or a link to the successor ' +
      'of the version, or to the replacement of this part of the version (QUERY-7, VER-3).',
    { pattern: '^<[^<>]*> *;.*$' },
  ),
  [header.location]: text('The absolute URL of the item that was or will be created (VERB-2).', { format: 'uri' }),
  [header.preferenceApplied]: text('The preferences of the request that were applied (RFC 7240 3).'),
  [header.rateLimit]: text('The remaining quota (LIMIT-1).'),
  [header.rateLimitPolicy]: text('The quota policy (LIMIT-1).'),
  [header.requestId]: text('The id of the request.', { maxLength: 128 }),
  [header.retryAfter]: { description: 'Seconds until the request may be sent again.', schema: natural },
  [header.sunset]: text('When the version, or this part of it, ends (RFC 8594).', {
    pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$',
  }),
  [header.token]: text('The token of this user (AUTH-2).'),
  [header.totalCount]: { description: 'The number of matching items on all pages (QUERY-7).', schema: natural },
  [header.vary]: text('The request header fields that the response depends on.'),
  [header.wwwAuthenticate]: text('How to authenticate (RFC 9110 11.6.1).'),
}

/**
 * Returns these fields as the `headers` of a response. `stated`: the descriptions of the service's
 * own fields, by name.
 */
export function headersOf(
  found: readonly AnswerField[],
  components: Components,
  stated: Readonly<Record<string, string>> = {},
): Readonly<Record<string, Reference | Readonly<Record<string, unknown>>>> {
  const known = found.map(({ name, always }) => [name, reference(name, always, components)] as const)
  const own = Object.entries(stated).map(([name, description]) => [name, text(description)] as const)
  return Object.fromEntries([...known, ...own])
}

/**
 * Returns the names of header fields as one suffix for the name of a response component. Responses
 * with different fields get different suffixes.
 */
export const fieldNames = (headers: ReturnType<typeof headersOf>): string =>
  Object.entries(headers)
    .map(([name, given]) => (typeof given.$ref === 'string' ? (given.$ref.split('/').at(-1) ?? '') : typeName(name)))
    .join('')

/** Returns a reference to a field. Required and optional fields are different components. */
function reference(name: string, always: boolean, components: Components): Reference {
  // Linters look for a component with the exact name `Access-Control-Allow-Origin`.
  const title = name === header.allowOrigin ? name : `${always ? '' : 'Optional'}${typeName(name)}`
  const field = fields[name] ?? text('A header field.')
  return components.share('headers', [title], { ...field, ...(always ? { required: true } : {}) })
}
