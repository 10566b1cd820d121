/** The adapters as one request sees them: with its principal, scope and timeout, and a hook at each call. */
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
import { lineageOf } from '../plan/addresses.js'
import type { ListQuery } from '../plan/list-grammar.js'
import type { Mounted } from '../plan/routes.js'
import { HttpProblem } from '../problem.js'
import { isPromise, settled } from '../promise.js'
import { CallerCall } from './adapter-call.js'
import type { Caller } from './caller.js'
import { notify } from './hooks.js'
import { mismatched, running } from './idempotency.js'
import type { Change } from './progress.js'
import { refusedQuery, refusedRecord } from './refusals.js'
import { isScoped, scopeOf } from './scope.js'

/** What a write is to its client, beside what the adapter's method says. */
export interface Intent {
  /** Default: the method's own. */
  readonly action?: WriteAction
  /** The record of the version that the write expects, where it has been read. */
  readonly before?: unknown
}

/** One adapter on behalf of one request: its answers are there at once where it gives them at once. Refusals of the store come as problems. */
export class Store {
  readonly #exchange: Caller
  readonly #mounted: Mounted
  readonly #call: CallerCall

  constructor(exchange: Caller, mounted: Mounted) {
    this.#exchange = exchange
    this.#mounted = exchange.reached(mounted)
    this.#call = new CallerCall(exchange, scopeOf(exchange, mounted))
  }

  /** Throws `invalid-query` where the store can't compare with what the client's own list query, `asked`, holds. */
  list(request: ListRequest, asked?: ListQuery): Awaitable<Page<unknown>> {
    return settled(
      this.#ask('list', () => this.#mounted.adapter.list(request, this.#call)),
      (page) => this.#sound(page, asked),
    )
  }

  read(keys: readonly KeyValue[]): Awaitable<readonly (Stored<unknown> | undefined)[]> {
    return settled(
      this.#ask('read', () => this.#mounted.adapter.read(keys, this.#call)),
      present,
    )
  }

  /**
   * The records that links lead to. A link names its target by the key alone, past the parents in its address: what is contained in something that the caller may not
   * see is not there for links either.
   */
  linked(keys: readonly KeyValue[]): Awaitable<readonly (Stored<unknown> | undefined)[]> {
    const { parent } = this.#mounted
    return parent === undefined || !isScoped(parent.mounted) ? this.read(keys) : this.#linkedBelow(parent.mounted, keys)
  }

