/**
 * Changes a record: reads it, checks the preconditions, and attempts a compare-and-set. Without
 * `If-Match`, a lost race is retried (HDR-3).
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
 * Runs an attempt on the current record until it is not stale. If `If-Match` names versions, a lost
 * race is 412. Without it, the attempts of one key are serialized in this process, and retried when
 * another process wins, until the time limit (503). `conditionsOn` returns the preconditions that
 * apply to the current record. Default: all of them.
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
        if (place.repeats && current.version === seen) throw staleSnapshot()
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
 * One queue for each key and scope. With a queue shared by all scopes, waiting would reveal that
 * another tenant has a record with this key.
 */
function queueKeyOf(place: ConditionalPlace): string {
  const { resource, key } = place
  const text = resource.plan.key.text(key)
  return resource.plan.definition.scope === undefined ? `-${text}` : JSON.stringify([text, scopeOf(place, resource)])
}

/**
 * Refuses to retry in a transaction that still reads an old record: all further attempts would fail
 * too.
 */
const staleSnapshot = (): Unavailable =>
  new Unavailable({
    detail:
      'Another client changed the resource, and this transaction still sees it as it was. Roll it back and run it again.',
    unchanged: true,
  })

/** Retries a stale attempt until it succeeds or the time is up. */
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
 * The version that a write without a prior read must expect: the single version of `If-Match`, or
 * `undefined` for any. Returns `undefined` if the record must be read first.
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
