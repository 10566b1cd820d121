/** The operations of a collection: GET, HEAD, POST (VERB-1, VERB-2, QUERY). */
import type { Awaitable, Condition, Idempotency, ParentKey } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import { returnPreference } from '../../middleware/prefer.js'
import { itemPath } from '../../plan/addresses.js'
import { keyOf } from '../../plan/resource-plan.js'
import { settled } from '../../promise.js'
import { header } from '../../wire.js'
import { checkRules } from '../input.js'
import { AnswerLinks } from '../shown-links.js'
import type { Parsed } from '../stages.js'
import { type CreateIntent, Store } from '../store.js'
import { checkParents, equalities, fixedByParent } from './lineage.js'
import type { Operation, Outcome } from './operation.js'
import { createRecord, type Made, refuseForeignParent } from './writes.js'

export const list: Operation<'list', 'ignored', 200> = {
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
    const { resource, keys, query } = exchange
    return settled(checkParents(exchange, resource.parent?.mounted, keys), () => {
      const fixed = resource.parent === undefined ? none : equalities(fixedByParent(resource, keys.at(-1)))
      const wanted = fixed.length === 0 ? query : { ...query, where: [...query.where, ...fixed] }
      const links = AnswerLinks.of(exchange, resource, query.expand)
      return settled(
        new Store(exchange, resource).list(wanted, query, links),
        (page): Outcome<200> => ({ kind: 'page', status: 200, page, resource, query, wanted, links }),
      )
    })
  },
}

const none: readonly Condition[] = []

/**
 * The statuses of a successful create: the record was created (201), its creation was accepted
 * (202), or the adapter had nothing to create (200).
 */
export const createdStatuses = [201, 202, 200] as const
type CreatedStatus = (typeof createdStatuses)[number]

export const create: Operation<'item', 'record', CreatedStatus> = {
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
  execute(exchange) {
    return settled(checkParents(exchange, exchange.resource.parent?.mounted, exchange.keys), () => {
      refuseForeignParent(exchange)
      return created(exchange, (key) => [...exchange.keys, key])
    })
  },
}

/** A request that creates a record. */
type Creating = Parsed<'item', 'record'>

/**
 * Creates a record from the request body. `keysOf` returns the keys in the URL of the new record,
 * with the key of the outermost parent first.
 */
export function created(
  exchange: Creating,
  keysOf: (key: KeyValue) => readonly KeyValue[],
  attachTo?: ParentKey,
): Awaitable<Outcome<CreatedStatus>> {
  const { idempotency, resource, body, expand } = exchange
  const store = new Store(exchange, resource)
  const links = AnswerLinks.of(exchange, resource, expand)
  const intent = { attachTo, idempotency, links }
  const made =
    idempotency === undefined
      ? createRecord(exchange, store, body, intent)
      : createdOnce(exchange, store, { ...intent, idempotency })
  return settled(made, (one) => outcomeOf(exchange, one, keysOf, links))
}

/**
 * Creates the record, unless an earlier request with the same idempotency key has created it
 * (VERB-12).
 */
async function createdOnce(
  exchange: Creating,
  store: Store,
  intent: CreateIntent & { readonly idempotency: Idempotency },
): Promise<Made> {
  const { idempotency } = intent
  // This look-up happens before links and rules are checked. So a retry gets the first response
  // again, even if the record would be refused now because of its links or the rules.
  const earlier = await store.recall(idempotency)
  if (earlier !== undefined) return { created: earlier }
  try {
    await checkRules(exchange, exchange.body, undefined, 'create', intent.links)
  } catch (error) {
    // The first request may have completed after the look-up above. In that case, the record of the
    // first request may be the reason why a rule refuses this record.
    const repeated = await store.recall(idempotency)
    if (repeated === undefined) throw error
    return { created: repeated }
  }
  return store.create(exchange.body, intent)
}

function outcomeOf(
  exchange: Creating,
  made: Made,
  keysOf: (key: KeyValue) => readonly KeyValue[],
  links: AnswerLinks | undefined,
): Outcome<CreatedStatus> {
  if ('nothing' in made) return { kind: 'empty', status: 200 }
  const { resource, base } = exchange
  const keys = keysOf('created' in made ? keyOf(resource.plan, made.created.value) : made.accepted)
  const headers = { [header.location]: `${base}${itemPath(resource, keys)}` }
  if ('accepted' in made) return { kind: 'empty', status: 202, headers }
  const bodiless = returnPreference(exchange) !== 'representation'
  return { kind: 'item', status: 201, stored: made.created, resource, keys, links, headers, bodiless }
}
