/**
 * Calls an adapter with the principal, the scope and the time limit of a caller, and reports the
 * calls to `onQuery`.
 */
import {
  type AdapterCall,
  type Awaitable,
  type Created,
  type Idempotency,
  isRefused,
  type ListRequest,
  type Page,
  type ParentKey,
  type Refused,
  type Repeated,
  type Stored,
  type WriteAction,
} from '../adapters/contract.js'
import { isContainer, type JsonObject } from '../definition/json.js'
import { type KeyValue, lastKey } from '../definition/key.js'
import { loggableError } from '../failures/loggable.js'
import { lineageOf } from '../plan/addresses.js'
import type { ListQuery } from '../plan/list-grammar.js'
import type { Mounted } from '../plan/routes.js'
import { HttpProblem } from '../problem.js'
import { isPromise, settled } from '../promise.js'
import { CallerCall } from './adapter-call.js'
import type { Caller } from './caller.js'
import { checkDeferred, isCreated } from './create-results.js'
import { mismatched, running } from './idempotency.js'
import { watchCall } from './observed.js'
import type { Change } from './progress.js'
import { refusedQuery, refusedRecord } from './refusals.js'
import { isScoped, scopeOf } from './scope.js'
import type { AnswerLinks } from './shown-links.js'

/** Additional information about a write. */
export interface Intent {
  /** The kind of write. Default: the name of the adapter method. */
  readonly action?: WriteAction
  /** The record in the expected version, if the request has already read it. */
  readonly before?: unknown
  /** The links that the response shows. */
  readonly links?: AnswerLinks | undefined
}

/** Additional information about a create. */
export interface CreateIntent extends Pick<Intent, 'links'> {
  readonly attachTo?: ParentKey | undefined
  readonly idempotency?: Idempotency | undefined
}

/**
 * Calls one adapter on behalf of one caller. Most methods return a promise only if the adapter
 * does. If the store refuses a write, the method throws a problem.
 */
export class Store {
  readonly #caller: Caller
  readonly #mounted: Mounted
  readonly #call: CallerCall

  constructor(caller: Caller, mounted: Mounted) {
    this.#caller = caller
    this.#mounted = caller.withOwnAdapter(mounted)
    this.#call = new CallerCall(caller, scopeOf(caller, mounted))
  }

  /**
   * Returns a page of records. `asked` is the list query that the client sent. Throws
   * `invalid-query` if the store can't compare a value in that query. `links` contains the links
   * that the response shows.
   */
  list(request: ListRequest, asked?: ListQuery, links?: AnswerLinks): Awaitable<Page<unknown>> {
    this.#call.links = links
    return settled(
      this.#invoke('list', () => this.#mounted.adapter.list(request, this.#call), links),
      (page) => this.#checkPage(page, asked),
    )
  }

  read(keys: readonly KeyValue[], links?: AnswerLinks): Awaitable<readonly (Stored<unknown> | undefined)[]> {
    this.#call.links = links
    return settled(
      this.#invoke('read', () => this.#mounted.adapter.read(keys, this.#call), links),
      present,
    )
  }

  /**
   * Returns the targets of links, by their keys. The router checks the parents that the path of a
   * request names, but not the parents of link targets. So this method checks the parents of each
   * target: if the caller's scope hides a parent, the target counts as absent.
   */
  linked(keys: readonly KeyValue[]): Awaitable<readonly (Stored<unknown> | undefined)[]> {
    const { parent } = this.#mounted
    return parent === undefined || !isScoped(parent.mounted) ? this.read(keys) : this.#linkedBelow(parent.mounted, keys)
  }

