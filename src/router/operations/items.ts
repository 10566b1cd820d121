/**
 * The operations of an item: GET, HEAD, PUT, PATCH, DELETE (VERB-1, VERB-3, VERB-5, VERB-6,
 * VERB-8).
 */
import type { Awaitable, Stored } from '../../adapters/contract.js'
import { prefersMinimal } from '../../middleware/prefer.js'
import { type DeleteStatus, deleteStatuses } from '../../plan/operation.js'
import { isProblem } from '../../problem.js'
import { isPromise, settled } from '../../promise.js'
import { AnswerLinks } from '../shown-links.js'
import type { Parsed } from '../stages.js'
import { absent, absentDetail } from '../store.js'
import { itemOf } from './lineage.js'
import type { Operation, Outcome } from './operation.js'
import { patchRecord, removeRecord, replaceRecord } from './writes.js'

export const read: Operation<'item', 'ignored', 200> = {
  name: 'read',
  method: 'GET',
  target: 'item',
  actions: ['read'],
  query: 'item',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'item',
  statuses: [200],
  headStatus: 302,
  execute(exchange) {
    const { resource, keys, expand } = exchange
    const links = AnswerLinks.of(exchange, resource, expand)
    return settled(
      itemOf(exchange, links),
      (stored): Outcome<200> => ({ kind: 'item', status: 200, stored, resource, keys, links }),
    )
  },
}

export const replace: Operation<'item', 'record', 200> = {
  name: 'replace',
  method: 'PUT',
  target: 'item',
  writes: 'replace',
  actions: ['replace'],
  query: 'item',
  body: 'record',
  preconditions: 'item',
  answers: 'item',
  statuses: [200],
  execute(exchange) {
    const links = AnswerLinks.of(exchange, exchange.resource, exchange.expand)
    return sayingHowToCreate(exchange, () =>
      settled(replaceRecord(exchange, exchange.body, links), (made) => updated(exchange, made, links)),
    )
  },
}

/**
 * In HTTP, a PUT may create the resource (RFC 9110 9.3.4). Here it does not (VERB-3), so the detail
 * of the 404 says how to create a record.
 */
function sayingHowToCreate<T>({ resource }: Parsed, replaced: () => Awaitable<T>): Awaitable<T> {
  const fail = (error: unknown): never => {
    // The service's own code may throw another 404, which stays unchanged.
    if (!isProblem(error) || error.code !== 'absent' || error.detail !== absentDetail) throw error
    const instead = resource.collection.operations.has('POST') ? ': use POST on the collection' : ''
    throw absent(`${error.detail} PUT does not create records${instead}.`)
  }
  try {
    const result = replaced()
    return isPromise(result) ? result.catch(fail) : result
  } catch (error) {
    return fail(error)
  }
}

export const patch: Operation<'item', 'patch', 200> = {
  name: 'patch',
  method: 'PATCH',
  target: 'item',
  writes: 'replace',
  actions: ['patch'],
  query: 'item',
  body: 'patch',
  preconditions: 'item',
  answers: 'item',
  statuses: [200],
  execute(exchange) {
    const links = AnswerLinks.of(exchange, exchange.resource, exchange.expand)
    return settled(patchRecord(exchange, exchange.body, links), (made) => updated(exchange, made, links))
  },
}

export const remove: Operation<'none', 'ignored', DeleteStatus> = {
  name: 'remove',
  method: 'DELETE',
  target: 'item',
  writes: 'remove',
  actions: ['remove'],
  query: 'none',
  body: 'ignored',
  preconditions: 'item',
  answers: 'empty',
  statuses: deleteStatuses,
  execute: (exchange) =>
    settled(removeRecord(exchange), () => ({ kind: 'empty' as const, status: exchange.service.deleteStatus })),
}

function updated(exchange: Parsed, stored: Stored<unknown>, links: AnswerLinks | undefined): Outcome<200> {
  const { resource, keys } = exchange
  return { kind: 'item', status: 200, stored, resource, keys, links, bodiless: prefersMinimal(exchange) }
}
