/**
 * The operations of flags, which are sub-resources of an item. PUT sets a flag, DELETE unsets it,
 * and GET reads it. A flag has the entity tag of its item (PATH-8).
 */
import type { Stored } from '../../adapters/contract.js'
import { get, type JsonObject } from '../../definition/json.js'
import { fixedViolation, refuseBody } from '../../plan/record.js'
import { checkRules } from '../input.js'
import { scopeOf } from '../scope.js'
import { AnswerLinks } from '../shown-links.js'
import type { Parsed, Routed } from '../stages.js'
import { absent, type Store } from '../store.js'
import { itemOf } from './lineage.js'
import type { Operation, Outcome } from './operation.js'
import { change } from './update.js'

export const readFlag: Operation<'none', 'ignored', 204> = {
  name: 'readFlag',
  method: 'GET',
  target: 'flag',
  actions: ['read'],
  query: 'none',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'state',
  statuses: [204],
  headStatus: 302,
  async execute(exchange) {
    const links = AnswerLinks.of(exchange, exchange.resource, [])
    const stored = await itemOf(exchange, links)
    if (get(stored.value, [flagOf(exchange)]) !== true) throw absent('The flag is not set. PUT sets it.')
    return { kind: 'state', status: 204, stored, resource: exchange.resource, links }
  },
}

/**
 * The part of the description that `setFlag` and `unsetFlag` have in common. A flag is a member of
 * its item, and a PATCH of the item can change that member too. So if the mount excludes PATCH, or
 * the permission function refuses it, flags can't be set or unset either.
 */
const assigning = {
  target: 'flag',
  writes: 'replace',
  mountedAs: 'PATCH',
  actions: ['patch'],
  query: 'none',
  preconditions: 'item',
  answers: 'state',
  statuses: [204],
} as const

export const setFlag: Operation<'none', 'refused', 204> = {
  ...assigning,
  name: 'setFlag',
  method: 'PUT',
  body: 'refused',
  execute: (exchange) => assign(exchange, true),
}

export const unsetFlag: Operation<'none', 'ignored', 204> = {
  ...assigning,
  name: 'unsetFlag',
  method: 'DELETE',
  body: 'ignored',
  execute: (exchange) => assign(exchange, false),
}

async function assign(exchange: Parsed, value: boolean): Promise<Outcome<204>> {
  const flag = flagOf(exchange)
  const { resource, conditions } = exchange
  const links = AnswerLinks.of(exchange, resource, [])
  const attempt = async (current: Stored<JsonObject>, store: Store): Promise<Stored<unknown> | 'stale'> => {
    const { value: before, version } = current
    // The flag already has this value. The request is idempotent, so it creates no new version.
    if ((get(before, [flag]) === true) === value) return current
    // The scope determines the value of this member, so the flag can't change, and a 204 would
    // wrongly report success.
    if (Object.hasOwn(scopeOf(exchange, resource), flag)) refuseBody([fixedViolation(flag)])
    const next = { ...before, [flag]: value }
    await checkRules(exchange, next, before, 'patch')
    return store.replace(exchange.key, next, version, { action: 'patch', before, links })
  }
  // `If-None-Match` refers to the URL of the flag (RFC 9110 13.1.2). That URL has no representation
  // while the flag is not set.
  const conditionsOn = ({ value: record }: Stored<JsonObject>) =>
    get(record, [flag]) === true ? conditions : { ...conditions, ifNoneMatch: undefined }
  return { kind: 'state', status: 204, stored: await change(exchange, attempt, conditionsOn), resource, links }
}

function flagOf({ route }: Routed): string {
  if (route.flag === undefined) throw new Error('This route has no flag.')
  return route.flag
}
