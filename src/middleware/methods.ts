/** What the methods mean at a path: exact `Allow`, HEAD, DELETE and their statuses (VERB-2, VERB-6..9). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Action,
  type Decided,
  type Decision,
  decide,
  forbidden,
  itemActions,
  methodNotYours,
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
import { isJsonPatch, unseenPatch } from './patch-types.js'
import { type HeadRule, ruleHead, type Verdict } from './response-head.js'

/** The refusal of a method: 405 with `Allow` (VERB-7, VERB-9). */
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

/** What lies at a path, and what is handled there. */
export interface MethodRulesOptions extends BaseAddressOptions, ConventionsOptions<'VERB-6' | 'VERB-8'> {
  /** What lies at the path. */
  readonly on: 'collection' | 'item'
  /** The methods that the routes behind handle. HEAD comes with GET, OPTIONS always. */
  readonly allow: readonly (typeof methodNames)[number][]
  /** Who of the principals that an authenticating middleware in front has found may do what (AUTH-4): `Allow` names their own methods. Goes with `resource`. */
  // A method, so that its principal may be typed as the principals of the service are.
  permission?(principal: unknown, action: Action, resource: string, key?: KeyValue): Decided
  /** The name by which the permission knows what lies here: the collection. */
  readonly resource?: string
  /** The key of the item in the path, which a permission may decide by: `(req) => req.params.id`. `false` where it asks for none. An item with a permission needs it. */
  readonly key?: ((req: never) => KeyValue) | false
}

/**
 * Holds the rules of methods over the hand-written routes of one path, which it must stand before:
 * - a method that is not allowed is 405 with an exact `Allow`, OPTIONS 204 with the same (VERB-9);
 * - HEAD of an item runs its GET handler; a success becomes 302 without `Location` or body (VERB-8);
 * - a successful DELETE has no body, and keeps the handler's 200, 202 or 204 (VERB-6);
 * - with `permission`, a method that is not the caller's is 405 with those that are, and 403 where none is; who may write and not read gets no body, and sends no JSON Patch (AUTH-4);
 * - a 201 or 202 to POST has an absolute `Location`: one that begins with `/` is made absolute, a missing one is a `ConfigurationError` passed to `next` (VERB-2);
 * - a `Content-Location` that begins with `/` is made absolute, and leaves with the body that it speaks of, or not at all (RFC 9110 8.7).
 *
 * Throws `ConfigurationError` where an option makes no sense, such as DELETE on a collection (VERB-7).
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
    // A body of a DELETE may tell what this caller may not read (AUTH-4).
    if (method === 'DELETE') ruleHead(res, deleteRule(hidden ? undefined : conventions.legacy('VERB-6', req)), next)
    if (hidden && method === 'PATCH' && isJsonPatch(req)) return next(unseenPatch())
    if (method === 'PUT' || method === 'PATCH')
      ruleHead(res, (answer) => located(answer, () => baseOf(req), hidden), next)
    if (method === 'POST') ruleHead(res, (answer) => created(answer, () => baseOf(req), hidden), next)
    next()
  }
}

const methodKind: Kind = {
  a: "'GET', 'POST', 'PUT', 'PATCH' or 'DELETE'; HEAD and OPTIONS come by themselves",
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

/** What a caller may do at a path. */
interface Permitted {
  /** `Allow`, as far as a handled method needs it. */
  readonly allow: string
  /** It may write here, and not read what it writes. */
  readonly hidden: boolean
}

/** Asks for the request's method: 403 and 405 where it is not theirs (AUTH-4). */
function permitting(
  { on, permission, resource, key: keyOf }: MethodRulesOptions,
  handled: readonly string[],
  /** Whose answers may have a body. */
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
    if (decision !== undefined) throw methodNotYours(method, own)
    return { allow: own.allow, hidden: false }
  }
}

/** Writes whose answers may show what was written. */
const showing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

