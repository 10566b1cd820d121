/** CORS for browsers, with what the conventions need exposed (HDR-7; Fetch standard, "CORS protocol"). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'
import { Caches, owning } from '../cache.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { exposedHeaders, header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { headerName } from './options.js'

/** Which scripts may call, and what they may send and read (HDR-7). */
export interface CrossOriginOptions {
  /** The origins whose scripts may read answers, such as `https://shop.example.com`; `'*'` for any. No wildcard is read: give a regular expression. There is no default. */
  readonly origins: '*' | readonly (string | RegExp)[]
  /** Whether browsers may send cookies along. Tokens need none. Default false; never with `'*'`. */
  readonly credentials?: boolean
  /** Seconds for which a browser remembers a preflight. Default 600. */
  readonly maxAge?: number
  /** Request headers that scripts may send beside those of the conventions. */
  readonly allowedHeaders?: readonly string[]
  /** Response headers that scripts may read beside those of HDR-7. */
  readonly exposedHeaders?: readonly string[]
}

const names: Kind = { each: headerName }

export const crossOriginKinds: Kinds<CrossOriginOptions> = {
  origins: {
    required: [{ oneOf: ['*'] }, { each: 'any', least: 1, a: "a list such as ['https://shop.example.com']" }],
  },
  credentials: 'boolean',
  maxAge: { from: 0, whole: true, unit: 'seconds' },
  allowedHeaders: names,
  exposedHeaders: names,
}

/** What scripts send by the conventions. */
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

/** What `crossOrigin()` makes. */
export interface CrossOrigin extends Middleware {
  /** The fields of the answer to a request that is no OPTIONS, for who writes that answer himself: they hang on its `Origin` alone. */
  fields(req: IncomingMessage): Readonly<Record<string, string>>
}

/** Characters of an origin whose fields are kept: clients may name any. */
const longestOrigin = 200

/**
 * Lets scripts of other origins call an API: answers preflights, which need no token, and exposes the headers of HDR-7. Built on `cors`. Give it to `api` as `cors`, or put
 * it in front of everything that asks for credentials. Throws `ConfigurationError` where an option makes no sense.
 *
 * @example api({ cors: crossOrigin({ origins: ['https://shop.example.com'] }), authenticate: bearer({ keys }), versions })
 */
export function crossOrigin(options: CrossOriginOptions): CrossOrigin {
  checkOptions('crossOrigin()', options, crossOriginKinds)
  const { origins, credentials = false, maxAge = 600 } = options
  if (origins === '*' && credentials) {
    throw invalidOption(
      'crossOrigin() lets every origin in with cookies: any site could act as whoever visits it. Name the origins, or leave credentials out.',
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

/** OPTIONS without these is no preflight, but a question for the methods (VERB-9). */
const isPreflight = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** What `cors` sets on the answer to a request. */
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
    else throw invalidOption(`crossOrigin() has the origin "${String(origin)}". ${mendOf(String(origin))}`)
  }
  return [...origins]
}

/** A `*` may stand in a URL, and no browser's origin ever equals it. */
const isOrigin = (text: string): boolean => !text.includes('*') && URL.canParse(text) && new URL(text).origin === text

function mendOf(origin: string): string {
  if (origin === '*') return "For any origin give '*' without the list."
  if (origin.includes('*')) return `No wildcard is read. Give a regular expression: ${patternOf(origin)}.`
  const meant = URL.canParse(origin) ? new URL(origin).origin : 'null'
  const form = 'An origin is scheme, host and perhaps port, as browsers write it'
  return meant === 'null' ? `${form}: "https://shop.example.com".` : `${form}. Give "${meant}".`
}

/** The expression that says what an origin with wildcards was meant to: each stands for one label. */
const patternOf = (origin: string): string =>
  `/^${origin.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('*', '[a-z0-9-]+')}$/`

/** `/shop\.example\.com/` also lets `https://shop.example.com.evil.test` in. */
function checkPattern(origin: RegExp): void {
  const { source, flags } = origin
  const unescaped = source.replace(/\\./g, '')
  if (!source.startsWith('^') || !unescaped.endsWith('$') || hasChoiceOutside(unescaped)) {
    throw invalidOption(
      `crossOrigin() has the origin ${String(origin)}, which fits parts of other origins too. Begin it with ^ and end it with $.`,
    )
  }
  if (/[gy]/.test(flags))
    throw invalidOption(
      `crossOrigin() has the origin ${String(origin)}, whose flags make it fit every other time. Leave g and y out.`,
    )
}

/** `^` and `$` bind one side each of a choice that stands outside of groups. */
function hasChoiceOutside(unescaped: string): boolean {
  let left = unescaped.replace(/\[[^\]]*\]/g, '')
  for (let before = ''; before !== left; ) {
    before = left
    left = left.replace(/\([^()]*\)/g, '')
  }
  return left.includes('|')
}
