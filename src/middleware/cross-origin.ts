/**
 * Lets browser scripts of other origins call an API and read the header fields of the conventions
 * (CORS; HDR-7; Fetch standard, "CORS protocol").
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'
import { Caches, owning } from '../cache.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { exposedHeaders, header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { headerName } from './options.js'

/**
 * The origins that may call the API, and the header fields that their scripts may send and read
 * (HDR-7).
 */
export interface CrossOriginOptions {
  /**
   * The origins whose scripts may read responses, such as `https://shop.example.com`, or `'*'` for
   * any origin. Wildcards within an origin are not supported; use a regular expression instead.
   * There is no default.
   */
  readonly origins: '*' | readonly (string | RegExp)[]
  /**
   * Whether browsers may send cookies. Tokens do not need cookies. `true` is not allowed if
   * `origins` is `'*'`. Default false.
   */
  readonly credentials?: boolean
  /** How long browsers may cache the response to a preflight, in seconds. Default 600. */
  readonly maxAge?: number
  /** Request header fields that scripts may send in addition to those of the conventions. */
  readonly allowedHeaders?: readonly string[]
  /** Response header fields that scripts may read in addition to those of HDR-7. */
  readonly exposedHeaders?: readonly string[]
}

const names: Kind = { each: headerName }

export const crossOriginKinds: Kinds<CrossOriginOptions> = {
  origins: {
    required: [{ oneOf: ['*'] }, { each: 'any', min: 1, a: "a list such as ['https://shop.example.com']" }],
  },
  credentials: 'boolean',
  maxAge: { from: 0, whole: true, unit: 'seconds' },
  allowedHeaders: names,
  exposedHeaders: names,
}

/** The request header fields that the conventions use. */
const requestHeaders: readonly string[] = [
  header.authorization,
  header.token,
  header.contentType,
  header.idempotencyKey,
  header.ifMatch,
  header.ifNoneMatch,
  header.prefer,
  header.requestId,
]

/** The return value of `crossOrigin()`. */
export interface CrossOrigin extends Middleware {
  /**
   * Returns the CORS header fields of the response to a request that is not a preflight. Code that
   * writes the response itself can use these fields. They depend only on `Origin`.
   */
  fields(req: IncomingMessage): Readonly<Record<string, string>>
}

/**
 * The maximum length of an origin whose header fields are cached. Without this maximum, clients
 * could fill the cache with long origins.
 */
const longestOrigin = 200

/**
 * Creates a middleware that lets scripts of other origins call an API. It responds to preflights,
 * which need no token, and exposes the header fields of HDR-7. It is built on the package `cors`.
 * Pass it to `api` as the option `cors`, or mount it before every middleware that requires
 * credentials.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * api({
 *   cors: crossOrigin({ origins: ['https://shop.example.com'] }),
 *   authenticate: bearer({ keys }),
 *   versions,
 * })
 */
export function crossOrigin(options: CrossOriginOptions): CrossOrigin {
  checkOptions('crossOrigin()', options, crossOriginKinds)
  const { origins, credentials = false, maxAge = 600 } = options
  if (origins === '*' && credentials) {
    throw invalidOption(
      'crossOrigin() allows cookies from every origin, so any site could send requests with the cookies ' +
        'of its visitors. List the origins, or remove "credentials".',
    )
  }
  const settings = {
    origin: origins === '*' ? '*' : checkOrigins(origins),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [...requestHeaders, ...(options.allowedHeaders ?? [])],
    exposedHeaders: [...exposedHeaders, ...(options.exposedHeaders ?? [])],
    credentials,
    maxAge,
  }
  const answer = cors(settings)
  const pass = cors({ ...settings, preflightContinue: true })
  const crossOriginMiddleware: Middleware = (req, res, next) => {
    if (isPreflight(req)) answer(req, res, next)
    else pass(req, res, next)
  }
  const caches = new Caches()
  const known = caches.make<string, Readonly<Record<string, string>>>('origins')
  const fields = (req: IncomingMessage): Readonly<Record<string, string>> => {
    const { origin = '' } = req.headers
    const found = known.get(origin)
    if (found !== undefined) return found
    const made = fieldsOf(pass, origin)
    if (origin.length <= longestOrigin) known.set(origin, made)
    return made
  }
  return owning(Object.assign(crossOriginMiddleware, { fields }), caches)
}

