/** Where a permission is asked: of every operation, of the parents in its path, of what its links lead to (AUTH-4). */
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
import type { Mounted, Route } from '../plan/routes.js'
import { isPromise, settled, together } from '../promise.js'
import type { Caller, Visit } from './caller.js'
import { Store } from './store.js'

/** What the permission says of an operation: its parents may be read, and it may be done. */
function mayDo(exchange: Asking, route: Route, { actions, method }: OperationDescription): Decided {
  const [only] = actions
  if (only === undefined) return 'allow'
  const { resource } = route
  if (resource === undefined) {
    const { name = '', methods } = route.endpoint ?? {}
    const upload = methods?.get(method)?.upload
    if (upload === undefined) return exchange.decide(only, name)
    // Before a byte of the file is read.
    const own: readonly AccessRequest[] = [
      { action: only, resource: name },
      { action: 'create', resource: upload.resource },
    ]
    return inTurn(exchange, noAsks, own)
  }
  const { keys } = exchange
  const ofItem = concernsItem(route.kind)
  const own = ofItem ? keys.at(-1) : undefined
  const { collection } = resource.plan
  const nearest = route.association?.parent ?? resource.parent?.mounted
  const inPath = nearest === undefined ? noAsks : askOfParents(nearest, ofItem ? keys.slice(0, -1) : keys)
  const parents = route.kind === 'member' ? [...inPath, ...askOfLineage(resource, lastKey(keys))] : inPath
  if (parents.length === 0 && actions.length === 1) return exchange.decide(only, collection, own)
  return inTurn(
    exchange,
    parents,
    actions.map((action) => ({ action, resource: collection, key: own })),
  )
}

type Asking = Pick<Visit, 'keys' | 'decide'>

/** The methods of this caller at a route. Throws `forbidden` where there are none. */
export async function methodsOf(exchange: Asking, route: Route): Promise<OwnMethods> {
  const offered = [...route.operations.keys()].filter((one) => one !== 'OPTIONS')
  const own = await ownMethods(offered, (one) => {
    const operation = route.operations.get(one)
    return operation === undefined ? 'forbidden' : mayDo(exchange, route, operation)
  })
  if (own.none) throw forbidden(route.template)
  return own
}

/** Throws unless the permission lets the caller do this: `forbidden` (403), or `method-not-allowed` with the methods that are its own (405). */
export function checkAllowed(
  exchange: Asking,
  route: Route,
  operation: OperationDescription,
  method: string = operation.method,
): Awaitable<void> {
  return settled(mayDo(exchange, route, operation), (decision): Awaitable<void> => {
    if (decision === 'allow') return
    if (decision === 'forbidden') throw forbidden(`${method} of ${route.template}`)
    return methodsOf(exchange, route).then((own) => {
      throw methodNotYours(method, own)
    })
  })
}

const noAsks: readonly AccessRequest[] = []

/** Whether the parents of something may be read, the nearest first, as questions. `keys` end with the nearest one's. */
function askOfParents(nearest: Mounted | undefined, keys: readonly KeyValue[]): readonly AccessRequest[] {
  const asks: AccessRequest[] = []
  let mounted = nearest
  for (const key of keys.toReversed()) {
    if (mounted === undefined) break
    asks.push({ action: 'read', resource: mounted.plan.collection, key })
    mounted = mounted.parent?.mounted
  }
  return asks
}

/** The same of an item that is addressed or led to by its key alone, past its parents. */
const askOfLineage = (mounted: Mounted, key: KeyValue): readonly AccessRequest[] =>
  mounted.parent === undefined ? noAsks : askOfParents(mounted.parent.mounted, lineageOf(mounted, key).slice(0, -1))

/** Asks one after the other, and waits only where an answer does. What lies below a parent that may not be read is forbidden, whatever it is. */
function inTurn(exchange: Pick<Caller, 'decide'>, parents: readonly AccessRequest[], own: readonly AccessRequest[]): Decided {
  const asks = [...parents, ...own]
  const from = (start: number): Decided => {
    for (let at = start; ; at += 1) {
      const ask = asks[at]
      if (ask === undefined) return 'allow'
      const judged = (decision: Decision): Decision => (decision === 'allow' || at >= parents.length ? decision : 'forbidden')
      const decision = exchange.decide(ask.action, ask.resource, ask.key)
      if (isPromise(decision)) {
        return decision.then((found) => (found === 'allow' ? from(at + 1) : judged(found)))
      }
      if (decision !== 'allow') return judged(decision)
    }
  }
  return from(0)
}

/**
 * Records of another resource as far as this principal may read them: what it may not is as if it were not there, so a link to it stays an `href` and shows nothing,
 * and the store is not even asked.
 */
export function readable(
  exchange: Caller,
  mounted: Mounted,
  keys: readonly KeyValue[],
): Awaitable<readonly (Stored<unknown> | undefined)[]> {
  const store = new Store(exchange, mounted)
  if (exchange.permission === undefined) return store.linked(keys)
  return settled(
    together(keys, (key) => mayShow(exchange, mounted, key, askOfLineage(mounted, key))),
    (decided) => {
      const own = decided.includes(false) ? keys.filter((_, i) => decided[i]) : keys
      if (own.length === 0) return keys.map(() => undefined)
      return settled(store.linked(own), (found) => {
        if (own === keys) return found
        const left = found.values()
        return decided.map((shown) => (shown ? left.next().value : undefined))
      })
    },
  )
}

/**
 * Whether an item may be shown, in an answer or behind a link, where the permission has not been
 * asked about `parents` yet.
 */
export function mayShow(exchange: Caller, mounted: Mounted, key: KeyValue, parents: readonly AccessRequest[] = noAsks): Awaitable<boolean> {
  if (exchange.permission === undefined) return true
  const { collection } = mounted.plan
  const decision: Decided =
    parents.length === 0
      ? exchange.decide('read', collection, key)
      : inTurn(exchange, parents, [{ action: 'read', resource: collection, key }])
  return settled(decision, (decided) => decided === 'allow')
}
