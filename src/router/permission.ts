/**
 * Checks the permission for every operation, for the parents in the path, and for link targets
 * (AUTH-4). An access request asks the permission function whether an action is allowed on a
 * resource, or on one item of it.
 */
import type { Awaitable, Stored } from '../adapters/contract.js'
import {
  type AccessRequest,
  type Decided,
  type Decision,
  forbidden,
  methodNotPermitted,
  ownMethods,
  type PermittedMethods,
  scopesNeeded,
} from '../auth/permission.js'
import { type KeyValue, lastKey } from '../definition/key.js'
import { lineageOf } from '../plan/addresses.js'
import { concernsItem, type OperationDescription } from '../plan/operation.js'
import { livingMethods } from '../plan/route-lives.js'
import type { Mounted, Route } from '../plan/routes.js'
import { isPromise, settled, together } from '../promise.js'
import type { Caller, ConditionalPlace } from './caller.js'
import type { PreloadedRecords } from './shown-links.js'
import { Store } from './store.js'

/**
 * Decides whether the parents in the path may be read, and then whether the operation is allowed.
 */
function decideOperation(caller: KeyedCaller, route: Route, { actions, method }: OperationDescription): Decided {
  const [only] = actions
  if (only === undefined) return 'allow'
  const { resource } = route
  if (resource === undefined) {
    const { name = '', methods } = route.endpoint ?? {}
    const upload = methods?.get(method)?.upload
    if (upload === undefined) return caller.decide(only, name)
    // An import creates records. So the endpoint's own action and `create` must both be allowed
    // before the file is read.
    const own: readonly AccessRequest[] = [
      { action: only, resource: name },
      { action: 'create', resource: upload.resource },
    ]
    return decideInTurn(caller, noRequests, own)
  }
  const { keys } = caller
  const ofItem = concernsItem(route.kind)
  const own = ofItem ? keys.at(-1) : undefined
  const { collection } = resource.plan
  const nearest = route.association?.parent ?? resource.parent?.mounted
  const inPath = nearest === undefined ? noRequests : readsOfParents(nearest, ofItem ? keys.slice(0, -1) : keys)
  const parents = route.kind === 'member' ? [...inPath, ...readsOfLineage(resource, lastKey(keys))] : inPath
  if (parents.length === 0 && actions.length === 1) return caller.decide(only, collection, own)
  return decideInTurn(
    caller,
    parents,
    actions.map((action) => ({ action, resource: collection, key: own })),
  )
}

/**
 * The part of a request, or of a call of `records()`, that is needed to ask the permission
 * function.
 */
type KeyedCaller = Pick<ConditionalPlace, 'keys' | 'decide' | 'permission'>

/**
 * Returns the methods that this caller may use at a route. If the caller may use no method of the
 * route, and the permission function returned `forbidden` for at least one of them, throws
 * `forbidden`.
 */
export async function methodsOf(caller: KeyedCaller, route: Route): Promise<PermittedMethods> {
  const offered = livingMethods(route, Date.now()).filter((one) => one !== 'OPTIONS')
  const own = await ownMethods(offered, (one) => {
    const operation = route.operations.get(one)
    return operation === undefined ? 'forbidden' : decideOperation(caller, route, operation)
  })
  if (own.isForbidden) throw forbidden(route.template)
  return own
}

/**
 * Throws if the permission function does not allow the operation. If the decision is `forbidden`,
 * throws `forbidden` (403). Otherwise, throws `method-not-allowed` (405) with the methods that the
 * caller may use. `methodsOf` finds these methods, and may also throw `forbidden`.
 */
export function checkAllowed(
  caller: KeyedCaller,
  route: Route,
  operation: OperationDescription,
  method: string = operation.method,
): Awaitable<void> {
  return settled(decideOperation(caller, route, operation), (decision): Awaitable<void> => {
    if (decision === 'allow') return
    if (decision === 'forbidden')
      throw forbidden(`${method} of ${route.template}`, missingScope(caller, route, operation))
    return methodsOf(caller, route).then((own) => {
      throw methodNotPermitted(method, own)
    })
  })
}

/**
 * Returns the OAuth scope that the caller lacks for the operation. Returns `undefined` if the
 * permission function does not decide by OAuth scopes alone.
 */
function missingScope(caller: KeyedCaller, route: Route, operation: OperationDescription): string | undefined {
  const scopeOf = scopesNeeded(caller.permission)
  if (scopeOf === undefined) return undefined
  let last: string | undefined
  const decide: KeyedCaller['decide'] = (action, resource, key) => {
    last = scopeOf(action, resource)
    return caller.decide(action, resource, key)
  }
  // `decideOperation` stops at the first access request that is not allowed. So `last` is the OAuth
  // scope that this access request needs.
  decideOperation({ keys: caller.keys, permission: caller.permission, decide }, route, operation)
  return last
}