  async #linkedBelow(parent: Mounted, keys: readonly KeyValue[]): Promise<readonly (Stored<unknown> | undefined)[]> {
    const { key: codec } = parent.plan
    const owners = keys.map((key) => lastKey(lineageOf(this.#mounted, key).slice(0, -1)))
    const wanted = new Map(owners.map((owner) => [codec.text(owner), owner]))
    const [found, parents] = await Promise.all([
      this.read(keys),
      new Store(this.#caller, parent).linked([...wanted.values()]),
    ])
    const there = new Set([...wanted.keys()].filter((_, i) => parents[i] !== undefined))
    return found.map((stored, i) => {
      const owner = owners[i]
      return owner !== undefined && there.has(codec.text(owner)) ? stored : undefined
    })
  }

  /**
   * Returns the record with this key and version, if the adapter holds it in memory. See
   * `Adapter.cached`.
   */
  cached(key: KeyValue, version: string): Stored<JsonObject> | undefined {
    const stored = this.#mounted.adapter.cached?.(key, version, this.#call)
    return stored !== undefined && stored.version === version && isRecord(stored) ? stored : undefined
  }

  /**
   * Returns the record with this key. Throws the `absent` problem (404) if there is no such record.
   * `links` contains the links that the response shows.
   */
  one(key: KeyValue, links?: AnswerLinks): Awaitable<Stored<JsonObject>> {
    return settled(this.read([key], links), ([stored]) => {
      if (stored === undefined) throw absent()
      this.#checkVersion(stored)
      if (isRecord(stored)) return stored
      throw loggableError(`The adapter of "${this.#mounted.plan.collection}" returned a record that is not an object.`)
    })
  }

  /**
   * Creates a record. Throws a problem (422) if the store refuses the record. Throws
   * `idempotency-mismatch` (422) if the idempotency key was used before with another body. Throws
   * `unavailable` (503) if the first request with that key is still running.
   */
  create(
    value: unknown,
    { attachTo, idempotency, links }: CreateIntent = none,
  ): Awaitable<Exclude<Created<unknown, KeyValue>, Refused>> {
    const plain = attachTo === undefined && idempotency === undefined
    const call = plain ? this.#call : new CallerCall(this.#caller, this.#call.scope, attachTo, idempotency)
    call.action = 'create'
    call.links = links
    return settled(
      this.#change('create', () => this.#mounted.adapter.create?.(value, call), links),
      (created) => this.#checkCreated(this.#accepted(unrepeated(this.#present('create', created)))),
    )
  }

  /**
   * Throws if the result of `create()` is outside the adapter contract. Without this check, the
   * `Location` of the response would lead nowhere.
   */
  #checkCreated<R extends Exclude<Created<unknown, KeyValue>, Refused>>(result: R): R {
    if (isContainer(result) && 'created' in result && isContainer(result.created)) this.#checkVersion(result.created)
    else checkDeferred(this.#mounted.plan, result)
    return result
  }

  /**
   * Returns the record that an earlier request with the same idempotency key created, if there is
   * one (VERB-12). Throws `idempotency-mismatch` and `unavailable` as `create` does.
   */
  recall(idempotency: Idempotency): Awaitable<Stored<unknown> | undefined> {
    const call = new CallerCall(this.#caller, this.#call.scope, undefined, idempotency)
    return settled(
      this.#invoke('recall', () => this.#mounted.adapter.recall?.(call)),
      (found) => {
        if (found == null) return undefined
        const stored = unrepeated(found)
        this.#caller.progress.setChange('made')
        return this.#checkVersion(stored)
      },
    )
  }

  /**
   * Replaces a record. Throws `absent` (404) if the record does not exist, and a problem (422) if
   * the store refuses the new record.
   */
  replace(
    key: KeyValue,
    value: unknown,
    expected: string | undefined,
    intent: Intent = none,
  ): Awaitable<Stored<unknown> | 'stale'> {
    const call = this.#intended('replace', intent)
    return settled(
      this.#change('replace', () => this.#mounted.adapter.replace?.(key, value, expected, call), intent.links),
      (result) => {
        const stored = this.#written('replace', result)
        return stored === 'stale' ? stored : this.#checkVersion(stored)
      },
    )
  }

  remove(key: KeyValue, expected: string | undefined, intent: Intent = none): Awaitable<'removed' | 'stale'> {
    const call = this.#intended('remove', intent)
    return settled(
      this.#change('remove', () => this.#mounted.adapter.remove?.(key, expected, call)),
      (result) => this.#done('remove', 'removed', result),
    )
  }

  attach(
    parent: ParentKey,
    key: KeyValue,
    expected: string | undefined,
    intent: Intent = none,
  ): Awaitable<'attached' | 'stale'> {
    const call = this.#intended('attach', intent)
    return settled(
      this.#change('attach', () => this.#mounted.adapter.attach?.(parent, key, expected, call)),
      (result) => this.#done('attach', 'attached', result),
    )
  }

  detach(
    parent: ParentKey,
    key: KeyValue,
    expected: string | undefined,
    intent: Intent = none,
  ): Awaitable<'detached' | 'stale'> {
    const call = this.#intended('detach', intent)
    return settled(
      this.#change('detach', () => this.#mounted.adapter.detach?.(parent, key, expected, call)),
      (result) => this.#done('detach', 'detached', result),
    )
  }

  /**
   * Sets the fields for a write in this store's call object, and returns that object. The reads
   * before the write use the same object, so that the adapter can recognize a record that it has
   * read for this write.
   */
  #intended(method: WriteAction, { action = method, before, links }: Intent): AdapterCall {
    this.#call.action = action
    this.#call.before = before
    this.#call.links = links
    return this.#call
  }

  #checkPage(page: Page<unknown>, asked: ListQuery | undefined): Page<unknown> {
    if (page.refused !== undefined) {
      const problem = asked && refusedQuery(this.#mounted.plan, asked, page.refused)
      if (problem !== undefined) throw problem
      return { ...emptyPage, refused: page.refused }
    }
    for (const stored of page.items) this.#checkVersion(stored)
    return page
  }

  #written<T extends object | string>(method: string, result: T | 'absent' | Refused | undefined): T {
    if (result === 'absent') throw absent()
    return this.#accepted<T>(this.#present(method, result))
  }

  #present<T>(method: string, result: T | undefined): T {
    if (result !== undefined) return result
    throw loggableError(`The adapter of "${this.#mounted.plan.collection}" returned nothing from ${method}().`)
  }

  #accepted<T>(result: T | Refused): T {
    if (!isRefused(result)) return result
    const beside = this.#caller.version.table.resources.map(({ plan }) => plan.collection)
    throw refusedRecord(this.#mounted.plan, result, new Set(beside))
  }

  /**
   * Throws if the adapter's result is outside the adapter contract. For example, `true` must not
   * count as `'removed'`.
   */
  #done<W extends string>(method: string, word: W, result: W | 'absent' | 'stale' | Refused | undefined): W | 'stale' {
    const done = this.#written(method, result)
    if (done === word || done === 'stale') return done
    const { collection } = this.#mounted.plan
    throw new Error(
      `The adapter of "${collection}" returned ${JSON.stringify(done)} from ${method}(). ` +
        `Allowed are '${word}', 'absent', 'stale' and a refusal.`,
    )
  }

