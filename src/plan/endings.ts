/**
 * The possible outcomes of a request: success statuses, and problems. A request runs a series of
 * steps (docs/lifecycle.md), and each step may end the request with a problem. The OpenAPI
 * documents and docs/lifecycle.md list these outcomes, and tests compare them with real responses.
 */
import { isCreating } from '../definition/fixed.js'
import type { CustomProblem, ProblemCode } from '../problem.js'
import type { DescribedLife, ServiceFacts } from './description.js'
import {
  acceptProblems,
  deleteStatusesOf,
  headStatuses,
  isHeadLikeGet,
  modesKey,
  needsIfMatch,
} from './legacy-endings.js'
import type { OperationDescription } from './operation.js'
import { keyHolders } from './route-list.js'
import type { Route } from './routes.js'

/** An operation of a route, in one version of a service. */
export interface Situation {
  /** The method of the request. The operation of `GET` also serves `HEAD`. */
  readonly method: string
  readonly operation: OperationDescription
  readonly route: Route
  readonly facts: ServiceFacts
  readonly life: DescribedLife | undefined
}

type EndingCondition = (situation: Situation) => boolean

const always: EndingCondition = () => true
const notOptions: EndingCondition = ({ method }) => method !== 'OPTIONS'
const hasRecordKeys: EndingCondition = ({ route }) => keyHolders(route).length > 0
/** Whether the route serves the files of a docs page, with the file name as a path parameter. */
const hasFile: EndingCondition = ({ route }) => route.document?.pages !== undefined && route.template.includes('{')
const limited: EndingCondition = ({ facts }) => facts.rateLimit
const permitted: EndingCondition = ({ facts, operation, route }) =>
  facts.permission && (operation.actions.length > 0 || (operation.method === 'OPTIONS' && isGuarded(route)))

/** Whether permission is checked for at least one method of a route. */
const isGuarded = ({ operations }: Route): boolean => [...operations.values()].some(({ actions }) => actions.length > 0)

/** Whether the operation reads the request body. */
export const takesBody: EndingCondition = ({ method, operation, route }) => {
  if (operation.body === 'record' || operation.body === 'patch') return true
  const endpointMethod = operation.body === 'endpoint' ? route.endpoint?.methods.get(method) : undefined
  return endpointMethod?.body !== undefined || endpointMethod?.upload !== undefined
}

const authenticates: EndingCondition = ({ facts, route }) => facts.identifies && route.document?.public !== true
const takesIdempotencyKey: EndingCondition = ({ operation, route }) =>
  operation.creates === true && route.resource?.idempotencyKey !== 'ignored'
const requiresIdempotencyKey: EndingCondition = ({ operation, route }) =>
  operation.creates === true && route.resource?.idempotencyKey === 'required'
const patchesByOperations: EndingCondition = ({ facts, operation }) =>
  facts.permission && operation.body === 'patch' && facts.patchTypes.some((type) => type.endsWith('json-patch+json'))
const expands: EndingCondition = ({ facts, operation, route }) =>
  facts.permission &&
  (operation.query === 'list' || operation.query === 'item') &&
  (route.resource?.plan.list.expandable.length ?? 0) > 0
const writes: EndingCondition = ({ operation }) => operation.writes !== undefined
const exports: EndingCondition = ({ operation, route }) =>
  operation.answers === 'page' && route.resource?.exports !== undefined

/**
 * Whether a rule or the scope may forbid the value of a flag. Setting a flag needs no body, so the
 * step `parse` can't detect a forbidden value. The step `execute` detects it.
 */
const setsCheckedFlag: EndingCondition = (situation) => {
  const { operation, route } = situation
  const definition = route.resource?.plan.definition
  return (
    operation.target === 'flag' &&
    writes(situation) &&
    (definition?.rules !== undefined || definition?.scope !== undefined)
  )
}

/**
 * Whether a read may end with 304 or 412 because of its preconditions (HDR-4). The response to a
 * HEAD request for an item or a flag is 302, without a check of preconditions. In the legacy mode
 * of VERB-8, such a HEAD request is treated like GET.
 */
export const readsConditionally: EndingCondition = (situation) => {
  const { method, operation } = situation
  return (
    operation.preconditions === 'representation' &&
    !(method === 'HEAD' && operation.headStatus !== undefined && !isHeadLikeGet(situation))
  )
}

const changesConditionally: EndingCondition = ({ operation }) => operation.preconditions === 'item'

/** Whether `Prefer` applies to the response (VERB-2, VERB-10). */
export const prefers: EndingCondition = ({ operation }) => operation.answers === 'item' && operation.method !== 'GET'

const hasBrownouts: EndingCondition = ({ life }) => life?.brownouts !== undefined

/** A problem that a step may end with. */
interface Ending {
  readonly code: ProblemCode
  readonly when: EndingCondition
}

const ending = (code: ProblemCode, when: EndingCondition = always): Ending => ({ code, when })