const noRequests: readonly AccessRequest[] = []

/**
 * Returns one access request for each parent, with the action `read`. The request for the nearest
 * parent is the first. The last of `keys` is the key of the nearest parent.
 */
function readsOfParents(nearest: Mounted | undefined, keys: readonly KeyValue[]): readonly AccessRequest[] {
  const requests: AccessRequest[] = []
  let mounted = nearest
  for (const key of keys.toReversed()) {
    if (mounted === undefined) break
    requests.push({ action: 'read', resource: mounted.plan.collection, key })
    mounted = mounted.parent?.mounted
  }
  return requests
}

/** Like `readsOfParents`, for an item that is identified by its key alone, as in a link. */
const readsOfLineage = (mounted: Mounted, key: KeyValue): readonly AccessRequest[] =>
  mounted.parent === undefined
    ? noRequests
    : readsOfParents(mounted.parent.mounted, lineageOf(mounted, key).slice(0, -1))

/**
 * Asks the permission function about the access requests in order, and stops at the first access
 * request that is not allowed. Returns a promise only if the permission function does. If the
 * caller is not allowed to read a parent, the result is `forbidden`.
 */
function decideInTurn(
  caller: Pick<Caller, 'decide'>,
  parents: readonly AccessRequest[],
  own: readonly AccessRequest[],
): Decided {
  const requests = [...parents, ...own]
  const from = (start: number): Decided => {
    for (let at = start; ; at += 1) {
      const request = requests[at]
      if (request === undefined) return 'allow'
      const judged = (decision: Decision): Decision =>
        decision === 'allow' || at >= parents.length ? decision : 'forbidden'
      const decision = caller.decide(request.action, request.resource, request.key)
      if (isPromise(decision)) {
        return decision.then((found) => (found === 'allow' ? from(at + 1) : judged(found)))
      }
      if (decision !== 'allow') return judged(decision)
    }
  }
  return from(0)
}

type Records = readonly (Stored<unknown> | undefined)[]

/**
 * Returns the records with these keys. If the caller is not allowed to read a record, the result
 * for its key is `undefined`, and this function does not fetch the record. A link to such a record
 * has only an `href`. `preloaded` holds linked records that the adapter has already returned.
 */
export function readable(
  caller: Caller,
  mounted: Mounted,
  keys: readonly KeyValue[],
  preloaded?: PreloadedRecords,
): Awaitable<Records> {
  const read = (own: readonly KeyValue[]): Awaitable<Records> =>
    preloaded === undefined ? new Store(caller, mounted).linked(own) : readMissing(caller, mounted, own, preloaded)
  if (caller.permission === undefined) return read(keys)
  return settled(
    together(keys, (key) => mayShow(caller, mounted, key, readsOfLineage(mounted, key))),
    (decided) => {
      const own = decided.includes(false) ? keys.filter((_, i) => decided[i]) : keys
      if (own.length === 0) return keys.map(() => undefined)
      return settled(read(own), (found) => {
        if (own === keys) return found
        const left = found.values()
        return decided.map((shown) => (shown ? left.next().value : undefined))
      })
    },
  )
}

/** Returns the records with these keys. Reads the records that are not in `preloaded`. */
function readMissing(
  caller: Caller,
  mounted: Mounted,
  keys: readonly KeyValue[],
  preloaded: PreloadedRecords,
): Awaitable<Records> {
  const { text } = mounted.plan.key
  const missing = keys.filter((key) => !preloaded.has(text(key)))
  if (missing.length === 0) return keys.map((key) => preloaded.get(text(key)))
  return settled(new Store(caller, mounted).linked(missing), (found) => {
    const left = found.values()
    return keys.map((key) => (preloaded.has(text(key)) ? preloaded.get(text(key)) : left.next().value))
  })
}

/**
 * Returns whether the caller may see an item, in a response or as the target of a link. `parents`
 * holds access requests to read the item's parents, if the permission function has not decided
 * these requests yet.
 */
export function mayShow(
  caller: Caller,
  mounted: Mounted,
  key: KeyValue,
  parents: readonly AccessRequest[] = noRequests,
): Awaitable<boolean> {
  if (caller.permission === undefined) return true
  const { collection } = mounted.plan
  const decision: Decided =
    parents.length === 0
      ? caller.decide('read', collection, key)
      : decideInTurn(caller, parents, [{ action: 'read', resource: collection, key }])
  return settled(decision, (decided) => decided === 'allow')
}
