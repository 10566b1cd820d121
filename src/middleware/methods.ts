/**
 * The rules for the methods at a path: an exact `Allow`, and the responses to writes and to HEAD
 * requests (VERB-2, VERB-6..9).
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Action,
  type Decided,
  type Decision,
  decide,
  forbidden,
  itemActions,
  methodNotPermitted,
  ownMethods,
  scopesNeeded,
} from '../auth/permission.js'
import type { Legacy } from '../conventions/modes.js'
import { isObject } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { ConfigurationError, HttpProblem } from '../problem.js'
import { send } from '../representation/answer.js'
import { bodyFields, removeFields } from '../representation/header-fields.js'
import { header } from '../wire.js'
import { principals } from './authenticate.js'
import { type BaseAddressOptions, baseAddress, baseAddressKinds, malformedHost } from './base-address.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware, NextFunction } from './middleware.js'
import { isJsonPatch, unreadablePatch } from './patch-types.js'
import { applyHeadRule, type HeadRule, type Verdict } from './response-head.js'

/** The 405 with `Allow` (VERB-7, VERB-9). */
export function methodNotAllowed(method: string, allow: string, collection: boolean): HttpProblem {
  const why =
    method === 'DELETE' && collection
      ? 'A collection is never deleted: DELETE its items.'
      : `${method.slice(0, 20)} is not allowed here.`
  return new HttpProblem('method-not-allowed', {
    detail: `${why} Allowed: ${allow}.`,
    headers: { [header.allow]: allow },
  })
}

const methodNames = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * The options of `methodRules()`: the kind of resource at a path, and the methods handled there.
 */
export interface MethodRulesOptions extends BaseAddressOptions, ConventionsOptions<'VERB-6' | 'VERB-8'> {
  /** The kind of resource at the path. */
  readonly on: 'collection' | 'item'
  /**
   * The methods that the routes after this middleware handle. GET includes HEAD. OPTIONS is always
   * included.
   */
  readonly allow: readonly (typeof methodNames)[number][]
  /**
   * Decides which actions an authenticated principal may perform (AUTH-4). An authenticating
   * middleware must run before this middleware. With this option, `Allow` lists only the methods
   * that the caller may use. Requires `resource`.
   */
  // The callback is declared as a method, so that a service may declare a narrower type of
  // principal.
  permission?(principal: unknown, action: Action, resource: string, key?: KeyValue): Decided
  /**
   * The name of the resource, which is passed to `permission`. For an item, it is the name of the
   * collection.
   */
  readonly resource?: string
  /**
   * Returns the key of the item in the path, such as `(req) => req.params.id`. The key is passed to
   * `permission`. Set the option to `false` if the permission function does not need the key.
   * Required if `on` is `item` and `permission` is set.
   */
  readonly key?: ((req: never) => KeyValue) | false
}

/**
 * Creates a middleware that applies the rules for methods to the hand-written routes of one path.
 * Mount it before those routes.
 * - A method that is not allowed gets 405 with an exact `Allow`. OPTIONS gets 204 with the same
 *   `Allow` (VERB-9).
 * - A HEAD request for an item runs the GET handler. A successful response or a 304 becomes 302
 *   without `Location` and without a body (VERB-8).
 * - The response to a successful DELETE has no body. A status of 200 or 202 is kept, and any other
 *   success becomes 204 (VERB-6).
 * - With `permission`, a method that the caller may not use gets 403 or 405, as the permission
 *   function decides. A 405 lists only the methods that the caller may use. If a caller may write
 *   but not read, responses to this caller have no body that shows the resource, and a JSON Patch
 *   gets 403 (AUTH-4).
 * - A 201 or 202 to POST has an absolute `Location`. A `Location` that starts with `/` is made
 *   absolute. If the `Location` is missing or still relative, a `ConfigurationError` is passed to
 *   `next` (VERB-2).
 * - In the response to a POST, PUT or PATCH, a `Content-Location` that starts with `/` is made
 *   absolute. If the status of such a response is not 2xx, `Content-Location` is removed. If the
 *   body of the response to a write is removed, `Content-Location` is removed too (RFC 9110 8.7).
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid, such as DELETE on a
 * collection (VERB-7)
 *
 * @example
 * app.all('/sucursales/:id', methodRules({ on: 'item', allow: ['GET', 'PUT', 'DELETE'] }))
 * app.get('/sucursales/:id', (req, res) => res.json(find(req.params.id)))
 */
