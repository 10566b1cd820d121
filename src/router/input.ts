/**
 * Converts a body to a record. Checks the record against the path, the scope, its links and the
 * resource's rules (ERR-2).
 */
import type { Awaitable } from '../adapters/contract.js'
import { escapePointer, isList, isObject, type JsonObject, kindName } from '../definition/json.js'
import { membersHolding } from '../definition/key.js'
import type { RuleViolation } from '../definition/resource-options.js'
import { invalidOption } from '../options/check.js'
import { type Fixed, objectBody, recordToCreate, recordToReplace, refuseOnWire } from '../plan/record.js'
import type { Violation } from '../problem.js'
import { settled } from '../promise.js'
import type { Place } from './caller.js'
import { danglingLinks, storedTerms } from './links.js'
import { fixedByParent } from './operations/lineage.js'
import { scopeOf } from './scope.js'
import type { AnswerLinks } from './shown-links.js'

/**
 * Returns the record of a POST, after all checks that do not need the store. If the record is
 * created in an associated sub-collection and stores the key of the parent, `attached` contains the
 * members that hold this key, with their values. Otherwise it is empty. `violations` contains
 * violations that are already known. Throws `invalid-body` if there are any violations.
 */
export function bodyToCreate(place: Place, body: unknown, attached: Fixed, violations: Violation[] = []): JsonObject {
  const { resource, keys } = place
  const sent = storedTerms(place, resource, objectBody(body), violations)
  return recordToCreate(
    resource.plan,
    sent,
    { ...fixedByParent(resource, keys.at(-1)), ...attached, ...scopeOf(place, resource) },
    violations,
  )
}

/**
 * Returns the record of a PUT, after all checks that do not need the stored record. Throws
 * `invalid-body` if there are any violations.
 */
export function bodyToReplace(place: Place, body: unknown): JsonObject {
  const { resource, key, keys } = place
  const violations: Violation[] = []
  const sent = storedTerms(place, resource, objectBody(body), violations)
  const own = membersHolding(resource.plan.key, key)
  return recordToReplace(
    resource.plan,
    sent,
    { ...own, ...fixedByParent(resource, keys.at(-2)), ...scopeOf(place, resource) },
    violations,
  )
}

/**
 * Checks the links that this write sets or changes. The target of each of these links must be a
 * record that the caller may see. Then runs the resource's rules (422). `links` contains the links
 * that the response shows.
 */
export function checkRules(
  place: Place,
  next: JsonObject,
  current: JsonObject | undefined,
  action: RuleAction,
  links?: AnswerLinks,
): Awaitable<void> {
  return settled(danglingLinks(place, place.resource, next, current, links), (dangling) =>
    runRules(place, next, current, action, dangling),
  )
}

type RuleAction = 'create' | 'replace' | 'patch'

/** Runs the resource's rules, and reports their violations together with dangling links (422). */
export function runRules(
  { resource: { plan }, principal, timeLimit }: Place,
  next: JsonObject,
  current: JsonObject | undefined,
  action: RuleAction,
  dangling: readonly Violation[],
): Awaitable<void> {
  const { definition } = plan
  if (definition.rules === undefined) return refuseOnWire(plan, dangling)
  return settled(timeLimit.waitFor(definition.rules(next, { current, action, principal })), (broken) =>
    refuseOnWire(plan, [
      ...dangling,
      ...checkedRules(broken, plan.collection).map((one) => violationOf(one, plan.collection)),
    ]),
  )
}

/**
 * Returns the violations that the resource's rules returned. `undefined` and null mean that there
 * are none. Throws `ConfigurationError` if the rules returned anything else, because such a value
 * must not reach a client.
 */
function checkedRules(broken: unknown, collection: string): readonly RuleViolation[] {
  if (broken === undefined || broken === null) return []
  const fix = 'Return a list of { detail, member? }, empty if nothing is wrong.'
  const invalidRules = (what: string) =>
    invalidOption(`The function "rules" of "${collection}" returned ${what}. ${fix}`)
  if (!isList(broken)) throw invalidRules(kindName(broken))
  const isKnown = (one: unknown): one is RuleViolation =>
    isObject(one) && typeof one.detail === 'string' && ['string', 'undefined'].includes(typeof one.member)
  if (!broken.every(isKnown)) throw invalidRules('a list with an item that is not a violation')
  return broken
}

/**
 * Converts a violation from a resource's rules to the form that a problem (the error response)
 * contains.
 */
const violationOf = ({ member, detail, code = 'rule', params }: RuleViolation, collection: string): Violation => ({
  pointer: member === undefined ? '' : `/${member.split('.').map(escapePointer).join('/')}`,
  detail,
  code,
  ...(params === undefined ? {} : { params: checkedParams(params, collection) }),
})

/**
 * Returns the params of a violation. Throws `ConfigurationError` if they are not plain values,
 * because JSON or XML might not be able to represent other values.
 */
function checkedParams(params: unknown, collection: string): Params {
  if (areParams(params)) return params
  throw invalidOption(
    `The function "rules" of "${collection}" returned params that are not plain. ` +
      'Return an object of strings, finite numbers, booleans and nulls, or lists of them.',
  )
}

type Params = NonNullable<RuleViolation['params']>

const areParams = (params: unknown): params is Params =>
  isObject(params) && Object.values(params).every((value) => (isList(value) ? value.every(isParam) : isParam(value)))

const isParam = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value))
