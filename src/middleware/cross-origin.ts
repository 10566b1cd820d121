/**
 * CORS for browsers, exposing the header fields of the conventions (HDR-7; Fetch standard, "CORS
 * protocol").
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'
import { Caches, owning } from '../cache.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { exposedHeaders, header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { headerName } from './options.js'

/** The origins that may call the API, and the headers they may send and read (HDR-7). */
export interface CrossOriginOptions {
  /**
   * The origins whose scripts may read responses, such as `https://shop.example.com`; `'*'` for
   * any. Wildcards are not supported; use a regular expression. There is no default.
   */
  readonly origins: '*' | readonly (string | RegExp)[]
  /**
   * Whether browsers may send cookies. Tokens do not need them. Default false; not allowed with
   * `'*'`.
   */
  readonly credentials?: boolean
  /** How long browsers may cache a preflight, in seconds. Default 600. */
  readonly maxAge?: number
  /** Request headers that scripts may send in addition to those of the conventions. */
  readonly allowedHeaders?: readonly string[]
  /** Response headers that scripts may read in addition to those of HDR-7. */
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

/** The request headers of the conventions. */
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
   * The CORS fields of the response to a request that is not a preflight, for code that writes the
   * response itself. They depend only on `Origin`.
   */
  fields(req: IncomingMessage): Readonly<Record<string, string>>
}

/** The maximum length of an origin whose fields are cached, since clients may send any. */
const longestOrigin = 200

/**
 * Lets scripts of other origins call an API: answers preflights, which need no token, and exposes
 * the headers of HDR-7. Built on `cors`. Pass it to `api` as `cors`, or mount it before every
 * middleware that requires credentials.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example api({ cors: crossOrigin({ origins: ['https://shop.example.com'] }), authenticate: bearer({ keys }), versions })
 */
export function crossOrigin(options: CrossOriginOptions): CrossOrigin {
  checkOptions('crossOrigin()', options, crossOriginKinds)
  const { origins, credentials = false, maxAge = 600 } = options
  if (origins === '*' && credentials) {
    throw invalidOption(
      'crossOrigin() allows cookies from every origin, so any site could act as its visitors. List the origins, or ' +
        'remove credentials.',
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
    const made = fieldsOf(pass, req)
    if (origin.length <= longestOrigin) known.set(origin, made)
    return made
  }
  return owning(Object.assign(crossOriginMiddleware, { fields }), caches)
}

/**
 * OPTIONS without these fields is not a preflight, but a request for the allowed methods (VERB-9).
 */
const isPreflight = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** The fields that `cors` sets on the response to a request. */
function fieldsOf(pass: ReturnType<typeof cors>, req: IncomingMessage): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  const place = {
    getHeader: (name: string) => fields[name],
    setHeader(name: string, value: string) {
      fields[name] = value
    },
  }
  pass(req, place as unknown as ServerResponse, () => {})
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

/** `*` is valid in a URL, but never part of a browser's origin. */
const isOrigin = (text: string): boolean => !text.includes('*') && URL.canParse(text) && new URL(text).origin === text

function fixFor(origin: string): string {
  if (origin === '*') return "To allow any origin, pass '*' instead of a list."
  if (origin.includes('*')) return `Wildcards are not supported. Use a regular expression: ${patternOf(origin)}.`
  const meant = URL.canParse(origin) ? new URL(origin).origin : 'null'
  const form = 'An origin is a scheme, a host and optionally a port, as browsers send it'
  return meant === 'null' ? `${form}: "https://shop.example.com".` : `${form}. Use "${meant}".`
}

/** The regular expression for an origin with wildcards, each of which matches one label. */
const patternOf = (origin: string): string =>
  `/^${origin.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('*', '[a-z0-9-]+')}$/`

/**
 * An unanchored pattern such as `/shop\.example\.com/` would also match
 * `https://shop.example.com.evil.test`.
 */
function checkPattern(origin: RegExp): void {
  const { source, flags } = origin
  const unescaped = source.replace(/\\./g, '')
  if (!source.startsWith('^') || !unescaped.endsWith('$') || hasChoiceOutside(unescaped)) {
    throw invalidOption(
      `crossOrigin() has the origin ${String(origin)}, which also matches parts of other origins. Start it with ^ ` +
        'and end it with $.',
    )
  }
  if (/[gy]/.test(flags))
    throw invalidOption(
      `crossOrigin() has the origin ${String(origin)}, which matches only every other time because of its flags. ` +
        'Remove g and y.',
    )
}

/** In an alternation outside of groups, `^` and `$` each anchor only one alternative. */
function hasChoiceOutside(unescaped: string): boolean {
  let left = unescaped.replace(/\[[^\]]*\]/g, '')
  for (let before = ''; before !== left; ) {
    before = left
    left = left.replace(/\([^()]*\)/g, '')
  }
  return left.includes('|')
}