export function methodRules(options: MethodRulesOptions): Middleware {
  checkMethods(options)
  const { on, allow } = options
  const baseOf = baseAddress(options)
  const handled = methodNames.filter((method) => allow.includes(method))
  const allowed = [...handled.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
  const field = allowed.join(', ')
  const conventions = new RouteConventions(options, { what: 'methodRules()', clauses: ['VERB-6', 'VERB-8'] })
  const permit = permitting(
    options,
    allowed.slice(0, -1),
    conventions.has('VERB-6') ? [...writesWithBody, 'DELETE'] : [...writesWithBody],
  )
  return function methodsMiddleware(req, res, next) {
    if (permit === undefined) return go(req, res, next, { allow: field, hidden: false })
    permit(req)
      .then((permitted) => go(req, res, next, permitted))
      .catch(next)
  }

  function go(req: IncomingMessage, res: ServerResponse, next: NextFunction, { allow: own, hidden }: Permitted) {
    const method = req.method ?? 'GET'
    if (!allowed.includes(method)) return next(methodNotAllowed(method, own, on === 'collection'))
    if (method === 'OPTIONS') return send(res, { status: 204, headers: { [header.allow]: own } }, false)
    if (method === 'HEAD' && on === 'item') applyHeadRule(res, headRule(conventions.legacy('VERB-8', req)), next)
    // The body of the response to a DELETE may show the resource. The legacy mode of VERB-6 keeps
    // this body, so this mode is not used for a caller who may not read the resource (AUTH-4).
    if (method === 'DELETE')
      applyHeadRule(res, deleteRule(hidden ? undefined : conventions.legacy('VERB-6', req)), next)
    if (hidden && method === 'PATCH' && isJsonPatch(req)) return next(unreadablePatch())
    if (method === 'PUT' || method === 'PATCH')
      applyHeadRule(res, (answer) => rulePut(answer, () => baseOf(req), hidden), next)
    if (method === 'POST') {
      const base = baseOf(req)
      // Without a base URL, a `Location` such as `/orders/1` could not be made absolute. So the
      // request is refused before the handler creates anything.
      if (base === undefined) return next(malformedHost())
      applyHeadRule(res, (answer) => rulePost(answer, () => base, hidden), next)
    }
    next()
  }
}

const methodKind: Kind = {
  a: "'GET', 'POST', 'PUT', 'PATCH' or 'DELETE'; HEAD and OPTIONS are included automatically",
  like: { test: (text) => (methodNames as readonly string[]).includes(text) },
}

export const methodsKinds: Kinds<MethodRulesOptions> = {
  on: { required: { oneOf: ['collection', 'item'] } },
  allow: { required: { each: methodKind } },
  ...baseAddressKinds,
  permission: 'function',
  resource: 'string',
  key: ['function', { oneOf: [false] }],
  ...conventionsKinds,
}

const actions: Readonly<Record<MethodRulesOptions['on'], Readonly<Record<string, Action>>>> = {
  collection: { GET: 'list', HEAD: 'list', POST: 'create' },
  item: itemActions,
}

/** The result of checking the permission for a request. */
interface Permitted {
  /**
   * The methods that the caller may use, as the value of `Allow`. Empty if the permission function
   * permits the method of the request, because `Allow` is then not needed.
   */
  readonly allow: string
  /** Whether the response must not show the resource, because the caller may not read it. */
  readonly hidden: boolean
}

/**
 * Returns a function that checks the permission for the method of a request. The function rejects
 * with 403 or 405 if the method is not permitted (AUTH-4).
 */
function permitting(
  { on, permission, resource, key: keyOf }: MethodRulesOptions,
  handled: readonly string[],
  /** The methods whose responses may show the resource. */
  shows: readonly string[],
): ((req: IncomingMessage) => Promise<Permitted>) | undefined {
  if (permission === undefined || resource === undefined) return undefined
  const table = actions[on]
  return async (req) => {
    const method = req.method ?? 'GET'
    const { principal } = principals.of(req)
    const key = keyOf === undefined || keyOf === false ? undefined : keyIn(req, keyOf)
    const may = (action: Action) => decide(permission, principal, { action, resource, key })
    const ask = (one: string) => may(table[one] ?? 'read')
    const decision: Decision | undefined = handled.includes(method) ? await ask(method) : undefined
    if (decision === 'allow') return { allow: '', hidden: shows.includes(method) && (await may('read')) !== 'allow' }
    if (decision === 'forbidden')
      throw forbidden(resource, scopesNeeded(permission)?.(table[method] ?? 'read', resource))
    const own = await ownMethods(handled, ask)
    if (own.isForbidden) throw forbidden(resource)
    if (decision !== undefined) throw methodNotPermitted(method, own)
    return { allow: own.allow, hidden: false }
  }
}

/** The write methods whose responses may contain the written record. */
const writesWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

function checkMethods(options: MethodRulesOptions): void {
  checkOptions('methodRules()', options, methodsKinds)
  const { on, allow, permission, resource, key } = options
  if ((permission === undefined) !== (resource === undefined))
    throw invalidOption(
      'methodRules() has only one of the options "permission" and "resource". Set both: "resource" is passed to the ' +
        'permission function.',
    )
  if (on === 'item' && permission !== undefined && key === undefined) {
    throw invalidOption(
      'methodRules() has a permission function on an item but no "key", so the function could not distinguish ' +
        'items. Set key: (req) => req.params.id, or key: false if the function does not need the key.',
    )
  }
  if (on === 'collection' && allow.includes('DELETE')) {
    throw invalidOption('methodRules() allows DELETE on a collection, which is never allowed (VERB-7). Remove DELETE.')
  }
}

/**
 * A HEAD request for an existing item gets 302 without `Location` (VERB-8). With a `Location`, the
 * redirect would lead back to the same URL endlessly. A 304 from the handler also means that the
 * item exists.
 */
const headOfItem: HeadRule = (res) => {
  if (isSuccess(res) || res.statusCode === 304) res.statusCode = 302
  if (res.statusCode === 302) removeFields(res, [header.location, ...bodyFields])
  return 'bodiless'
}

/**
 * Removes the body of the response to a successful DELETE (VERB-6). `Etag` is removed too, because
 * it would be the tag of a body that is not sent.
 */
const emptyDelete: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  if (res.statusCode !== 200 && res.statusCode !== 202) res.statusCode = 204
  removeFields(res, [header.etag, header.contentLocation, ...bodyFields])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/**
 * Returns the rule for a HEAD request for an item (VERB-8). In the legacy mode of VERB-8, the rule
 * changes nothing. Otherwise, the rule is `headOfItem`.
 */
const headRule = (legacy: Legacy<'VERB-8'> | undefined): HeadRule => {
  if (legacy === undefined) return headOfItem
  return (res) => {
    if (isSuccess(res) || res.statusCode === 304) legacy.found('HEAD')
    return 'whole'
  }
}

/**
 * Returns the rule for DELETE (VERB-6). In the legacy mode of VERB-6, the rule changes nothing.
 * Otherwise, the rule is `emptyDelete`.
 */
const deleteRule = (legacy: Legacy<'VERB-6'> | undefined): HeadRule => {
  if (legacy === undefined) return emptyDelete
  return (res, hasContent) => {
    const isUsual = res.statusCode === 200 || res.statusCode === 202 || res.statusCode === 204
    if (isSuccess(res) && (hasContent || !isUsual)) legacy.found('DELETE')
    return 'whole'
  }
}

/**
 * Removes the body of a successful response to a caller who may not read the resource (AUTH-4). A
 * weak `Etag` is removed too, because Express derives it from the bytes of the body.
 */
const withoutBody: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  removeFields(res, [header.contentLocation, ...bodyFields])
  if (/^W\//.test(String(res.getHeader(header.etag)))) removeFields(res, [header.etag])
  if (/representation/.test(String(res.getHeader(header.preferenceApplied))))
    removeFields(res, [header.preferenceApplied])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/**
 * The rule for POST. If the caller may not read the resource, the body of a 201 or 202 is removed.
 * Another status means that nothing was created, so the body is kept.
 */
function rulePost(res: ServerResponse, base: BaseOf, hidden: boolean): Verdict {
  const verdict = locatedCreate(res, base)
  return hidden && verdict === 'whole' && (res.statusCode === 201 || res.statusCode === 202)
    ? withoutBody(res)
    : verdict
}

/**
 * The rule for PUT and PATCH. The body of a successful response is removed if the caller may not
 * read the resource.
 */
function rulePut(res: ServerResponse, base: BaseOf, hidden: boolean): Verdict {
  placeContent(res, base)
  return hidden ? withoutBody(res) : 'whole'
}

type BaseOf = () => string | undefined

/**
 * Makes `Content-Location` absolute. The field is removed from a response that is not successful,
 * because such a response is not a representation of the item.
 */
function placeContent(res: ServerResponse, base: BaseOf): void {
  if (isSuccess(res)) makeAbsolute(res, header.contentLocation, base)
  else removeFields(res, [header.contentLocation])
}

/**
 * Makes the URL in a header field absolute if the field contains a path and the base URL is known.
 */
function makeAbsolute(res: ServerResponse, name: string, base: BaseOf): void {
  const address = String(res.getHeader(name) ?? '')
  const root = /^\/(?!\/)/.test(address) ? base() : undefined
  if (root !== undefined) res.setHeader(name, root + address)
}

/**
 * Makes the `Location` of a 201 or 202 absolute. Returns an error if the response then has no
 * absolute `Location` (VERB-2).
 */
function locatedCreate(res: ServerResponse, base: BaseOf): Verdict {
  placeContent(res, base)
  if (res.statusCode !== 201 && res.statusCode !== 202) return 'whole'
  makeAbsolute(res, header.location, base)
  const location = String(res.getHeader(header.location) ?? '')
  if (URL.canParse(location)) return 'whole'
  return invalidOption(
    `The response to a POST has the status ${res.statusCode} ` +
      `${location === '' ? 'without a Location' : `with the Location "${location}"`} (VERB-2). Set the absolute ` +
      'URL of the created resource.',
  )
}

const isSuccess = ({ statusCode }: ServerResponse): boolean => statusCode >= 200 && statusCode < 300

/**
 * Returns the key of the item in the path. Throws if there is no key, for example because the
 * route's parameter has another name. Without a key, the permission function would decide as if
 * there were no item.
 */
function keyIn(req: IncomingMessage, keyOf: (req: never) => KeyValue): KeyValue {
  const key: unknown = keyOf(req as never)
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean' || isObject(key))
    return key as KeyValue
  throw new ConfigurationError(
    'middleware-missing',
    'The function "key" of methodRules() returned no key for this request. Mount methodRules() on the item route ' +
      'whose parameter the function reads.',
  )
}