  /**
   * Throws if a record has no version. Without a version, the entity tag of the record would be
   * wrong, and no precondition could match that tag.
   */
  #checkVersion(stored: Stored<unknown>): Stored<unknown> {
    if (typeof stored.version !== 'string') {
      throw loggableError(
        `The adapter of "${this.#mounted.plan.collection}" returned a record without a version. ` +
          'A version is a string.',
      )
    }
    return stored
  }

  /**
   * Calls an adapter method that may change something, and notes in `progress` whether it did
   * (VERB-13).
   */
  #change<T>(name: string, write: () => Awaitable<T>, links?: AnswerLinks): Awaitable<T> {
    const { progress } = this.#caller
    progress.beginWrite()
    return settled(this.#invoke(name, write, links), (result) => {
      progress.setChange(name === 'create' ? changeByCreate(result) : changeOf(result))
      return result
    })
  }

  #invoke<T>(name: string, invoke: () => Awaitable<T>, links?: AnswerLinks): Awaitable<T> {
    const caller = this.#caller
    if (caller.progress.counts !== undefined) return this.#observed(name, invoke, links)
    const answer = invoke()
    // The time limit object is created on first use. A synchronous result does not need it.
    return isPromise(answer) ? caller.timeLimit.waitFor(answer) : answer
  }

  #observed<T>(name: string, invoke: () => Awaitable<T>, links: AnswerLinks | undefined): Awaitable<T> {
    const { timeLimit } = this.#caller
    const watch = watchCall(this.#caller, this.#mounted.plan.collection, name)
    const ended = (result: T): T => {
      watch.end(result, links?.rows)
      return result
    }
    const failed = (error: unknown): never => {
      watch.fail(error)
      throw error
    }
    let answer: Awaitable<T>
    try {
      answer = watch.run(invoke)
    } catch (error) {
      return failed(error)
    }
    return isPromise(answer) ? Promise.resolve(timeLimit.waitFor(answer)).then(ended, failed) : ended(answer)
  }
}

const isRecord = (stored: Stored<unknown>): stored is Stored<JsonObject> =>
  typeof stored.value === 'object' && stored.value !== null

/** Converts null to `undefined`, because many drivers return null for a missing record. */
function present(found: readonly (Stored<unknown> | undefined | null)[]): readonly (Stored<unknown> | undefined)[] {
  return found.includes(null)
    ? found.map((stored) => stored ?? undefined)
    : (found as readonly (Stored<unknown> | undefined)[])
}

const unchanged: ReadonlySet<unknown> = new Set(['absent', 'stale', 'mismatched', 'running'])
const changed: ReadonlySet<unknown> = new Set(['removed', 'attached', 'detached'])

/**
 * Returns whether a write changed anything, according to the adapter's result. Any object that is
 * not a refusal counts as `made`. This includes `{ nothing: true }`, which `create` returns if it
 * creates no record. Returns `unknown` for a value such as `undefined`, which the adapter contract
 * does not allow.
 */
function changeOf(result: unknown): Change {
  if (unchanged.has(result) || isRefused(result)) return 'none'
  return changed.has(result) || (typeof result === 'object' && result !== null) ? 'made' : 'unknown'
}

/**
 * Like `changeOf`, for the result of a create. Returns `unknown` for an object that the contract
 * does not allow, because such an object does not say whether a record was created.
 */
function changeByCreate(result: unknown): Change {
  const change = changeOf(result)
  return change === 'made' && !isCreated(result) ? 'unknown' : change
}

const none: Intent = Object.freeze({})

const emptyPage: Page<unknown> = Object.freeze({ items: Object.freeze([]), total: 0 })

export const absentDetail = 'It was never created, has been deleted, or lies outside of what you may see.'

export const absent = (detail = absentDetail): HttpProblem => new HttpProblem('absent', { detail })

function unrepeated<T extends object>(answer: T | Repeated): T {
  if (answer === 'mismatched') throw mismatched()
  if (answer === 'running') throw running()
  return answer
}
