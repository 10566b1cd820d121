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
import { change, pinned } from './update.js'

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
  async execute(exchange) {
    const { resource, key } = exchange
    const next = exchange.body as JsonObject
    const direct = resource.plan.needsCurrent ? undefined : pinned(exchange)
    const stored = await directly(direct, (expected) => new Store(exchange, resource).replace(key, next, expected))
    if (stored !== undefined) return updated(exchange, stored)
    return updated(
      exchange,
      await change(exchange, async (current, store) => {
        const complete = await completeUpdate(exchange, structuredClone(next), current.value as JsonObject, 'replace')
        return store.replace(key, complete, current.version)
      }),
    )
  },
}

export const patch: Operation = {
  name: 'patch',
  query: 'item',
  body: 'patch',
  async execute(exchange) {
    const { key } = exchange
    const stored = await change(exchange, async (current, store) => {
      const next = await completeUpdate(exchange, await patched(exchange, current), current.value as JsonObject, 'patch')
      return store.replace(key, next, current.version)
    })
    return updated(exchange, stored)
  },
}

export const remove: Operation = {
  name: 'remove',
  query: 'none',
  body: 'ignored',
  async execute(exchange) {
    const { resource, key, service } = exchange
    const removed = await directly(pinned(exchange), (expected) => new Store(exchange, resource).remove(key, expected))
    if (removed === undefined) await change(exchange, (current, store) => store.remove(key, current.version))
    return { kind: 'empty', status: service.deleteStatus }
  },
}

/**
 * Writes without a look at the record first. `undefined` where that can't be, or where another writer was quicker and the client did not mind: then the record
 * changes as any other.
 */
async function directly<T>(
  direct: ReturnType<typeof pinned>,
  write: (expected: string | undefined) => Answer<T | 'stale'>,
): Promise<T | undefined> {
  if (direct === undefined) return undefined
  const result = await write(direct.expected)
  if (result !== 'stale') return result
  if (direct.expected !== undefined) throw stale()
  return undefined
}

function updated(exchange: Exchange, stored: Stored<unknown>): Outcome {
  const { resource, keys, req } = exchange
  return { kind: 'item', status: 200, stored, resource, keys, bare: prefersMinimal(req) }
}
