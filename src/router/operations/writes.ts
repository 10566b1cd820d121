/** The writes of a record, for requests and for `records()` in the team's own code. */
import type { Awaitable, Created, Refused, Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { preconditionFailed } from '../../middleware/if-match.js'
import { completeRecord, fixedViolation, refuseBody } from '../../plan/record.js'
import { onWire } from '../../plan/resource-plan.js'
import { settled } from '../../promise.js'
import type { Place, Visit } from '../caller.js'
import { checkRules } from '../input.js'
import type { Patch } from '../patch.js'
import { scopeOf } from '../scope.js'
import type { AnswerLinks } from '../shown-links.js'
import { type CreateIntent, Store } from '../store.js'
import { fixedByParent } from './lineage.js'
import { type Attempt, change, expectedUnread } from './update.js'

/** What an adapter makes of a create that it does not refuse. */
export type Made = Exclude<Created<unknown, KeyValue>, Refused>

/**
 * Refuses a parent that the caller's scope excludes (422): the record would be stored under another
 * parent than its address says.
 */
export function refuseForeignParent(place: Place): void {
  const { resource, keys } = place
  if (resource.parent === undefined) return
  const scope = scopeOf(place, resource)
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

/** Creates a record that links and rules allow. */
export function createRecord(place: Place, store: Store, record: JsonObject, intent?: CreateIntent): Awaitable<Made> {
  return settled(checkRules(place, record, undefined, 'create'), () => store.create(record, intent))
}

/** Replaces the record of the visit by what was sent in full. `links` are those that the answer shows. */
export function replaceRecord(visit: Visit, next: JsonObject, links?: AnswerLinks): Awaitable<Stored<unknown>> {
  const { resource, key } = visit
  return directly(
    resource.plan.needsCurrent ? undefined : expectedUnread(visit),
    (expected) => new Store(visit, resource).replace(key, next, expected, { links }),
    () => change(visit, replacement(visit, next, links)),
  )
}

function replacement(visit: Visit, sent: JsonObject, links: AnswerLinks | undefined): Attempt<Stored<unknown>> {
  const { conditions, resource, key } = visit
  // An attempt changes what was sent, and without `If-Match` there may be another attempt.
  const once = conditions.versions !== undefined
  return ({ value: before, version }, store) => {
    const next = once ? sent : structuredClone(sent)
    completeRecord(resource.plan, next, before, 'replace')
    return settled(checkRules(visit, next, before, 'replace'), () => store.replace(key, next, version, { before, links }))
  }
}

/**
 * Patches the record of the visit: `change` reads it and checks the preconditions, then the new
 * record is composed, completed by what is stored, checked against rules and links, and stored if
 * nobody else was quicker. Where somebody was, `change` starts again. `links` are those that the
 * answer shows.
 */
export function patchRecord(visit: Visit, patch: Patch, links?: AnswerLinks): Awaitable<Stored<unknown>> {
  const { resource, key } = visit
  return change(visit, (current, store) => {
    const { value: before, version } = current
    return settled(patch.compose(visit, current), (next) => {
      completeRecord(resource.plan, next, before, 'patch')
      const intent = { action: 'patch', before, links } as const
      return settled(checkRules(visit, next, before, 'patch'), () => store.replace(key, next, version, intent))
    })
  })
}

/** Removes the record of the visit. */
export function removeRecord(visit: Visit): Awaitable<'removed'> {
  const { resource, key } = visit
  return directly<'removed'>(
    expectedUnread(visit),
    (expected) => new Store(visit, resource).remove(key, expected),
    () => change(visit, ({ value: before, version }, store) => store.remove(key, version, { before })),
  )
}

/**
 * Writes without reading the record first, where `direct` allows it. Else, and where another writer
 * was quicker and the client sent no `If-Match`, `otherwise` does the write.
 */
function directly<T>(
  direct: ReturnType<typeof expectedUnread>,
  write: (expected: string | undefined) => Awaitable<T | 'stale'>,
  otherwise: () => Awaitable<T>,
): Awaitable<T> {
  if (direct === undefined) return otherwise()
  return settled(write(direct.expected), (result): Awaitable<T> => {
    if (result !== 'stale') return result
    if (direct.expected !== undefined) throw preconditionFailed()
    return otherwise()
  })
}
