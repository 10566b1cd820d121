/** One item: GET, HEAD, PUT, PATCH, DELETE (VERB-1, VERB-3, VERB-5, VERB-6, VERB-8). */
import type { Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import { prefersMinimal } from '../../middleware/prefer.js'
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { patched } from '../input.js'
import { itemOf } from './lineage.js'
import type { Operation, Outcome } from './operation.js'
import { patchRecord, removeRecord, replaceRecord } from './writes.js'

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
  execute: (exchange) => settled(replaceRecord(exchange, exchange.body as JsonObject), (made) => updated(exchange, made)),
}

export const patch: Operation = {
  name: 'patch',
  query: 'item',
  body: 'patch',
  execute: (exchange) =>
    settled(
      patchRecord(exchange, (current) => patched(exchange, current)),
      (made) => updated(exchange, made),
    ),
}

export const remove: Operation = {
  name: 'remove',
  query: 'none',
  body: 'ignored',
  execute: (exchange) => settled(removeRecord(exchange), (): Outcome => ({ kind: 'empty', status: exchange.service.deleteStatus })),
}

function updated(exchange: Exchange, stored: Stored<unknown>): Outcome {
  const { resource, keys } = exchange
  return { kind: 'item', status: 200, stored, resource, keys, bare: prefersMinimal(exchange) }
}