declareFactory(crossOrigin, 'crossOrigin({ origins })')

/**
 * Whether a request has the header fields of a preflight. An OPTIONS request without them asks for
 * the allowed methods (VERB-9).
 */
const isPreflight = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/**
 * Returns the header fields that `cors` sets on the response to a GET. For an OPTIONS request,
 * `cors` would add the fields of a preflight.
 */
function fieldsOf(pass: ReturnType<typeof cors>, origin: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  const place = {
    getHeader: (name: string) => fields[name],
    setHeader(name: string, value: string) {
      fields[name] = value
    },
  }
  const req = { method: 'GET', headers: origin === '' ? {} : { origin } }
  pass(req as IncomingMessage, place as unknown as ServerResponse, () => {})
  return Object.freeze(fields)
}

function checkOrigins(origins: readonly (string | RegExp)[]): (string | RegExp)[] {
  for (const origin of origins) {
    if (origin instanceof RegExp) checkPattern(origin)
    else if (typeof origin === 'string' && isOrigin(origin)) continue
    else throw invalidOption(`crossOrigin() has the origin "${String(origin)}". ${fixFor(String(origin))}`)
  }
  return [...origins]
}

/**
 * Whether a string is an origin. `*` is valid in a URL, but browsers never send it in an origin.
 */
const isOrigin = (text: string): boolean => !text.includes('*') && URL.canParse(text) && new URL(text).origin === text

function fixFor(origin: string): string {
  if (origin === '*') return "To allow any origin, pass '*' instead of a list."
  if (origin.includes('*')) return `Wildcards are not supported. Use a regular expression: ${patternOf(origin)}.`
  const meant = URL.canParse(origin) ? new URL(origin).origin : 'null'
  const form = 'An origin is a scheme, a host and optionally a port, as browsers send it'
  return meant === 'null' ? `${form}: "https://shop.example.com".` : `${form}. Use "${meant}".`
}

/**
 * A regular expression, as a literal, for an origin with wildcards. A wildcard does not match a
 * dot.
 */
const patternOf = (origin: string): string =>
  `/^${origin.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('*', '[a-z0-9-]+')}$/`

/**
 * Throws if a pattern is not anchored at both ends, or has the flag `g` or `y`. Without anchors, a
 * pattern such as `/shop\.example\.com/` would also match `https://shop.example.com.evil.test`.
 */
function checkPattern(origin: RegExp): void {
  const { source, flags } = origin
  const unescaped = source.replace(/\\./g, '')
  if (!source.startsWith('^') || !unescaped.endsWith('$') || hasChoiceOutside(unescaped)) {
    throw invalidOption(
      `crossOrigin() has the origin ${String(origin)}, which can match a part of another origin. Start it with ^, ` +
        'end it with $, and put alternatives in parentheses.',
    )
  }
  if (/[gy]/.test(flags))
    throw invalidOption(
      `crossOrigin() has the origin ${String(origin)}, which matches only every other time because of its flags. ` +
        'Remove the flags g and y.',
    )
}

/**
 * Whether a pattern has an alternation (`|`) outside of groups. In such a pattern, `^` and `$` each
 * anchor only one alternative.
 */
function hasChoiceOutside(unescaped: string): boolean {
  let left = unescaped.replace(/\[[^\]]*\]/g, '')
  for (let before = ''; before !== left; ) {
    before = left
    left = left.replace(/\([^()]*\)/g, '')
  }
  return left.includes('|')
}
