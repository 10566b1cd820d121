/** A collection: GET, HEAD, POST (VERB-1, VERB-2, QUERY). */
import type { Awaitable, Condition, ParentKey } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { returnPreference } from '../../middleware/prefer.js'
import { itemPath } from '../../plan/addresses.js'
import { keyOf } from '../../plan/resource-plan.js'
import { settled } from '../../promise.js'
import { header } from '../../wire.js'
import type { Exchange } from '../exchange.js'
import { bodyToCreate, checkRules } from '../input.js'
import { Store } from '../store.js'
import { checkParents, equalities, fixedByParent } from './lineage.js'
import type { Operation, Outcome } from './operation.js'
import { createRecord, type Made, refuseForeignParent } from './writes.js'

export const list: Operation<200> = {
  name: 'list',
  method: 'GET',
  target: 'collection',
  actions: ['list'],
  query: 'list',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'page',
  statuses: [200],
  execute(exchange) {
    const { resource, keys } = exchange
    const request = exchange.list as NonNullable<Exchange['list']>
    return settled(checkParents(exchange, resource.parent?.mounted, keys), () => {
      const fixed = resource.parent === undefined ? none : equalities(fixedByParent(resource, keys.at(-1)))
      const wanted = fixed.length === 0 ? request : { ...request, where: [...request.where, ...fixed] }
      return settled(
        new Store(exchange, resource).list(wanted),
        (page): Outcome<200> => ({ kind: 'page', status: 200, page, resource, wanted }),
      )
    })
  },
}

const none: readonly Condition[] = []

/**
 * A record was created (201), its creation was accepted (202), or the adapter had nothing to create
 * (200).
 */
export const createdStatuses = [201, 202, 200] as const
type CreatedStatus = (typeof createdStatuses)[number]

export const create: Operation<CreatedStatus> = {
  name: 'create',
  method: 'POST',
  target: 'collection',
  writes: 'create',
  actions: ['create'],
  query: 'item',
  body: 'record',
  preconditions: 'none',
  creates: true,
  answers: 'item',
  statuses: createdStatuses,
  read: (exchange, body) => bodyToCreate(exchange, body, {}),
  execute(exchange) {
    return settled(checkParents(exchange, exchange.resource.parent?.mounted, exchange.keys), () => {
      refuseForeignParent(exchange)
      return created(exchange, (key) => [...exchange.keys, key])
    })
  },
}

function createdAnew(exchange: Exchange, store: Store, record: JsonObject, attachTo: ParentKey | undefined): Awaitable<Made> {
  if (exchange.idempotency !== undefined) return createdOnce(exchange, store, record, attachTo)
  return createRecord(exchange, store, record, attachTo)
}

/** The same where its client may have sent it before. */
async function createdOnce(exchange: Exchange, store: Store, record: JsonObject, attachTo: ParentKey | undefined): Promise<Made> {
  try {
    await checkRules(exchange, record, undefined, 'create')
  } catch (error) {
    // The first request may have ended just now, and it is its record that the rules speak of.
    const repeated = await store.recall()
    if (repeated === undefined) throw error
    return { created: repeated }
  }
  return store.create(record, attachTo)
}

/** Creates what the body says. `keysOf` gives the keys of the new record's own address, its parents' first. */
export function created(
  exchange: Exchange,
  keysOf: (key: KeyValue) => Exchange['keys'],
  attachTo?: ParentKey,
): Awaitable<Outcome<CreatedStatus>> {
  const record = exchange.body as JsonObject
  const store = new Store(exchange, exchange.resource)
  // Before links and rules are looked at: a repeat answers what was answered, also where they would refuse it by now.
  const earlier = exchange.idempotency === undefined ? undefined : store.recall()
  return settled(earlier, (repeated) => {
    if (repeated !== undefined) return outcomeOf(exchange, { created: repeated }, keysOf)
    return settled(createdAnew(exchange, store, record, attachTo), (made) => outcomeOf(exchange, made, keysOf))
  })
}

function outcomeOf(exchange: Exchange, made: Made, keysOf: (key: KeyValue) => Exchange['keys']): Outcome<CreatedStatus> {
  if ('nothing' in made) return { kind: 'empty', status: 200 }
  const { resource, base } = exchange
  const keys = keysOf('created' in made ? keyOf(resource.plan, made.created.value) : made.accepted)
  const headers = { [header.location]: `${base}${itemPath(resource, keys)}` }
  if ('accepted' in made) return { kind: 'empty', status: 202, headers }
  return { kind: 'item', status: 201, stored: made.created, resource, keys, headers, bare: returnPreference(exchange) !== 'representation' }
}
