/** Asks the permission: for every operation, for the parents in its path, and for the targets of links (AUTH-4). */
import type { Awaitable, Stored } from '../adapters/contract.js'
import {
  type AccessRequest,
  type Decided,
  type Decision,
  forbidden,
  methodNotYours,
  type OwnMethods,
  ownMethods,
} from '../auth/permission.js'
import { type KeyValue, lastKey } from '../definition/key.js'
import { lineageOf } from '../plan/addresses.js'
import { concernsItem, type OperationDescription } from '../plan/operation.js'
import { livingMethods } from '../plan/route-lives.js'
import type { Mounted, Route } from '../plan/routes.js'
import { isPromise, settled, together } from '../promise.js'
import type { Caller, Visit } from './caller.js'
import type { ToldRecords } from './shown-links.js'
import { Store } from './store.js'

/** Asks whether the parents in the path may be read, and then for the operation. */
function decideOperation(caller: KeyedCaller, route: Route, { actions, method }: OperationDescription): Decided {
  const [only] = actions
  if (only === undefined) return 'allow'
  const { resource } = route
  if (resource === undefined) {
    const { name = '', methods } = route.endpoint ?? {}
    const upload = methods?.get(method)?.upload
    if (upload === undefined) return caller.decide(only, name)
    // An import creates records: both must be allowed before the file is read.
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

/** The part of a request, or of a call of `records()`, that a permission is asked for. */
type KeyedCaller = Pick<Visit, 'keys' | 'decide'>

/** The methods of this caller at a route. Throws `forbidden` where there are none. */
export async function methodsOf(caller: KeyedCaller, route: Route): Promise<OwnMethods> {
  const offered = livingMethods(route, Date.now()).filter((one) => one !== 'OPTIONS')
  const own = await ownMethods(offered, (one) => {
    const operation = route.operations.get(one)
    return operation === undefined ? 'forbidden' : decideOperation(caller, route, operation)
  })
  if (own.none) throw forbidden(route.template)
  return own
}

/** Throws unless the permission lets the caller do this: `forbidden` (403), or `method-not-allowed` with the methods that are its own (405). */
export function checkAllowed(
  caller: KeyedCaller,
  route: Route,
  operation: OperationDescription,
  method: string = operation.method,
): Awaitable<void> {
  return settled(decideOperation(caller, route, operation), (decision): Awaitable<void> => {
    if (decision === 'allow') return
    if (decision === 'forbidden') throw forbidden(`${method} of ${route.template}`)
    return methodsOf(caller, route).then((own) => {
      throw methodNotYours(method, own)
    })
  })
}

const noRequests: readonly AccessRequest[] = []

/** Requests to read each parent, the nearest first. `keys` end with the key of the nearest. */
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

/** The same for an item that is named by its key alone, as by a link. */
const readsOfLineage = (mounted: Mounted, key: KeyValue): readonly AccessRequest[] =>
  mounted.parent === undefined ? noRequests : readsOfParents(mounted.parent.mounted, lineageOf(mounted, key).slice(0, -1))

/** Asks in order until one request is not allowed; without a promise it is synchronous. Where a parent may not be read, the answer is `forbidden`. */
function decideInTurn(caller: Pick<Caller, 'decide'>, parents: readonly AccessRequest[], own: readonly AccessRequest[]): Decided {
  const requests = [...parents, ...own]
  const from = (start: number): Decided => {
    for (let at = start; ; at += 1) {
      const request = requests[at]
      if (request === undefined) return 'allow'
      const judged = (decision: Decision): Decision => (decision === 'allow' || at >= parents.length ? decision : 'forbidden')
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
 * The records of these keys that the caller may read. The others are `undefined`, and not read unless
 * they were told already: a link to one is its `href` alone. `told` are those that came with the records that lead to them.
 */
export function readable(caller: Caller, mounted: Mounted, keys: readonly KeyValue[], told?: ToldRecords): Awaitable<Records> {
  const read = (own: readonly KeyValue[]): Awaitable<Records> =>
    told === undefined ? new Store(caller, mounted).linked(own) : untold(caller, mounted, own, told)
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

/** The records of these keys, of which those are read that were not told. */
function untold(caller: Caller, mounted: Mounted, keys: readonly KeyValue[], told: ToldRecords): Awaitable<Records> {
  const { text } = mounted.plan.key
  const missing = keys.filter((key) => !told.has(text(key)))
  if (missing.length === 0) return keys.map((key) => told.get(text(key)))
  return settled(new Store(caller, mounted).linked(missing), (found) => {
    const left = found.values()
    return keys.map((key) => (told.has(text(key)) ? told.get(text(key)) : left.next().value))
  })
}

/**
 * Whether an item may be shown, in an answer or behind a link, where the permission has not been
 * asked about `parents` yet.
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
