/**
 * The rules of methods at a path: exact `Allow`, HEAD, DELETE and their statuses (VERB-2,
 * VERB-6..9).
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
import { type BaseAddressOptions, baseAddress, baseAddressKinds } from './base-address.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware, NextFunction } from './middleware.js'
import { isJsonPatch, unreadablePatch } from './patch-types.js'
import { type HeadRule, ruleHead, type Verdict } from './response-head.js'

/** 405 with `Allow` (VERB-7, VERB-9). */
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
  /** The methods that the routes after it handle. GET includes HEAD; OPTIONS is always included. */
  readonly allow: readonly (typeof methodNames)[number][]
  /**
   * Decides which actions an authenticated principal may perform (AUTH-4); an authenticating
   * middleware must run before. `Allow` lists only the caller's permitted methods. Requires
   * `resource`.
   */
  // Declared as a method, so that a callback may declare a narrower type of principal.
  permission?(principal: unknown, action: Action, resource: string, key?: KeyValue): Decided
  /** The name of the resource that is passed to `permission`: the collection. */
  readonly resource?: string
  /**
   * Returns the key of the item in the path for `permission`, such as `(req) => req.params.id`;
   * `false` if the permission does not need it. Required for an item with a permission.
   */
  readonly key?: ((req: never) => KeyValue) | false
}

/**
 * Applies the rules of methods to the hand-written routes of one path. Mount it before those
 * routes.
 * - A method that is not allowed is 405 with an exact `Allow`; OPTIONS is 204 with the same
 *   (VERB-9).
 * - HEAD of an item runs its GET handler; a success becomes 302 without `Location` or body
 *   (VERB-8).
 * - A successful DELETE has no body and keeps the handler's 200, 202 or 204 (VERB-6).
 * - With `permission`, a method that the caller may not use is 405 with the permitted methods, or
 *   403 if there are none. A caller with write but no read permission gets no body and may not send
 *   a JSON Patch (AUTH-4).
 * - A 201 or 202 to POST has an absolute `Location`: one that starts with `/` is made absolute, a
 *   missing one is a `ConfigurationError` passed to `next` (VERB-2).
 * - A `Content-Location` that starts with `/` is made absolute. It is removed if the body it
 *   describes is not sent (RFC 9110 8.7).
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
    conventions.has('VERB-6') ? [...showing, 'DELETE'] : [...showing],
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
    if (method === 'HEAD' && on === 'item') ruleHead(res, headRule(conventions.legacy('VERB-8', req)), next)
    // The body of a DELETE may show data that this caller may not read (AUTH-4).
    if (method === 'DELETE') ruleHead(res, deleteRule(hidden ? undefined : conventions.legacy('VERB-6', req)), next)
    if (hidden && method === 'PATCH' && isJsonPatch(req)) return next(unreadablePatch())
    if (method === 'PUT' || method === 'PATCH')
      ruleHead(res, (answer) => located(answer, () => baseOf(req), hidden), next)
    if (method === 'POST') ruleHead(res, (answer) => created(answer, () => baseOf(req), hidden), next)
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

/** The methods that a caller may use at a path. */
interface Permitted {
  /** `Allow`, if it is needed for the request's method; else empty. */
  readonly allow: string
  /** The caller may write, but not read, the resource. */
  readonly hidden: boolean
}

/**
 * Checks the permission for the request's method. Throws 403 or 405 if it is not granted (AUTH-4).
 */
function permitting(
  { on, permission, resource, key: keyOf }: MethodRulesOptions,
  handled: readonly string[],
  /** The methods whose responses may have a body. */
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
    if (decision === 'forbidden') throw forbidden(resource)
    const own = await ownMethods(handled, ask)
    if (own.none) throw forbidden(resource)
    if (decision !== undefined) throw methodNotPermitted(method, own)
    return { allow: own.allow, hidden: false }
  }
}

/** The write methods whose responses may contain the written record. */
const showing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

function checkMethods(options: MethodRulesOptions): void {
  checkOptions('methodRules()', options, methodsKinds)
  const { on, allow, permission, resource, key } = options
  if ((permission === undefined) !== (resource === undefined))
    throw invalidOption(
      'methodRules() has only one of permission and resource. Set both: resource is passed to the permission.',
    )
  if (on === 'item' && permission !== undefined && key === undefined) {
    throw invalidOption(
      'methodRules() has a permission for an item but no key, so rules for single items could not apply. Set key: ' +
        '(req) => req.params.id, or key: false if the permission does not need it.',
    )
  }
  if (on === 'collection' && allow.includes('DELETE')) {
    throw invalidOption('methodRules() allows DELETE on a collection, which is never legal (VERB-7). Remove it.')
  }
}

