/** Calls an adapter with the principal, scope and time limit of a request. Calls `onQuery`. */
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
import type { JsonObject } from '../definition/json.js'
import { type KeyValue, lastKey } from '../definition/key.js'
import { stated } from '../failures/stated.js'
import { lineageOf } from '../plan/addresses.js'
import type { ListQuery } from '../plan/list-grammar.js'
import type { Mounted } from '../plan/routes.js'
import { HttpProblem } from '../problem.js'
import { isPromise, settled } from '../promise.js'
import { CallerCall } from './adapter-call.js'
import type { Caller } from './caller.js'
import { mismatched, running } from './idempotency.js'
import { watchCall } from './observed.js'
import type { Change } from './progress.js'
import { refusedQuery, refusedRecord } from './refusals.js'
import { isScoped, scopeOf } from './scope.js'
import type { AnswerLinks } from './shown-links.js'

/** Additional information about a write. */
export interface Intent {
  /** Default: the action of the adapter method. */
  readonly action?: WriteAction
  /** The record at the version that the write expects, if it has been read. */
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
 * One adapter on behalf of one caller. These methods are synchronous if the adapter is. Refusals
 * are thrown as problems.
 */
export class Store {
  readonly #caller: Caller
  readonly #mounted: Mounted
  readonly #call: CallerCall

  constructor(caller: Caller, mounted: Mounted) {
    this.#caller = caller
    this.#mounted = caller.reached(mounted)
    this.#call = new CallerCall(caller, scopeOf(caller, mounted))
  }

  /**
   * Throws `invalid-query` if the store can't compare a value in the client's own list query,
   * `asked`. `links`: the links that the response shows.
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
   * The records that links lead to. A link holds only the key of its target and not the parents in
   * its address. A target below a parent that the caller may not see is treated as absent for links
   * too.
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

  /** The record of a key in a version, if the adapter holds it in memory. See `Adapter.cached`. */
  cached(key: KeyValue, version: string): Stored<JsonObject> | undefined {
    const stored = this.#mounted.adapter.cached?.(key, version, this.#call)
    return stored !== undefined && stored.version === version && isRecord(stored) ? stored : undefined
  }

  /**
   * The record of a key. Throws the `absent` problem (404). `links`: the links that the response
   * shows.
   */
  one(key: KeyValue, links?: AnswerLinks): Awaitable<Stored<JsonObject>> {
    return settled(this.read([key], links), ([stored]) => {
      if (stored === undefined) throw absent()
      this.#checkVersion(stored)
      if (isRecord(stored)) return stored
      throw stated(
        new Error(`The adapter of "${this.#mounted.plan.collection}" returned a record that is not an object.`),
      )
    })
  }

  /**
   * Throws refusals (422), and for a key that was used before `idempotency-mismatch` (422) and
   * `unavailable` (503).
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
      (created) => {
        if (created === undefined)
          throw stated(new Error(`The adapter of "${this.#mounted.plan.collection}" returned nothing from create().`))
        const result = this.#accepted(unrepeated(created))
        if ('created' in result) this.#checkVersion(result.created)
        return result
      },
    )
  }

  /**
   * The record that an earlier request with the same key created, if any (VERB-12). Throws as
   * `create` does.
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

  /** Throws `absent` (404) and refusals (422). */
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
   * Reuses the store's one call object: an adapter recognizes by it what it has read for this
   * write.
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
    if (result === undefined)
      throw stated(new Error(`The adapter of "${this.#mounted.plan.collection}" returned nothing from ${method}().`))
    return this.#accepted<T>(result)
  }

  #accepted<T>(result: T | Refused): T {
    if (!isRefused(result)) return result
    const beside = this.#caller.version.table.resources.map(({ plan }) => plan.collection)
    throw refusedRecord(this.#mounted.plan, result, new Set(beside))
  }

  /** Throws for a result outside the contract: `true` must not count as `'removed'`. */
  #done<W extends string>(method: string, word: W, result: W | 'absent' | 'stale' | Refused | undefined): W | 'stale' {
    const done = this.#written(method, result)
    if (done === word || done === 'stale') return done
    const { collection } = this.#mounted.plan
    throw new Error(
      `The adapter of "${collection}" returned ${JSON.stringify(done)} from ${method}(). Allowed are '${word}', 'absent', 'stale' and a refusal.`,
    )
  }

  /**
   * Throws for a record without a version: its tag would lack one, and no precondition could match.
   */
  #checkVersion(stored: Stored<unknown>): Stored<unknown> {
    if (typeof stored.version !== 'string') {
      throw stated(
        new Error(
          `The adapter of "${this.#mounted.plan.collection}" returned a record without a version. A version is a string.`,
        ),
      )
    }
    return stored
  }

  /** Calls a method that may change something, and records the outcome (VERB-13). */
  #change<T>(name: string, write: () => Awaitable<T>, links?: AnswerLinks): Awaitable<T> {
    const { progress } = this.#caller
    progress.beginWrite()
    return settled(this.#invoke(name, write, links), (result) => {
      progress.setChange(changeOf(result))
      return result
    })
  }

  #invoke<T>(name: string, invoke: () => Awaitable<T>, links?: AnswerLinks): Awaitable<T> {
    const caller = this.#caller
    if (caller.progress.counts !== undefined) return this.#observed(name, invoke, links)
    const answer = invoke()
    // A synchronous result needs no time limit object, which is created on first use.
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

/** Converts null to `undefined`: many drivers return null for a missing record. */
function present(found: readonly (Stored<unknown> | undefined | null)[]): readonly (Stored<unknown> | undefined)[] {
  return found.includes(null)
    ? found.map((stored) => stored ?? undefined)
    : (found as readonly (Stored<unknown> | undefined)[])
}

const unchanged: ReadonlySet<unknown> = new Set(['absent', 'stale', 'mismatched', 'running'])
const changed: ReadonlySet<unknown> = new Set(['removed', 'attached', 'detached'])

/**
 * Whether a write changed anything, by the adapter's result; `unknown` for a result outside the
 * contract.
 */
function changeOf(result: unknown): Change {
  if (unchanged.has(result) || isRefused(result)) return 'none'
  return changed.has(result) || (typeof result === 'object' && result !== null) ? 'made' : 'unknown'
}

const none: Intent = Object.freeze({})

const emptyPage: Page<unknown> = Object.freeze({ items: Object.freeze([]), total: 0 })

export const absent = (
  detail = 'It was never created, has been deleted, or lies outside of what you may see.',
): HttpProblem => new HttpProblem('absent', { detail })

function unrepeated<T extends object>(answer: T | Repeated): T {
  if (answer === 'mismatched') throw mismatched()
  if (answer === 'running') throw running()
  return answer
}
