/** One item: GET, HEAD, PUT, PATCH, DELETE (VERB-1, VERB-3, VERB-5, VERB-6, VERB-8). */
import type { Answer, Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import { stale } from '../../middleware/if-match.js'
import { prefersMinimal } from '../../middleware/prefer.js'
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { completeUpdate, patched } from '../input.js'
import { Store } from '../store.js'
import { itemOf } from './lineage.js'
import type { Operation, Outcome } from './operation.js'
import { type Attempt, change, pinned } from './update.js'

export const read: Operation = {
  name: 'read',
  query: 'item',
  body: 'ignored',
  execute(exchange) {
    const { resource, keys } = exchange
    return settled(itemOf(exchange), (stored): Outcome => ({ kind: 'item', status: 200, stored, resource, keys }))
  },
}

export const replace: Operation = {
  name: 'replace',
  query: 'item',
  body: 'record',
  execute(exchange) {
    const { resource, key } = exchange
    const next = exchange.body as JsonObject
    const direct = resource.plan.needsCurrent ? undefined : pinned(exchange)
    const stored = directly(
      direct,
      (expected) => new Store(exchange, resource).replace(key, next, expected),
      () => change(exchange, replacement(exchange, next)),
    )
    return settled(stored, (made) => updated(exchange, made))
  },
}

function replacement(exchange: Exchange, next: JsonObject): Attempt<Stored<unknown>> {
  // An attempt completes what was sent, and without a version to go by it may be followed by another.
  const once = exchange.conditions.versions !== undefined
  return (current, store) =>
    settled(completeUpdate(exchange, once ? next : structuredClone(next), current.value as JsonObject, 'replace'), (complete) =>
      store.replace(exchange.key, complete, current.version),
    )
}

export const patch: Operation = {
  name: 'patch',
  query: 'item',
  body: 'patch',
  execute(exchange) {
    const stored = change(exchange, (current, store) =>
      settled(patched(exchange, current), (next) =>
        settled(completeUpdate(exchange, next, current.value as JsonObject, 'patch'), (complete) =>
          store.replace(exchange.key, complete, current.version),
        ),
      ),
    )
    return settled(stored, (made) => updated(exchange, made))
  },
}

export const remove: Operation = {
  name: 'remove',
  query: 'none',
  body: 'ignored',
  execute(exchange) {
    const { resource, key, service } = exchange
    const removed = directly(
      pinned(exchange),
      (expected) => new Store(exchange, resource).remove(key, expected),
      () => change(exchange, (current, store) => store.remove(key, current.version)),
    )
    return settled(removed, (): Outcome => ({ kind: 'empty', status: service.deleteStatus }))
  },
}

/**
 * Writes without a look at the record first. Where that can't be, or where another writer was quicker and the client did not mind, the record changes as any other:
 * by `otherwise`.
 */
function directly<T>(
  direct: ReturnType<typeof pinned>,
  write: (expected: string | undefined) => Answer<T | 'stale'>,
  otherwise: () => Answer<T>,
): Answer<T> {
  if (direct === undefined) return otherwise()
  return settled(write(direct.expected), (result): Answer<T> => {
    if (result !== 'stale') return result
    if (direct.expected !== undefined) throw stale()
    return otherwise()
  })
}

function updated(exchange: Exchange, stored: Stored<unknown>): Outcome {
  const { resource, keys } = exchange
  return { kind: 'item', status: 200, stored, resource, keys, bare: prefersMinimal(exchange) }
}
