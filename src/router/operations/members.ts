/**
 * The operations of associated sub-collections: list, read, create, attach and detach members
 * (PATH-7, VERB-4).
 */
import type { Awaitable, ParentKey, Stored } from '../../adapters/contract.js'
import { type KeyValue, lastKey, membersHolding } from '../../definition/key.js'
import { type Conditions, checkWrite, preconditionFailed } from '../../middleware/if-match.js'
import { lineageOf } from '../../plan/addresses.js'
import { AnswerLinks } from '../shown-links.js'
import type { Parsed } from '../stages.js'
import { absent, type Intent, Store } from '../store.js'
import { created, createdStatuses } from './collections.js'
import { associationOf, checkParents, equalities } from './lineage.js'
import type { Operation, Outcome } from './operation.js'

/**
 * Returns the parent in the path. Throws `absent` (404) if it does not exist. `memberKeys` is 1 if
 * the last key in the path belongs to the member, and 0 if the path ends at the sub-collection.
 */
async function parentOf(exchange: Parsed, memberKeys: 0 | 1): Promise<ParentKey> {
  const { parent, as } = associationOf(exchange)
  const keys = memberKeys === 0 ? exchange.keys : exchange.keys.slice(0, -1)
  await checkParents(exchange, parent, keys)
  return { collection: parent.plan.collection, key: lastKey(keys), as }
}

export const listMembers: Operation<'list', 'ignored', 200> = {
  name: 'listMembers',
  method: 'GET',
  target: 'members',
  actions: ['list'],
  query: 'list',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'page',
  statuses: [200],
  async execute(exchange) {
    const parent = await parentOf(exchange, 0)
    const { resource, query } = exchange
    const wanted = { ...query, parent }
    const links = AnswerLinks.of(exchange, resource, query.expand)
    const page = await new Store(exchange, resource).list(wanted, query, links)
    return { kind: 'page', status: 200, page, resource, query, wanted, links }
  },
}

/** Creates a record and attaches it to the parent. The adapter must have `create` and `attach`. */
export const createMember: Operation<'item', 'record', (typeof createdStatuses)[number]> = {
  name: 'createMember',
  method: 'POST',
  target: 'members',
  writes: 'create',
  needs: ['create', 'attach'],
  actions: ['create', 'attach'],
  query: 'item',
  body: 'record',
  preconditions: 'none',
  creates: true,
  answers: 'item',
  statuses: createdStatuses,
  async execute(exchange) {
    const parent = await parentOf(exchange, 0)
    return created(exchange, (key) => lineageOf(exchange.resource, key), parent)
  },
}

export const readMember: Operation<'item', 'ignored', 200> = {
  name: 'readMember',
  method: 'GET',
  target: 'member',
  actions: ['read'],
  query: 'item',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'item',
  statuses: [200],
  headStatus: 302,
  async execute(exchange) {
    const { resource, key, expand } = exchange
    const parent = await parentOf(exchange, 1)
    const links = AnswerLinks.of(exchange, resource, expand)
    const stored = await memberOf(exchange, new Store(exchange, resource), parent, links)
    return { kind: 'item', status: 200, stored, resource, keys: lineageOf(resource, key), links }
  },
}

/**
 * The operations attach and detach take no body and no query, because the path names both the
 * parent and the record.
 */
const membershipChange = {
  target: 'member',
  query: 'none',
  preconditions: 'item',
  answers: 'empty',
  statuses: [204],
} as const

export const attach: Operation<'none', 'refused', 204> = {
  ...membershipChange,
  name: 'attach',
  method: 'PUT',
  writes: 'attach',
  actions: ['attach'],
  body: 'refused',
  execute: (exchange) => changeMembership(exchange, expectedForAttach, (store, ...rest) => store.attach(...rest)),
}

export const detach: Operation<'none', 'ignored', 204> = {
  ...membershipChange,
  name: 'detach',
  method: 'DELETE',
  writes: 'detach',
  actions: ['detach'],
  body: 'ignored',
  execute: (exchange) => changeMembership(exchange, expectedForDetach, (store, ...rest) => store.detach(...rest)),
}

type ChangeMembership = (
  store: Store,
  parent: ParentKey,
  key: KeyValue,
  expected: string | undefined,
  intent: Intent,
) => Awaitable<'attached' | 'detached' | 'stale'>

async function changeMembership(
  exchange: Parsed,
  expectedFor: typeof expectedForAttach,
  change: ChangeMembership,
): Promise<Outcome<204>> {
  const parent = await parentOf(exchange, 1)
  const store = new Store(exchange, exchange.resource)
  const expected = await expectedFor(exchange, store, parent)
  if ((await change(store, parent, exchange.key, expected?.version, { before: expected?.value })) === 'stale')
    throw preconditionFailed()
  return { kind: 'empty', status: 204 }
}

/**
 * Checks the preconditions of an attach. Returns the record if the write must expect its version.
 * `If-None-Match` refers to the URL of the member. Before the record is attached, that URL has no
 * representation, so the precondition holds.
 */
async function expectedForAttach(
  exchange: Parsed,
  store: Store,
  parent: ParentKey,
): Promise<Stored<unknown> | undefined> {
  const { conditions, key } = exchange
  if (!isConditional(conditions)) return undefined
  const stored = await store.one(key)
  const taken = conditions.ifNoneMatch !== undefined && (await findMember(exchange, store, parent)) !== undefined
  return checked(taken ? conditions : { ...conditions, ifNoneMatch: undefined }, stored)
}

/**
 * Checks the preconditions of a detach. Returns the member if the write must expect its version. If
 * the record is not a member, the response is a 404, before any precondition is checked (HDR-3).
 */
async function expectedForDetach(
  exchange: Parsed,
  store: Store,
  parent: ParentKey,
): Promise<Stored<unknown> | undefined> {
  const { conditions } = exchange
  if (!isConditional(conditions)) return undefined
  return checked(conditions, await memberOf(exchange, store, parent))
}

/**
 * Checks the preconditions. Returns the record whose version the write must expect, or `undefined`
 * if any version is accepted.
 */
function checked(conditions: Conditions, stored: Stored<unknown>): Stored<unknown> | undefined {
  checkWrite(conditions, stored.version)
  return conditions.versions === undefined && conditions.ifNoneMatch === undefined ? undefined : stored
}

const isConditional = ({ ifMatch, ifNoneMatch, required }: Conditions): boolean =>
  ifMatch !== undefined || ifNoneMatch !== undefined || required

/**
 * Returns the record whose key is in the path, if that record is a member of the parent's
 * sub-collection. Otherwise throws `absent` (404).
 */
async function memberOf(
  exchange: Parsed,
  store: Store,
  parent: ParentKey,
  links?: AnswerLinks,
): Promise<Stored<unknown>> {
  const stored = await findMember(exchange, store, parent, links)
  if (stored === undefined) throw absent()
  return stored
}

async function findMember(
  { resource, key }: Parsed,
  store: Store,
  parent: ParentKey,
  links?: AnswerLinks,
): Promise<Stored<unknown> | undefined> {
  const { key: codec, list } = resource.plan
  const where = equalities(membersHolding(codec, key))
  const { items } = await store.list({ where, sort: list.key, page: 1, size: 1, offset: 0, parent }, undefined, links)
  return items[0]
}
