/**
 * Changes a record: read, check the preconditions, attempt a compare-and-set. Without `If-Match` a
 * lost race starts again (HDR-3).
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Awaitable, Stored } from '../../adapters/contract.js'
import type { JsonObject } from '../../definition/json.js'
import { type Conditions, checkWrite, preconditionFailed } from '../../middleware/if-match.js'
import { Unavailable } from '../../problem.js'
import { settled } from '../../promise.js'
import { backoff } from '../../timeout.js'
import type { Visit } from '../caller.js'
import { scopeOf } from '../scope.js'
import { Store } from '../store.js'
import { checkItemPath, memberOfPath } from './lineage.js'

/** One attempt to change the current record. Returns `'stale'` where another writer was quicker. */
export type Attempt<T> = (current: Stored<JsonObject>, store: Store) => Awaitable<T | 'stale'>

/**
 * Runs an attempt on the current record until it is not stale. With versions in `If-Match` a lost
 * race is 412. Without, the attempts of one key wait for each other in this process, and start again
 * where another process wins, until the time is up (503). `conditionsOn` returns the preconditions
 * that apply to the current record. Default: all of them.
 */
export function change<T>(visit: Visit, attempt: Attempt<T>, conditionsOn?: (current: Stored<JsonObject>) => Conditions): Awaitable<T> {
  return settled(checkItemPath(visit), () => {
    const { conditions, service, resource } = visit
    const store = new Store(visit, resource)
    let seen: string | undefined
    const once = (): Awaitable<T | 'stale'> =>
      settled(memberOfPath(visit, store), (current) => {
        if (visit.repeats && current.version === seen) throw keptAsItWas()
        seen = current.version
        checkWrite(conditionsOn === undefined ? conditions : conditionsOn(current), current.version)
        return attempt(current, store)
      })
    if (conditions.versions === undefined) {
      const { counts } = visit.progress
      const queued = counts === undefined ? 0 : performance.now()
      return service.queue.run(resource.adapter, lineOf(visit), visit.timeLimit.left(), () => {
        if (counts !== undefined) counts.waited += performance.now() - queued
        return untilFresh(visit, once)
      })
    }
    return settled(once(), (result): T => {
      if (result === 'stale') throw preconditionFailed()
      return result
    })
  })
}

/**
 * Attempts wait in one line for each key and scope. With one line for all scopes, a wait would show
 * that another tenant has a record of this key.
 */
function lineOf(visit: Visit): string {
  const { resource, key } = visit
  const text = resource.plan.key.text(key)
  return resource.plan.definition.scope === undefined ? `-${text}` : JSON.stringify([text, scopeOf(visit, resource)])
}

/** The refusal of a transaction that keeps seeing an old record: further attempts would all fail. */
const keptAsItWas = (): Unavailable =>
  new Unavailable({
    detail: 'Another client changed the resource, and this transaction still sees it as it was. Roll it back and run it again.',
    unchanged: true,
  })

/** Repeats a stale attempt until it succeeds or the time is up. */
function untilFresh<T>(visit: Visit, once: () => Awaitable<T | 'stale'>, tries = 0): Awaitable<T> {
  return settled(once(), (result): Awaitable<T> => {
    if (result !== 'stale') return result
    if (visit.timeLimit.left() === 0) {
      throw new Unavailable({
        detail: 'Other clients kept changing the resource. Nothing was changed by this request: try again in a moment.',
        unchanged: true,
      })
    }
    return pause(backoff(tries, 1, 100)).then(() => untilFresh(visit, once, tries + 1))
  })
}

/**
 * What a write without a read before it has to expect: the one version of `If-Match`, or `undefined`
 * for any version. Returns `undefined` where the record must be read first.
 */
export function expectedUnread({ conditions, resource }: Visit): { expected: string | undefined } | undefined {
  const { versions, ifNoneMatch, required, ifMatch } = conditions
  const simple = ifNoneMatch === undefined && resource.parent === undefined && (!required || ifMatch !== undefined)
  if (!simple) return undefined
  if (versions === undefined) return { expected: undefined }
  return versions.length === 1 ? { expected: versions[0] } : undefined
}