/** The problems that each step may end with, in the order of the steps. */
export const stepProblems = {
  version: [
    ending('gone', (one) => one.life?.retireAtSunset === true || hasBrownouts(one)),
    ending('unavailable', hasBrownouts),
  ],
  preflight: [],
  admit: [ending('unavailable')],
  authenticate: [
    ending('gone', hasBrownouts),
    ending('unauthenticated', authenticates),
    ending('too-many-requests', limited),
    ending('unavailable', authenticates),
  ],
  throttle: [ending('too-many-requests', limited), ending('unavailable', limited)],
  route: [ending('malformed-path', (one) => hasRecordKeys(one) || hasFile(one)), ending('unknown-path', hasRecordKeys)],
  allow: [ending('forbidden', permitted), ending('method-not-allowed', (one) => notOptions(one) && permitted(one))],
  negotiate: [ending('unsupported-accept', notOptions)],
  parse: [
    ending('malformed-host', ({ facts }) => facts.root === undefined),
    ending('invalid-query', ({ operation }) => operation.query !== 'ignored'),
    ending('forbidden', expands),
    ending('malformed-idempotency-key', takesIdempotencyKey),
    ending('missing-idempotency-key', requiresIdempotencyKey),
    ending('forbidden', patchesByOperations),
    ending('unexpected-body', ({ operation }) => operation.body === 'refused'),
    ending('missing-body', takesBody),
    ending('malformed-body', takesBody),
    ending('request-timeout', takesBody),
    ending('body-too-large', takesBody),
    ending('unsupported-content', takesBody),
    ending('invalid-body', takesBody),
  ],
  precondition: [ending('bad-request', (one) => readsConditionally(one) || changesConditionally(one) || prefers(one))],
  execute: [
    ending('bad-request', exports),
    ending('invalid-query', ({ operation }) => operation.query === 'list'),
    ending('absent', (one) => notOptions(one) && hasRecordKeys(one)),
    ending('unknown-path', (one) => notOptions(one) && hasFile(one)),
    ending('stale', changesConditionally),
    ending('precondition-failed', (one) => changesConditionally(one) && one.method !== 'POST'),
    ending('precondition-required', (one) => changesConditionally(one) && needsIfMatch(one) !== 'never'),
    ending('invalid-body', setsCheckedFlag),
    ending('duplicate', ({ operation: { writes: method } }) => method !== undefined && method !== 'remove'),
    ending('reference', writes),
    ending('referenced', ({ operation: { writes: method } }) => method !== undefined && method !== 'create'),
    ending('rule', writes),
    ending('idempotency-mismatch', takesIdempotencyKey),
    ending('unavailable', notOptions),
  ],
  represent: [ending('stale', readsConditionally)],
  respond: [],
  fail: [ending('internal', (one) => notOptions(one) || one.facts.identifies || one.facts.permission)],
} as const satisfies Readonly<Record<string, readonly Ending[]>>

/** The problems that the step `login` may end with (AUTH-2, AUTH-6). */
export const loginProblems = [
  'invalid-query',
  'unauthenticated',
  'too-many-requests',
  'internal',
  'unavailable',
] as const satisfies readonly ProblemCode[]

/**
 * The problems that a request may end with. The library's own problems are given by their codes.
 */
export function problemsOf(situation: Situation): readonly (ProblemCode | CustomProblem)[] {
  const found = Object.values<readonly Ending[]>(stepProblems).flatMap((endings) =>
    endings.filter(({ when }) => when(situation)),
  )
  const codes = [...new Set(found.map(({ code }) => code))]
  return codes.flatMap((code) => (code === 'unsupported-accept' ? acceptProblems(situation) : [code]))
}

/**
 * The success statuses of an endpoint's method, as its option `describe` lists them. Without such a
 * list, the statuses are 200 and 204.
 */
function endpointStatuses(method: string, { endpoint }: Route): readonly number[] {
  const responses = endpoint?.methods.get(method)?.text.responses
  return responses === undefined ? [200, 204] : Object.keys(responses).map(Number)
}

/** The statuses of the possible responses that are not problems, such as 201 or 304. */
export function successesOf(situation: Situation): readonly number[] {
  const { method, operation, route, facts } = situation
  if (method === 'HEAD' && operation.headStatus !== undefined) return headStatuses(situation)
  const unmodified = readsConditionally(situation) ? [304] : []
  if (operation.statuses === 'any') {
    const statuses = endpointStatuses(method, route)
    return [...statuses, ...(statuses.includes(200) ? unmodified : [])]
  }
  // The service's option `deleteStatus` chooses the status of a DELETE.
  if (operation.writes === 'remove') return deleteStatusesOf(situation, facts.deleteStatus)
  if (operation.writes === 'create' && isCreating(route.resource?.adapter.create)) return [201]
  return [...operation.statuses, ...unmodified]
}

/**
 * A key by which the routes of one service and version are grouped. If two routes have the same
 * key, their operations of the same name have the same possible outcomes. `undefined` for
 * documents. Also `undefined` for endpoints, because a handler chooses the outcome, and for routes
 * with a life cycle, because a life cycle adds header fields to responses.
 */
export function endingsKind(route: Route): string | undefined {
  const { resource, kind, endpoint, operations, lives } = route
  if (endpoint !== undefined || resource === undefined || lives !== undefined) return undefined
  const { plan, adapter } = resource
  const traits = [
    keyHolders(route).length > 0,
    resource.exports !== undefined,
    plan.definition.rules !== undefined || plan.definition.scope !== undefined,
    plan.list.expandable.length > 0,
    isCreating(adapter.create),
    operations.has('PATCH'),
    isGuarded(route),
    resource.representations.length > 0,
  ]
  return `${kind} ${resource.idempotencyKey} ${traits.join()} ${modesKey(route)}`
}
