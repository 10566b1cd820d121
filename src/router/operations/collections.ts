/** A collection: GET, HEAD, POST (VERB-1, VERB-2, QUERY). */
import type { Condition, ParentKey } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { returnPreference } from '../../middleware/prefer.js'
import { itemPath } from '../../plan/addresses.js'
import { fixedViolation, refuseBody } from '../../plan/record.js'
import { keyOf, onWire } from '../../plan/resource-plan.js'
import { settled } from '../../promise.js'
import { header } from '../../wire.js'
import type { Exchange } from '../exchange.js'
import { checkRules } from '../input.js'
import { scopeOf } from '../scope.js'
import { Store } from '../store.js'
import { checkParents, equalities, fixedByParent } from './lineage.js'
import type { Operation, Outcome } from './operation.js'

export const list: Operation = {
  name: 'list',
  query: 'list',
  body: 'ignored',
  execute(exchange) {
    const { resource, keys } = exchange
    const request = exchange.list as NonNullable<Exchange['list']>
    return settled(checkParents(exchange, resource.parent?.mounted, keys), () => {
      const fixed = resource.parent === undefined ? none : equalities(fixedByParent(resource, keys.at(-1)))
      const wanted = fixed.length === 0 ? request : { ...request, where: [...request.where, ...fixed] }
      return settled(new Store(exchange, resource).list(wanted), (page): Outcome => ({ kind: 'page', page, resource }))
    })
  },
}

const none: readonly Condition[] = []

export const create: Operation = {
  name: 'create',
  query: 'item',
  body: 'record',
  creates: true,
  async execute(exchange) {
    await checkParents(exchange, exchange.resource.parent?.mounted, exchange.keys)
    refuseForeignParent(exchange)
    return created(exchange, (key) => [...exchange.keys, key])
  },
}

/** A record in the caller's scope can't be in a parent that the scope excludes (422): it would be stored elsewhere than its address says. */
function refuseForeignParent(exchange: Exchange): void {
  const { resource, keys } = exchange
  const scope = scopeOf(exchange, resource)
  const foreign = Object.entries(fixedByParent(resource, keys.at(-1))).filter(
    ([member, part]) => Object.hasOwn(scope, member) && scope[member] !== part,
  )
  refuseBody(
    onWire(
      resource.plan,
      foreign.map(([member]) => fixedViolation(member)),
    ),
  )
}

async function createdAnew(exchange: Exchange, store: Store, record: JsonObject, attachTo: ParentKey | undefined) {
  try {
    await checkRules(exchange, record, undefined, 'create')
  } catch (error) {
    // The first request may have ended just now, and it is its record that the rules speak of.
    const repeated = exchange.idempotency && (await store.recall())
    if (repeated === undefined) throw error
    return { created: repeated }
  }
  return store.create(record, attachTo)
}

/** Creates what the body says. `keysOf` gives the keys of the new record's own address, its parents' first. */
export async function created(exchange: Exchange, keysOf: (key: KeyValue) => Exchange['keys'], attachTo?: ParentKey): Promise<Outcome> {
  const { resource, req, base } = exchange
  const record = exchange.body as JsonObject
  const store = new Store(exchange, resource)
  // Before links and rules are looked at: a repeat answers what was answered, also where they would refuse it by now.
  const repeated = exchange.idempotency && (await store.recall())
  const result = repeated === undefined ? await createdAnew(exchange, store, record, attachTo) : { created: repeated }
  if ('nothing' in result) return { kind: 'empty', status: 200 }
  const keys = keysOf('created' in result ? keyOf(resource.plan, result.created.value) : result.accepted)
  const headers = { [header.location]: `${base}${itemPath(resource, keys)}` }
  if ('accepted' in result) return { kind: 'empty', status: 202, headers }
  return { kind: 'item', status: 201, stored: result.created, resource, keys, headers, bare: returnPreference(req) !== 'representation' }
}
