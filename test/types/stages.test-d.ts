/** Type tests of the order of steps, and of what each step and operation may read. */
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

// The steps in order.
negotiated.step('parse', parse, add)

// @ts-expect-error The version decides which paths are public.
received.step('authenticate', authenticate, add)

// @ts-expect-error A route needs a version and a principal.
received.step('route', route, add)
// @ts-expect-error The request is not authenticated yet.
versioned.step('route', route, add)
// @ts-expect-error The permission is checked for a route.
identified.step('allow', allow, add)
// @ts-expect-error An operation is found before its response is negotiated.
routed.step('negotiate', negotiate, add)
// @ts-expect-error The query is read by the representation: an export has no pages.
allowed.step('parse', parse, add)
// @ts-expect-error An operation is executed with query, body and preconditions.
negotiated.step('execute', execute, add)
// @ts-expect-error There is no outcome yet.
negotiated.end('represent', represent)
// @ts-expect-error A pipeline ends with an answer.
negotiated.end('parse', parse)
// @ts-expect-error A step cannot omit what the next steps read.
received.step('version', (): { readonly version: ServedVersion } | undefined => noVersion, add)
// @ts-expect-error A step must set what it adds.
received.step('version', version)
// @ts-expect-error A step that adds nothing returns no promise of a value.
received.step('authenticate', authenticate)
versioned.step('authenticate', authenticate, (exchange, found) => {
  // @ts-expect-error A step sets exactly what it adds.
  exchange.version = found.principal
})

/** What is known at a stage, and what is not. */
export function stages(at: {
  received: Received
  identified: Identified
  routed: Routed
  allowed: Allowed
  negotiated: Negotiated
  parsed: Parsed
  ending: AnyStage
}): void {
  // @ts-expect-error Steps read the stages without changing them.
  at.parsed.body = {}
  // @ts-expect-error Progress is changed by methods.
  at.received.progress.change = 'made'
  // @ts-expect-error The step `authenticate` finds the principal.
  void at.received.principal
  // @ts-expect-error Without a version there is no address for links.
  void at.received.base
  // @ts-expect-error The step `route` matches the path.
  void at.identified.keys
  // @ts-expect-error The step `allow` finds the operation.
  void at.routed.operation
  // @ts-expect-error The step `negotiate` chooses it.
  void at.allowed.representation
  // @ts-expect-error The step `parse` reads it.
  void at.negotiated.body
  // @ts-expect-error The step `precondition` reads them.
  void at.negotiated.conditions
  // @ts-expect-error The step `execute` returns it.
  void at.parsed.outcome
  // @ts-expect-error A request may end before it has an operation.
  void at.ending.operation.name
  void fail(at.ending, new Error())
}

type QueryOf<Op> = Op extends Operation<infer Query> ? Input<Query>['query'] : never

/** What operations get follows from their descriptions. */
export function operations(request: Parsed): void {
  type ListInput = Parameters<typeof list.execute>[0]
  type CreateInput = Parameters<typeof create.execute>[0]
  type PatchInput = Parameters<typeof patch.execute>[0]
  holds<Same<ListInput['query'], ListQuery>>()
  holds<Same<ListInput['body'], undefined>>()
  holds<Same<CreateInput['body'], JsonObject>>()
  holds<Same<PatchInput['body'], Patch>>()
  // @ts-expect-error It has no list query.
  holds<Same<CreateInput['query'], ListQuery>>()
  holds<Same<QueryOf<Operation<'list'>>, ListQuery>>()
  // @ts-expect-error The body of any operation may be anything.
  const body: JsonObject = request.body
  void body
}

// @ts-expect-error The description of an operation declares how its query is read.
export const misdescribed: Operation<'list', 'ignored', 200> = { ...list, query: 'item' }
export const misanswered: Operation<'list', 'ignored', 200> = {
  ...list,
  // @ts-expect-error It answers with the statuses of its description.
  execute: () => ({ kind: 'empty', status: 204 }),
}
