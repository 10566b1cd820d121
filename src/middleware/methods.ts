/** What the methods mean at a path: exact `Allow`, HEAD, DELETE and their statuses (VERB-2, VERB-6..9). */
import type { ServerResponse } from 'node:http'
import { listOption } from '../definition/known-options.js'
import { ConfigurationError, HttpProblem } from '../problem.js'
import { send } from '../representation/answer.js'
import { header } from '../wire.js'
import { type BaseAddressOptions, baseAddress } from './base-address.js'
import type { Middleware } from './middleware.js'
import { checkOptions, type Kinds } from './options.js'
import { type HeadRule, ruleHead, type Verdict } from './response-head.js'

/** The refusal of a method: 405 with `Allow` (VERB-7, VERB-9). */
export function methodNotAllowed(method: string, allow: string, collection: boolean): HttpProblem {
  const why =
    method === 'DELETE' && collection ? 'A collection is never deleted: DELETE its items.' : `${method.slice(0, 20)} is not allowed here.`
  return new HttpProblem('method-not-allowed', { detail: `${why} Allowed: ${allow}.`, headers: { [header.allow]: allow } })
}

const methodNames = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What lies at a path, and what is handled there. */
export interface MethodsOptions extends BaseAddressOptions {
  /** What lies at the path. */
  readonly on: 'collection' | 'item'
  /** The methods that the routes behind handle. HEAD comes with GET, OPTIONS always. */
  readonly allow: readonly (typeof methodNames)[number][]
}

/**
 * Holds the rules of methods over the hand-written routes of one path, which it must stand before:
 * - a method that is not allowed is 405 with an exact `Allow`, OPTIONS 204 with the same (VERB-9);
 * - HEAD of an item runs its GET handler; a success becomes 302 without `Location` or body (VERB-8);
 * - a successful DELETE has no body, and keeps the handler's 200, 202 or 204 (VERB-6);
 * - a 201 or 202 to POST has an absolute `Location`: one that begins with `/` is made absolute, a missing one is a `ConfigurationError` passed to `next` (VERB-2).
 *
 * Throws `ConfigurationError` where an option makes no sense, such as DELETE on a collection (VERB-7).
 *
 * @example
 * app.all('/sucursales/:id', methods({ on: 'item', allow: ['GET', 'PUT', 'DELETE'] }))
 * app.get('/sucursales/:id', (req, res) => res.json(find(req.params.id)))
 */
export function methods(options: MethodsOptions): Middleware {
  checkMethods(options)
  const { on, allow } = options
  const baseOf = baseAddress(options)
  const handled = methodNames.filter((method) => allow.includes(method))
  const allowed = [...handled.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
  const field = allowed.join(', ')
  return function methodsMiddleware(req, res, next) {
    const method = req.method ?? 'GET'
    if (!allowed.includes(method)) return next(methodNotAllowed(method, field, on === 'collection'))
    if (method === 'OPTIONS') return send(res, { status: 204, headers: { [header.allow]: field } }, false)
    if (method === 'HEAD' && on === 'item') ruleHead(res, headOfItem, next)
    if (method === 'DELETE') ruleHead(res, emptyDelete, next)
    if (method === 'POST') ruleHead(res, (answer) => locatedCreate(answer, baseOf(req)), next)
    next()
  }
}

const optionKinds: Kinds<MethodsOptions> = { on: 'checked', allow: 'checked', baseUrl: 'string' }

function checkMethods(options: MethodsOptions): void {
  checkOptions('methods()', options ?? null, optionKinds)
  const { on, allow } = options
  listOption('allow of methods()', allow ?? null)
  if (on !== 'collection' && on !== 'item')
    throw new ConfigurationError('invalid-option', `methods() is on "${String(on)}". Say "collection" or "item".`)
  const unknown = allow.find((method) => !methodNames.includes(method))
  if (unknown !== undefined) {
    throw new ConfigurationError(
      'invalid-option',
      `methods() allows "${String(unknown)}". Name some of ${methodNames.join(', ')}; HEAD and OPTIONS come by themselves.`,
    )
  }
  if (on === 'collection' && allow.includes('DELETE')) {
    throw new ConfigurationError('invalid-option', 'methods() allows DELETE on a collection, which is never legal (VERB-7). Leave it out.')
  }
}

const bodyFields = [header.contentType, header.contentLength, header.contentEncoding, header.transferEncoding]

function remove(res: ServerResponse, names: readonly string[]): void {
  for (const name of names) res.removeHeader(name)
}

/** An item that exists is 302 without a place to go to: following one would lead back here for ever (VERB-8). A 304 also says that it exists. */
const headOfItem: HeadRule = (res) => {
  if (isSuccess(res) || res.statusCode === 304) res.statusCode = 302
  if (res.statusCode === 302) remove(res, [header.location, ...bodyFields])
  return 'bodiless'
}

/** VERB-6. A tag would be that of the body which does not leave. */
const emptyDelete: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  if (res.statusCode !== 200 && res.statusCode !== 202) res.statusCode = 204
  remove(res, [header.etag, ...bodyFields])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/** VERB-2. */
function locatedCreate(res: ServerResponse, base: string | undefined): Verdict {
  if (res.statusCode !== 201 && res.statusCode !== 202) return 'whole'
  const location = String(res.getHeader(header.location) ?? '')
  if (URL.canParse(location)) return 'whole'
  if (/^\/(?!\/)/.test(location) && base !== undefined) {
    res.setHeader(header.location, base + location)
    return 'whole'
  }
  return new ConfigurationError(
    'invalid-option',
    `A POST answers ${res.statusCode} ${location === '' ? 'without a Location' : `with the Location "${location}"`} (VERB-2). Set the absolute address of what was created.`,
  )
}

const isSuccess = ({ statusCode }: ServerResponse): boolean => statusCode >= 200 && statusCode < 300