function checkMethods(options: MethodRulesOptions): void {
  checkOptions('methodRules()', options, methodsKinds)
  const { on, allow, permission, resource, key } = options
  if ((permission === undefined) !== (resource === undefined))
    throw invalidOption(
      'methodRules() has one of permission and resource. Give both: the permission is asked by the name of the resource.',
    )
  if (on === 'item' && permission !== undefined && key === undefined) {
    throw invalidOption(
      'methodRules() has a permission for an item, and does not tell its key, so no rule for single items would hold. Give key: (req) => req.params.id, or key: false where the permission asks for none.',
    )
  }
  if (on === 'collection' && allow.includes('DELETE')) {
    throw invalidOption('methodRules() allows DELETE on a collection, which is never legal (VERB-7). Leave it out.')
  }
}

/** An item that exists is 302 without a place to go to: following one would lead back here for ever (VERB-8). A 304 also says that it exists. */
const headOfItem: HeadRule = (res) => {
  if (isSuccess(res) || res.statusCode === 304) res.statusCode = 302
  if (res.statusCode === 302) removeFields(res, [header.location, ...bodyFields])
  return 'bodiless'
}

/** VERB-6. A tag would be that of the body which does not leave. */
const emptyDelete: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  if (res.statusCode !== 200 && res.statusCode !== 202) res.statusCode = 204
  removeFields(res, [header.etag, header.contentLocation, ...bodyFields])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/** VERB-8: HEAD of an item as the service answered it before, or by the conventions. */
const headRule = (legacy: Legacy<'VERB-8'> | undefined): HeadRule => {
  if (legacy === undefined) return headOfItem
  return (res) => {
    if (isSuccess(res) || res.statusCode === 304) legacy.found('HEAD')
    return 'whole'
  }
}

/** VERB-6: likewise of a DELETE. */
const deleteRule = (legacy: Legacy<'VERB-6'> | undefined): HeadRule => {
  if (legacy === undefined) return emptyDelete
  return (res, hasContent) => {
    const isUsual = res.statusCode === 200 || res.statusCode === 202 || res.statusCode === 204
    if (isSuccess(res) && (hasContent || !isUsual)) legacy.found('DELETE')
    return 'whole'
  }
}

/** AUTH-4. Nor does it leave in a tag that Express makes of the bytes. */
const unread: HeadRule = (res) => {
  if (!isSuccess(res)) return 'whole'
  removeFields(res, [header.contentLocation, ...bodyFields])
  if (/^W\//.test(String(res.getHeader(header.etag)))) removeFields(res, [header.etag])
  if (/representation/.test(String(res.getHeader(header.preferenceApplied))))
    removeFields(res, [header.preferenceApplied])
  if (res.statusCode !== 204) res.setHeader(header.contentLength, '0')
  return 'bodiless'
}

/** A POST that creates nothing is an action, whose answer is its own. */
function created(res: ServerResponse, base: BaseOf, hidden: boolean): Verdict {
  const verdict = locatedCreate(res, base)
  return hidden && verdict === 'whole' && (res.statusCode === 201 || res.statusCode === 202) ? unread(res) : verdict
}

/** The answer to a change, whose body may be hidden from who has made it. */
function located(res: ServerResponse, base: BaseOf, hidden: boolean): Verdict {
  placeContent(res, base)
  return hidden ? unread(res) : 'whole'
}

type BaseOf = () => string | undefined

/** What a refusal says is no representation of the item. */
function placeContent(res: ServerResponse, base: BaseOf): void {
  if (isSuccess(res)) makeAbsolute(res, header.contentLocation, base)
  else removeFields(res, [header.contentLocation])
}

/** Makes the address in a field absolute, where it is a path and the base is known. */
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
    `A POST answers ${res.statusCode} ${location === '' ? 'without a Location' : `with the Location "${location}"`} (VERB-2). Set the absolute address of what was created.`,
  )
}

const isSuccess = ({ statusCode }: ServerResponse): boolean => statusCode >= 200 && statusCode < 300

/** A route that tells no key, because its parameter has another name, must not be asked about as if it were no item. */
function keyIn(req: IncomingMessage, keyOf: (req: never) => KeyValue): KeyValue {
  const key: unknown = keyOf(req as never)
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean' || isObject(key))
    return key as KeyValue
  throw new ConfigurationError(
    'middleware-missing',
    'key of methodRules() gave no key for this request. Put the middleware on the route of the item, whose parameter it reads.',
  )
}
