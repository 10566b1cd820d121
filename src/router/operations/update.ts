/**
 * Changes a record: reads the record, checks the preconditions, and attempts a compare-and-set. If
 * another writer was faster and `If-Match` names no version, the change is attempted again (HDR-3).
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Awaitable, Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import { type Conditions, checkWrite, preconditionFailed } from '../../middleware/if-match.js'
import { Unavailable } from '../../problem.js'
import { settled } from '../../promise.js'
import { backoff } from '../../timeout.js'
import type { ConditionalPlace } from '../caller.js'
import { scopeOf } from '../scope.js'
import { Store } from '../store.js'
import { checkItemPath, memberOfPath } from './lineage.js'

/** One attempt to change the current record. Returns `'stale'` if another writer was faster. */
export type Attempt<T> = (current: Stored<JsonObject>, store: Store) => Awaitable<T | 'stale'>

/**
 * Runs an attempt on the current record. If `If-Match` names versions, a stale attempt ends in a
 * 412. If `If-Match` names no version, changes to the same record run one after another in this
 * process, and a stale attempt is repeated until it succeeds or the time limit is reached (503).
 * `conditionsOn` returns the preconditions that apply to the current record. Default: all
 * preconditions apply.
 */
export function change<T>(
  place: ConditionalPlace,
  attempt: Attempt<T>,
  conditionsOn?: (current: Stored<JsonObject>) => Conditions,
): Awaitable<T> {
  return settled(checkItemPath(place), () => {
    const { conditions, service, resource } = place
    const store = new Store(place, resource)
    let seen: string | undefined
    const once = (): Awaitable<T | 'stale'> =>
      settled(memberOfPath(place, store), (current) => {
        if (place.mayBeInTransaction && current.version === seen) throw staleSnapshot()
        seen = current.version
        checkWrite(conditionsOn === undefined ? conditions : conditionsOn(current), current.version)
        return attempt(current, store)
      })
    if (conditions.versions === undefined) {
      const { counts } = place.progress
      const queued = counts === undefined ? 0 : performance.now()
      return service.queue.run(resource.adapter, queueKeyOf(place), place.timeLimit.left(), () => {
        if (counts !== undefined) counts.waited += performance.now() - queued
        return untilFresh(place, once)
      })
    }
    return settled(once(), (result): T => {
      if (result === 'stale') throw preconditionFailed()
      return result
    })
  })
}

/**
 * Returns the name of the queue for the updates of this item. There is one queue for each key and
 * scope. If all scopes shared a queue, a caller could notice the waiting time and learn that
 * another tenant has a record with this key.
 */
function queueKeyOf(place: ConditionalPlace): string {
  const { resource, key } = place
  const text = resource.plan.key.text(key)
  return resource.plan.definition.scope === undefined ? `-${text}` : JSON.stringify([text, scopeOf(place, resource)])
}

/**
 * Returns the problem of a transaction that still reads an old version of the record. Another
 * attempt in the same transaction would fail too.
 */
const staleSnapshot = (): Unavailable =>
  new Unavailable({
    detail:
      'Another client changed the resource, and this transaction still sees the previous version. ' +
      'Roll back the transaction and run it again.',
    unchanged: true,
  })

/** Repeats a stale attempt until it succeeds or the time limit is reached. */
function untilFresh<T>(place: ConditionalPlace, once: () => Awaitable<T | 'stale'>, tries = 0): Awaitable<T> {
  return settled(once(), (result): Awaitable<T> => {
    if (result !== 'stale') return result
    if (place.timeLimit.left() === 0) {
      throw new Unavailable({
        detail: 'Other clients kept changing the resource. Nothing was changed by this request: try again in a moment.',
        unchanged: true,
      })
    }
    return pause(backoff(tries, 1, 100)).then(() => untilFresh(place, once, tries + 1))
  })
}

/**
 * Returns the version that a write must expect, in an object. Its member `expected` is the single
 * version that `If-Match` names, or `undefined` if any version is accepted. If the record must be
 * read before the write, returns `undefined` instead of an object.
 */
export function expectedUnread({
  conditions,
  resource,
}: ConditionalPlace): { expected: string | undefined } | undefined {
  const { versions, ifNoneMatch, required, ifMatch } = conditions
  const simple = ifNoneMatch === undefined && resource.parent === undefined && (!required || ifMatch !== undefined)
  if (!simple) return undefined
  if (versions === undefined) return { expected: undefined }
  return versions.length === 1 ? { expected: versions[0] } : undefined
}