  async #linkedBelow(parent: Mounted, keys: readonly KeyValue[]): Promise<readonly (Stored<unknown> | undefined)[]> {
    const { key: codec } = parent.plan
    const owners = keys.map((key) => lastKey(lineageOf(this.#mounted, key).slice(0, -1)))
    const wanted = new Map(owners.map((owner) => [codec.text(owner), owner]))
    const [found, parents] = await Promise.all([this.read(keys), new Store(this.#exchange, parent).linked([...wanted.values()])])
    const there = new Set([...wanted.keys()].filter((_, i) => parents[i] !== undefined))
    return found.map((stored, i) => {
      const owner = owners[i]
      return owner !== undefined && there.has(codec.text(owner)) ? stored : undefined
    })
  }

  /** The record of a key. Throws the `absent` problem (404). */
  one(key: KeyValue): Awaitable<Stored<JsonObject>> {
    return settled(this.read([key]), ([stored]) => {
      if (stored === undefined) throw absent()
      this.#versioned(stored)
      if (isRecord(stored)) return stored
      throw new Error(`The adapter of "${this.#mounted.plan.collection}" gave a record that is no object.`)
    })
  }

  /** Throws refusals (422), and `idempotency-mismatch` (422) and `unavailable` (503) for a key that was seen before. */
  create(value: unknown, attachTo?: ParentKey, idempotency?: Idempotency): Awaitable<Exclude<Created<unknown, KeyValue>, Refused>> {
    const plain = attachTo === undefined && idempotency === undefined
    const call = plain ? this.#call : new CallerCall(this.#exchange, this.#call.scope, attachTo, idempotency)
    call.action = 'create'
    return settled(
      this.#change('create', () => this.#mounted.adapter.create?.(value, call)),
      (created) => {
        if (created === undefined) throw new Error(`The adapter of "${this.#mounted.plan.collection}" answered nothing to create().`)
        const result = this.#accepted(unrepeated(created))
        if ('created' in result) this.#versioned(result.created)
        return result
      },
    )
  }

  /** What an earlier request with the same key has created, if there was one (VERB-12). Throws as `create` does. */
  recall(idempotency: Idempotency): Awaitable<Stored<unknown> | undefined> {
    const call = new CallerCall(this.#exchange, this.#call.scope, undefined, idempotency)
    return settled(
      this.#ask('recall', () => this.#mounted.adapter.recall?.(call)),
      (found) => {
        if (found == null) return undefined
        const stored = unrepeated(found)
        this.#exchange.progress.setChange('made')
        return this.#versioned(stored)
      },
    )
  }

  /** Throws `absent` (404) and refusals (422). */
  replace(key: KeyValue, value: unknown, expected: string | undefined, intent: Intent = none): Awaitable<Stored<unknown> | 'stale'> {
    const call = this.#intended('replace', intent)
    return settled(
      this.#change('replace', () => this.#mounted.adapter.replace?.(key, value, expected, call)),
      (result) => {
        const stored = this.#written('replace', result)
        return stored === 'stale' ? stored : this.#versioned(stored)
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

  attach(parent: ParentKey, key: KeyValue, expected: string | undefined, intent: Intent = none): Awaitable<'attached' | 'stale'> {
    const call = this.#intended('attach', intent)
    return settled(
      this.#change('attach', () => this.#mounted.adapter.attach?.(parent, key, expected, call)),
      (result) => this.#done('attach', 'attached', result),
    )
  }

  detach(parent: ParentKey, key: KeyValue, expected: string | undefined, intent: Intent = none): Awaitable<'detached' | 'stale'> {
    const call = this.#intended('detach', intent)
    return settled(
      this.#change('detach', () => this.#mounted.adapter.detach?.(parent, key, expected, call)),
      (result) => this.#done('detach', 'detached', result),
    )
  }

  /** The one call of this store, so that an adapter knows by it what it has read for the write at hand. */
  #intended(method: WriteAction, { action = method, before }: Intent): AdapterCall {
    this.#call.action = action
    this.#call.before = before
    return this.#call
  }

  #sound(page: Page<unknown>, asked: ListQuery | undefined): Page<unknown> {
    if (page.refused !== undefined) {
      const problem = asked && refusedQuery(this.#mounted.plan, asked, page.refused)
      if (problem !== undefined) throw problem
      return { ...nothing, refused: page.refused }
    }
    for (const stored of page.items) this.#versioned(stored)
    return page
  }

  #written<T extends object | string>(method: string, result: T | 'absent' | Refused | undefined): T {
    if (result === 'absent') throw absent()
    if (result === undefined) throw new Error(`The adapter of "${this.#mounted.plan.collection}" answered nothing to ${method}().`)
    return this.#accepted<T>(result)
  }

  #accepted<T>(result: T | Refused): T {
    if (!isRefused(result)) return result
    const beside = this.#exchange.version.table.resources.map(({ plan }) => plan.collection)
    throw refusedRecord(this.#mounted.plan, result, new Set(beside))
  }

  /** Anything but the words of the contract is a mistake of the adapter: `true` must not pass for a record that was removed. */
  #done<W extends string>(method: string, word: W, result: W | 'absent' | 'stale' | Refused | undefined): W | 'stale' {
    const done = this.#written(method, result)
    if (done === word || done === 'stale') return done
    const { collection } = this.#mounted.plan
    throw new Error(
      `The adapter of "${collection}" answered ${JSON.stringify(done)} to ${method}(). It answers '${word}', 'absent', 'stale' or a refusal.`,
    )
  }

  /** A record without its version would have a tag that names none, and no precondition would ever hold: better an error of the service. */
  #versioned(stored: Stored<unknown>): Stored<unknown> {
    if (typeof stored.version !== 'string') {
      throw new Error(`The adapter of "${this.#mounted.plan.collection}" gave a record without a version. A version is a string.`)
    }
    return stored
  }

  /** Calls a method that may change something, and records whether it did (VERB-13). */
  #change<T>(name: string, write: () => Awaitable<T>): Awaitable<T> {
    const { progress } = this.#exchange
    progress.beginWrite()
    return settled(this.#ask(name, write), (result) => {
      progress.setChange(changeOf(result))
      return result
    })
  }

  #ask<T>(name: string, ask: () => Awaitable<T>): Awaitable<T> {
    const exchange = this.#exchange
    if (exchange.service.hooks.onQuery !== undefined) return this.#observed(name, () => exchange.timeLimit.waitFor(ask()))
    const answer = ask()
    // Most answers are there at once, and need no timeLimit to be made.
    return isPromise(answer) ? exchange.timeLimit.waitFor(answer) : answer
  }

  async #observed<T>(name: string, ask: () => Awaitable<T>): Promise<T> {
    const started = performance.now()
    let failed = true
    try {
      const result = await ask()
      failed = false
      return result
    } finally {
      notify(this.#exchange.service.hooks.onQuery, () => ({
        ...this.#exchange.event(),
        collection: this.#mounted.plan.collection,
        call: name,
        duration: performance.now() - started,
        failed,
      }))
    }
  }
}

const isRecord = (stored: Stored<unknown>): stored is Stored<JsonObject> => typeof stored.value === 'object' && stored.value !== null

/** Many a driver says null for what is not there. */
function present(found: readonly (Stored<unknown> | undefined | null)[]): readonly (Stored<unknown> | undefined)[] {
  return found.includes(null) ? found.map((stored) => stored ?? undefined) : (found as readonly (Stored<unknown> | undefined)[])
}

const unchanged: ReadonlySet<unknown> = new Set(['absent', 'stale', 'mismatched', 'running'])
const changed: ReadonlySet<unknown> = new Set(['removed', 'attached', 'detached'])

/**
 * Whether a write changed anything, by the adapter's answer; `unknown` for an answer outside the
 * contract.
 */
function changeOf(result: unknown): Change {
  if (unchanged.has(result) || isRefused(result)) return 'none'
  return changed.has(result) || (typeof result === 'object' && result !== null) ? 'made' : 'unknown'
}

const none: Intent = Object.freeze({})

const nothing: Page<unknown> = Object.freeze({ items: Object.freeze([]), total: 0 })

export const absent = (detail = 'It was never created, has been deleted, or lies outside of what you may see.'): HttpProblem =>
  new HttpProblem('absent', { detail })

function unrepeated<T extends object>(answer: T | Repeated): T {
  if (answer === 'mismatched') throw mismatched()
  if (answer === 'running') throw running()
  return answer
}