/**
 * HEAD of an existing item is 302 without `Location`, since following one would lead back here
 * endlessly (VERB-8). A 304 also means that the item exists.
 */
const headOfItem: HeadRule = (res) => {
  if (isSuccess(res) || res.statusCode === 304) res.statusCode = 302
  if (res.statusCode === 302) removeFields(res, [header.location, ...bodyFields])
  return 'bodiless'
}

/**
 * VERB-6: an empty body. `Etag` is removed too, since it would be the tag of a body that is not
 * sent.
 */
const emptyDelete: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  if (res.statusCode !== 200 && res.statusCode !== 202) res.statusCode = 204
  removeFields(res, [header.etag, header.contentLocation, ...bodyFields])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/** VERB-8: HEAD of an item as the service responded before, or by the conventions. */
const headRule = (legacy: Legacy<'VERB-8'> | undefined): HeadRule => {
  if (legacy === undefined) return headOfItem
  return (res) => {
    if (isSuccess(res) || res.statusCode === 304) legacy.found('HEAD')
    return 'whole'
  }
}

/** VERB-6: the same choice for DELETE. */
const deleteRule = (legacy: Legacy<'VERB-6'> | undefined): HeadRule => {
  if (legacy === undefined) return emptyDelete
  return (res, hasContent) => {
    const isUsual = res.statusCode === 200 || res.statusCode === 202 || res.statusCode === 204
    if (isSuccess(res) && (hasContent || !isUsual)) legacy.found('DELETE')
    return 'whole'
  }
}

/** AUTH-4: removes the body. A weak tag, which Express derives from the bytes, is removed too. */
const unread: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  removeFields(res, [header.contentLocation, ...bodyFields])
  if (/^W\//.test(String(res.getHeader(header.etag)))) removeFields(res, [header.etag])
  if (/representation/.test(String(res.getHeader(header.preferenceApplied))))
    removeFields(res, [header.preferenceApplied])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/** A POST that creates nothing is an action, whose response is unchanged. */
function created(res: ServerResponse, base: BaseOf, hidden: boolean): Verdict {
  const verdict = locatedCreate(res, base)
  return hidden && verdict === 'whole' && (res.statusCode === 201 || res.statusCode === 202) ? unread(res) : verdict
}

/** The response to a change, with its body removed if the caller may not read it. */
function located(res: ServerResponse, base: BaseOf, hidden: boolean): Verdict {
  placeContent(res, base)
  return hidden ? unread(res) : 'whole'
}

type BaseOf = () => string | undefined

/**
 * Makes `Content-Location` absolute. Errors are not representations of the item, so it is removed
 * from them.
 */
function placeContent(res: ServerResponse, base: BaseOf): void {
  if (isSuccess(res)) makeAbsolute(res, header.contentLocation, base)
  else removeFields(res, [header.contentLocation])
}

/** Makes the address in a field absolute, if it is a path and the base is known. */
function makeAbsolute(res: ServerResponse, name: string, base: BaseOf): void {
  const address = String(res.getHeader(name) ?? '')
  const root = /^\/(?!\/)/.test(address) ? base() : undefined
  if (root !== undefined) res.setHeader(name, root + address)
}

/** VERB-2. */
function locatedCreate(res: ServerResponse, base: BaseOf): Verdict {
  placeContent(res, base)
  if (res.statusCode !== 201 && res.statusCode !== 202) return 'whole'
  makeAbsolute(res, header.location, base)
  const location = String(res.getHeader(header.location) ?? '')
  if (URL.canParse(location)) return 'whole'
  return invalidOption(
    `A POST was answered with ${res.statusCode} ` +
      `${location === '' ? 'without a Location' : `with the Location "${location}"`} (VERB-2). Set the absolute ` +
      'address of what was created.',
  )
}

const isSuccess = ({ statusCode }: ServerResponse): boolean => statusCode >= 200 && statusCode < 300

/**
 * The key of the request's item. Throws if there is none, for example because the route's parameter
 * has another name: the permission must not be asked as if there were no item.
 */
function keyIn(req: IncomingMessage, keyOf: (req: never) => KeyValue): KeyValue {
  const key: unknown = keyOf(req as never)
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean' || isObject(key))
    return key as KeyValue
  throw new ConfigurationError(
    'middleware-missing',
    'The function key of methodRules() returned no key for this request. Mount the middleware on the item route ' +
      'whose parameter it reads.',
  )
}
