/** Creates, replaces, patches and removes records, for requests and for `records()`. */
import type { Awaitable, Created, Refused, Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { preconditionFailed } from '../../middleware/if-match.js'
import { completeRecord, fixedViolation, refuseBody } from '../../plan/record.js'
import { onWire } from '../../plan/resource-plan.js'
import { isPromise, settled } from '../../promise.js'
import type { ConditionalPlace, Place } from '../caller.js'
import { checkRules } from '../input.js'
import type { Patch } from '../patch.js'
import { scopeOf } from '../scope.js'
import type { AnswerLinks } from '../shown-links.js'
import { type CreateIntent, Store } from '../store.js'
import { fixedByParent } from './lineage.js'
import { type Attempt, change, expectedUnread } from './update.js'

/** The result of a create that the adapter did not refuse. */
export type Made = Exclude<Created<unknown, KeyValue>, Refused>

/**
 * Throws `invalid-body` (422) if the caller's scope names a different parent than the path does.
 * The scope has priority, so the record would be stored below that other parent.
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

/** Checks the links and the rules of a record, and then creates the record. */
export function createRecord(place: Place, store: Store, record: JsonObject, intent?: CreateIntent): Awaitable<Made> {
  return settled(checkRules(place, record, undefined, 'create', intent?.links), () => store.create(record, intent))
}

/**
 * Replaces the record at `place`. `next` is the complete new record. `links` contains the links
 * that the response shows.
 */
export function replaceRecord(
  place: ConditionalPlace,
  next: JsonObject,
  links?: AnswerLinks,
): Awaitable<Stored<unknown>> {
  const { resource, key } = place
  return directly(
    resource.plan.needsCurrent ? undefined : expectedUnread(place),
    (expected) => new Store(place, resource).replace(key, next, expected, { links }),
    () => change(place, replacement(place, next, links)),
  )
}

function replacement(
  place: ConditionalPlace,
  sent: JsonObject,
  links: AnswerLinks | undefined,
): Attempt<Stored<unknown>> {
  const { conditions, resource, key } = place
  // An attempt modifies the new record. If there can be a second attempt, each attempt gets its own
  // copy of the record.
  const once = conditions.versions !== undefined
  return ({ value: before, version }, store) => {
    const next = once ? sent : structuredClone(sent)
    completeRecord(resource.plan, next, before, 'replace')
    return settled(checkRules(place, next, before, 'replace'), () =>
      store.replace(key, next, version, { before, links }),
    )
  }
}

/** Returns the new record, after all checks have passed. */
type Compose = (current: Stored<JsonObject>) => Awaitable<JsonObject>
type Write = (next: JsonObject, current: Stored<JsonObject>, store: Store) => Awaitable<Stored<unknown> | 'stale'>

/**
 * Patches a record without reading it first, if the adapter holds in memory the version that
 * `If-Match` names. Returns `undefined` if nothing was changed. In that case, the response depends
 * on the current record, so `change` reads that record and runs the checks again. The resource's
 * rules must be given a record that was read for this request, not one that the adapter holds in
 * memory. So this function does nothing for a resource with rules.
 */
function patchCached(place: ConditionalPlace, compose: Compose, write: Write): Awaitable<Stored<unknown> | undefined> {
  const { resource, key } = place
  if (resource.adapter.cached === undefined || resource.plan.definition.rules !== undefined) return undefined
  const expected = expectedUnread(place)?.expected
  if (expected === undefined) return undefined
  const store = new Store(place, resource)
  const current = store.cached(key, expected)
  if (current === undefined) return undefined
  return settled(composed(compose, current), (next) => {
    if (next === undefined) return undefined
    return settled(write(next, current, store), (result) => (result === 'stale' ? undefined : result))
  })
}

/** Returns the new record, or `undefined` if a check fails. */
function composed(compose: Compose, current: Stored<JsonObject>): Awaitable<JsonObject | undefined> {
  try {
    const next = compose(current)
    return isPromise(next) ? next.catch(() => undefined) : next
  } catch {
    return undefined
  }
}

/**
 * Patches the record at `place`. If possible, `patchCached` does this without a read. Otherwise,
 * `change` reads the record, checks the preconditions and runs an attempt. The attempt composes the
 * new record, completes it from the stored record, checks its links and the rules, and writes it.
 * If another writer was faster, `change` runs the attempt again, or throws a 412 if `If-Match`
 * names versions. `links` contains the links that the response shows.
 */
export function patchRecord(place: ConditionalPlace, patch: Patch, links?: AnswerLinks): Awaitable<Stored<unknown>> {
  const { resource, key } = place
  const write: Write = (next, { value: before, version }, store) =>
    store.replace(key, next, version, { action: 'patch', before, links })
  const compose: Compose = (current) =>
    settled(patch.compose(place, current), (next) => {
      completeRecord(resource.plan, next, current.value, 'patch')
      return settled(checkRules(place, next, current.value, 'patch'), () => next)
    })
  const attempt: Attempt<Stored<unknown>> = (current, store) =>
    settled(compose(current), (next) => write(next, current, store))
  const done = patchCached(place, compose, write)
  return done === undefined ? change(place, attempt) : settled(done, (stored) => stored ?? change(place, attempt))
}

/** Removes the record at `place`. */
export function removeRecord(place: ConditionalPlace): Awaitable<'removed'> {
  const { resource, key } = place
  return directly<'removed'>(
    expectedUnread(place),
    (expected) => new Store(place, resource).remove(key, expected),
    () => change(place, ({ value: before, version }, store) => store.remove(key, version, { before })),
  )
}

/**
 * If `direct` is given, calls `write` with `direct.expected`, without reading the record first.
 * Without `direct`, calls `otherwise` instead. If `write` returns `'stale'`, throws a 412 if
 * `direct.expected` is a version, and calls `otherwise` if it is `undefined`.
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
