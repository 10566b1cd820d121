/** From a body to a record that may be stored: what the path, the scope, the links and the team's rules have to say of it (ERR-2). */
import type { Awaitable, Stored } from '../adapters/contract.js'
import { escapePointer, isList, isObject, type JsonObject } from '../definition/json.js'
import { membersHolding } from '../definition/key.js'
import type { RuleViolation } from '../definition/resource-options.js'
import { invalidOption } from '../options/check.js'
import { applyOperations, type Operation } from '../plan/json-patch.js'
import {
  completeRecord,
  type Fixed,
  objectBody,
  recordFromPatched,
  recordToCreate,
  recordToPatch,
  recordToReplace,
  refuseOnWire,
} from '../plan/record.js'
import type { Violation } from '../problem.js'
import { settled } from '../promise.js'
import type { Visit } from './caller.js'
import type { Exchange } from './exchange.js'
import { danglingLinks, storedTerms } from './links.js'
import { fixedByParent } from './operations/lineage.js'
import { scopeOf } from './scope.js'
import { shown } from './sight.js'

/**
 * The record that a POST asks for, as far as it can be told without the store. `attached` are members by which it belongs to a parent, `found` violations that are
 * known already. Throws `invalid-body`.
 */
export function bodyToCreate(exchange: Visit, body: unknown, attached: Fixed, found: Violation[] = []): JsonObject {
  const { resource, keys } = exchange
  const sent = storedTerms(exchange, resource, objectBody(body), found)
  return recordToCreate(
    resource.plan,
    sent,
    { ...fixedByParent(resource, keys.at(-1)), ...attached, ...scopeOf(exchange, resource) },
    found,
  )
}

/** The record that a PUT asks for, as far as it can be told without the stored one. Throws `invalid-body`. */
export function bodyToReplace(exchange: Visit, body: unknown): JsonObject {
  const { resource, key, keys } = exchange
  const found: Violation[] = []
  const sent = storedTerms(exchange, resource, objectBody(body), found)
  const own = membersHolding(resource.plan.key, key)
  return recordToReplace(resource.plan, sent, { ...own, ...fixedByParent(resource, keys.at(-2)), ...scopeOf(exchange, resource) }, found)
}

/** The stored record after the patch of the body: a merge patch, or the operations of a JSON Patch. Throws `invalid-body`. */
export function patched(exchange: Exchange, stored: Stored<unknown>): Awaitable<JsonObject> {
  const { body } = exchange
  return isList(body) ? operated(exchange, body as readonly Operation[], stored) : merged(exchange, objectBody(body), stored)
}

/** The stored record after a merge patch. Throws `invalid-body`. */
export function merged(exchange: Visit, body: JsonObject, stored: Stored<unknown>): JsonObject {
  const { resource } = exchange
  const found: Violation[] = []
  const patch = storedTerms(exchange, resource, body, found)
  return recordToPatch(resource.plan, patch, stored.value as JsonObject, scopeOf(exchange, resource), found, resource.patchesShare)
}

/** The operations work on what the client sees, and what comes of that is taken as what a PUT sends (VERB-5). */
async function operated(exchange: Exchange, operations: readonly Operation[], stored: Stored<unknown>): Promise<JsonObject> {
  const { resource, service } = exchange
  const { document, removed } = applyOperations(await shown(exchange, stored), operations, service, resource.plan.definition.shape)
  const found: Violation[] = []
  const seen = storedTerms(exchange, resource, objectBody(document), found)
  return recordFromPatched(resource.plan, seen, removed, stored.value as JsonObject, scopeOf(exchange, resource), found)
}

/** An update with all that the stored record has to say of it. Throws `invalid-body`. */
export function completeUpdate(exchange: Visit, next: JsonObject, current: JsonObject, action: 'replace' | 'patch'): Awaitable<JsonObject> {
  completeRecord(exchange.resource.plan, next, current, action)
  return settled(checkRules(exchange, next, current, action), () => next)
}

/** Links that lead to nothing the caller may see, and the team's own rules (422). */
export function checkRules(exchange: Visit, next: JsonObject, current: JsonObject | undefined, action: RuleAction): Awaitable<void> {
  return settled(danglingLinks(exchange, exchange.resource, next, current), (dangling) =>
    checkTeamRules(exchange, next, current, action, dangling),
  )
}

type RuleAction = 'create' | 'replace' | 'patch'

/** The team's own rules, beside links that lead to nothing (422). */
export function checkTeamRules(
  { resource: { plan }, principal, patience }: Visit,
  next: JsonObject,
  current: JsonObject | undefined,
  action: RuleAction,
  dangling: readonly Violation[],
): Awaitable<void> {
  const { definition } = plan
  if (definition.rules === undefined) return refuseOnWire(plan, dangling)
  return settled(patience.settle(definition.rules(next, { current, action, principal })), (broken) =>
    refuseOnWire(plan, [...dangling, ...checkedRules(broken, plan.collection).map((one) => violationOf(one, plan.collection))]),
  )
}

/** The violations that a team's rules gave: plain JavaScript may give anything. A client is told of nothing else. */
function checkedRules(broken: unknown, collection: string): readonly RuleViolation[] {
  if (broken === undefined || broken === null) return []
  const fix = 'Give a list of { detail, member? }, empty where nothing is wrong.'
  const unfit = (what: string) => invalidOption(`rules of "${collection}" gave ${what}. ${fix}`)
  if (!isList(broken)) throw unfit(isObject(broken) ? 'an object' : `a ${typeof broken}`)
  const isKnown = (one: unknown): one is RuleViolation =>
    isObject(one) && typeof one.detail === 'string' && ['string', 'undefined'].includes(typeof one.member)
  if (!broken.every(isKnown)) throw unfit('a list with an item that is no violation')
  return broken
}

/** What a team's rule says, as a violation. */
const violationOf = ({ member, detail, code = 'rule', params }: RuleViolation, collection: string): Violation => ({
  pointer: member === undefined ? '' : `/${member.split('.').map(escapePointer).join('/')}`,
  detail,
  code,
  ...(params === undefined ? {} : { params: checkedParams(params, collection) }),
})

/** Params that every client can read: anything else would be a surprise on the wire. */
function checkedParams(params: unknown, collection: string): NonNullable<RuleViolation['params']> {
  const sound = isObject(params) && Object.values(params).every((value) => (isList(value) ? value.every(isParam) : isParam(value)))
  if (sound) return params as NonNullable<RuleViolation['params']>
  throw invalidOption(
    `rules of "${collection}" gave params that are not plain. Give an object of texts, finite numbers, booleans and nulls, or lists of them.`,
  )
}

const isParam = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
