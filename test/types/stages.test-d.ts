/**
 * Type tests of the pipeline that handles a request: the order of its steps, and the data that each
 * step and each operation may read.
 */
import type { JsonObject } from '../../src/definition/json.js'
import type { ListQuery } from '../../src/plan/list-grammar.js'
import { type create, list } from '../../src/router/operations/collections.js'
import type { patch } from '../../src/router/operations/items.js'
import type { Operation } from '../../src/router/operations/operation.js'
import type { Patch } from '../../src/router/patch.js'
import { pipeline } from '../../src/router/pipeline.js'
import type { ServedVersion } from '../../src/router/served-version.js'
import type {
  Allowed,
  AnyStage,
  Identified,
  Input,
  Negotiated,
  Parsed,
  Received,
  Routed,
} from '../../src/router/stages.js'
import { allow } from '../../src/router/steps/allow.js'
import { authenticate } from '../../src/router/steps/authenticate.js'
import { execute } from '../../src/router/steps/execute.js'
import { fail } from '../../src/router/steps/fail.js'
import { negotiate } from '../../src/router/steps/negotiate.js'
import { parse } from '../../src/router/steps/parse.js'
import { represent } from '../../src/router/steps/represent.js'
import { route } from '../../src/router/steps/route.js'
import { version } from '../../src/router/steps/version.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>(): void => undefined

const received = pipeline<Received>()
const versioned = received.step('version', version, (exchange, found) => {
  exchange.version = found.version
})
const identified = versioned.step('authenticate', authenticate, (exchange, found) => {
  exchange.principal = found.principal
  exchange.authenticated = found.authenticated
})
const add = (): void => undefined
declare const noVersion: { readonly version: ServedVersion } | undefined
const routed = identified.step('route', route, add)
const allowed = routed.step('allow', allow, add)
const negotiated = allowed.step('negotiate', negotiate, add)

// The steps in the right order compile.
negotiated.step('parse', parse, add)

// @ts-expect-error Authentication needs the version, which decides which paths are public.
received.step('authenticate', authenticate, add)

// @ts-expect-error A route needs a version and a principal.
received.step('route', route, add)
// @ts-expect-error The request is not authenticated yet.
versioned.step('route', route, add)
// @ts-expect-error The permission is checked for a route, which is not known yet.
identified.step('allow', allow, add)
// @ts-expect-error The operation must be found before its response is negotiated.
routed.step('negotiate', negotiate, add)
// @ts-expect-error The query depends on the representation: an export, for example, has no pages.
allowed.step('parse', parse, add)
// @ts-expect-error An operation needs its query, body and preconditions, which are not parsed yet.
negotiated.step('execute', execute, add)
// @ts-expect-error There is no outcome yet.
negotiated.end('represent', represent)
// @ts-expect-error The last step must return a response.
negotiated.end('parse', parse)
// @ts-expect-error A step must return the data that the next steps read.
received.step('version', (): { readonly version: ServedVersion } | undefined => noVersion, add)
// @ts-expect-error A step that returns data needs a function that stores the data.
received.step('version', version)
// @ts-expect-error A step that sets nothing must not return a promise of data.
received.step('authenticate', authenticate)
versioned.step('authenticate', authenticate, (exchange, found) => {
  // @ts-expect-error A step sets only the data that it returns.
  exchange.version = found.principal
})

/** Data that is not known yet at a stage, and data that a step must not change. */
export function stages(at: {
  received: Received
  identified: Identified
  routed: Routed
  allowed: Allowed
  negotiated: Negotiated
  parsed: Parsed
  ending: AnyStage
}): void {
  // @ts-expect-error A step must not change the data of a stage.
  at.parsed.body = {}
  // @ts-expect-error Only the methods of `progress` change its state.
  at.received.progress.change = 'made'
  // @ts-expect-error The principal is found by the step `authenticate`.
  void at.received.principal
  // @ts-expect-error The base URL for links needs a version.
  void at.received.base
  // @ts-expect-error The keys are found by the step `route`, which matches the path.
  void at.identified.keys
  // @ts-expect-error The operation is found by the step `allow`.
  void at.routed.operation
  // @ts-expect-error The representation is chosen by the step `negotiate`.
  void at.allowed.representation
  // @ts-expect-error The body is read by the step `parse`.
  void at.negotiated.body
  // @ts-expect-error The conditions are read by the step `precondition`.
  void at.negotiated.conditions
  // @ts-expect-error The outcome is returned by the step `execute`.
  void at.parsed.outcome
  // @ts-expect-error A request may end before it has an operation.
  void at.ending.operation.name
  void fail(at.ending, new Error())
}

type QueryOf<Op> = Op extends Operation<infer Query> ? Input<Query>['query'] : never

/** The description of an operation determines the types of the data that the operation gets. */
export function operations(request: Parsed): void {
  type ListInput = Parameters<typeof list.execute>[0]
  type CreateInput = Parameters<typeof create.execute>[0]
  type PatchInput = Parameters<typeof patch.execute>[0]
  holds<Same<ListInput['query'], ListQuery>>()
  holds<Same<ListInput['body'], undefined>>()
  holds<Same<CreateInput['body'], JsonObject>>()
  holds<Same<PatchInput['body'], Patch>>()
  // @ts-expect-error A create has no list query.
  holds<Same<CreateInput['query'], ListQuery>>()
  holds<Same<QueryOf<Operation<'list'>>, ListQuery>>()
  // @ts-expect-error The body has the type `unknown` if the operation is not known.
  const body: JsonObject = request.body
  void body
}

// @ts-expect-error The kind of query is `item`, but the type of the operation requires `list`.
export const misdescribed: Operation<'list', 'ignored', 200> = { ...list, query: 'item' }
export const misanswered: Operation<'list', 'ignored', 200> = {
  ...list,
  // @ts-expect-error The operation must respond only with the statuses of its type.
  execute: () => ({ kind: 'empty', status: 204 }),
}
