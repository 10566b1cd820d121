/** The adapters as one request sees them: with its principal, scope and patience, and a hook at each call. */
import {
  type Answer,
  type Call,
  type Created,
  type Idempotency,
  isRefused,
  type ListRequest,
  type Page,
  type ParentKey,
  type Refused,
  type Repeated,
  type Scalar,
  type Stored,
} from '../adapters/contract.js'
import type { KeyValue } from '../definition/key.js'
import { lineageOf } from '../plan/addresses.js'
import type { Mounted } from '../plan/routes.js'
import { HttpProblem } from '../problem.js'
import { isPromise, settled } from '../promise.js'
import type { Exchange } from './exchange.js'
import { notify } from './hooks.js'
import { mismatched, running } from './idempotency.js'
import { refusedQuery, refusedRecord } from './refusals.js'
import { isScoped, scopeOf } from './scope.js'

/** One adapter on behalf of one request: its answers are there at once where it gives them at once. Refusals of the store come as problems. */
export class Store {
  readonly #exchange: Exchange
  readonly #mounted: Mounted
  readonly #call: Call

  constructor(exchange: Exchange, mounted: Mounted) {
    this.#exchange = exchange
    this.#mounted = mounted
    this.#call = new AdapterCall(exchange, scopeOf(exchange, mounted))
  }

  /** Throws `invalid-query` where the store can't compare with what the client's own list query holds. */
  list(request: ListRequest): Answer<Page<unknown>> {
    return settled(
      this.#ask('list', () => this.#mounted.adapter.list(request, this.#call)),
      (page) => this.#sound(page),
    )
  }

  read(keys: readonly KeyValue[]): Answer<readonly (Stored<unknown> | undefined)[]> {
    return settled(
      this.#ask('read', () => this.#mounted.adapter.read(keys, this.#call)),
      present,
    )
  }

  /**
   * The records that links lead to. A link names its target by the key alone, past the parents in its address: what is contained in something that the caller may not
   * see is not there for links either.
   */
  linked(keys: readonly KeyValue[]): Answer<readonly (Stored<unknown> | undefined)[]> {
    const { parent } = this.#mounted
    return parent === undefined || !isScoped(parent.mounted) ? this.read(keys) : this.#linkedBelow(parent.mounted, keys)
  }

  async #linkedBelow(parent: Mounted, keys: readonly KeyValue[]): Promise<readonly (Stored<unknown> | undefined)[]> {
    const { key: codec } = parent.plan
    const owners = keys.map((key) => lineageOf(this.#mounted, key).at(-2) as KeyValue)
    const wanted = new Map(owners.map((owner) => [codec.text(owner), owner]))
    const [found, parents] = await Promise.all([this.read(keys), new Store(this.#exchange, parent).linked([...wanted.values()])])
    const there = new Set([...wanted.keys()].filter((_, i) => parents[i] !== undefined))
    return found.map((stored, i) => (there.has(codec.text(owners[i] as KeyValue)) ? stored : undefined))
  }

  /** The record of a key. Throws the `absent` problem (404). */
  one(key: KeyValue): Answer<Stored<unknown>> {
    return settled(this.read([key]), ([stored]) => {
      if (stored === undefined) throw absent()
      return this.#versioned(stored)
    })
  }

  /** Throws refusals (422), and `idempotency-mismatch` (422) and `unavailable` (503) for a key that was seen before. */
  create(value: unknown, attachTo?: ParentKey): Answer<Exclude<Created<unknown, KeyValue>, Refused>> {
    const { idempotency } = this.#exchange
    const plain = attachTo === undefined && idempotency === undefined
    const call = plain ? this.#call : new AdapterCall(this.#exchange, this.#call.scope, attachTo, idempotency)
    return settled(
      this.#change('create', () => this.#mounted.adapter.create?.(value, call)),
      (created) => {
        if (created === undefined) throw new Error(`The adapter of "${this.#mounted.plan.collection}" answered nothing to create().`)
        const result = accepted(this.#mounted, unrepeated(created))
        if ('created' in result) this.#versioned(result.created)
        return result
      },
    )
  }

  /**
   * What an earlier request with this one's key has created, where it has one (VERB-12). Throws as
   * `create` does.
   */
  recall(): Answer<Stored<unknown> | undefined> {
    const { idempotency } = this.#exchange
    if (idempotency === undefined) return undefined
    const call = new AdapterCall(this.#exchange, this.#call.scope, undefined, idempotency)
    return settled(
      this.#ask('recall', () => this.#mounted.adapter.recall?.(call)),
      (found) => {
        if (found == null) return undefined
        const stored = unrepeated(found)
        this.#exchange.change = 'made'
        return this.#versioned(stored)
      },
    )
  }

  /** Throws `absent` (404) and refusals (422). */
  replace(key: KeyValue, value: unknown, expected: string | undefined): Answer<Stored<unknown> | 'stale'> {
    return settled(
      this.#change('replace', () => this.#mounted.adapter.replace?.(key, value, expected, this.#call)),
      (result) => {
        const stored = this.#written('replace', result)
        return stored === 'stale' ? stored : this.#versioned(stored)
      },
    )
  }

  remove(key: KeyValue, expected: string | undefined): Answer<'removed' | 'stale'> {
    return settled(
      this.#change('remove', () => this.#mounted.adapter.remove?.(key, expected, this.#call)),
      (result) => this.#done('remove', 'removed', result),
    )
  }

  attach(parent: ParentKey, key: KeyValue, expected: string | undefined): Answer<'attached' | 'stale'> {
    return settled(
      this.#change('attach', () => this.#mounted.adapter.attach?.(parent, key, expected, this.#call)),
      (result) => this.#done('attach', 'attached', result),
    )
  }

  detach(parent: ParentKey, key: KeyValue, expected: string | undefined): Answer<'detached' | 'stale'> {
    return settled(
      this.#change('detach', () => this.#mounted.adapter.detach?.(parent, key, expected, this.#call)),
      (result) => this.#done('detach', 'detached', result),
    )
  }

  #sound(page: Page<unknown>): Page<unknown> {
    if (page.refused !== undefined) {
      const { list } = this.#exchange
      const problem = list && refusedQuery(this.#mounted.plan, list, page.refused)
      if (problem !== undefined) throw problem
      return nothing
    }
    for (const stored of page.items) this.#versioned(stored)
    return page
  }

  #written<T extends object | string>(method: string, result: T | 'absent' | Refused | undefined): Exclude<T, 'absent' | Refused> {
    if (result === 'absent') throw absent()
    if (result === undefined) throw new Error(`The adapter of "${this.#mounted.plan.collection}" answered nothing to ${method}().`)
    return accepted(this.#mounted, result) as Exclude<T, 'absent' | Refused>
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
  #change<T>(name: string, write: () => Answer<T>): Answer<T> {
    const exchange = this.#exchange
    exchange.change = 'unknown'
    return settled(this.#ask(name, write), (result) => {
      exchange.change = changeOf(result)
      return result
    })
  }

  #ask<T>(name: string, ask: () => Answer<T>): Answer<T> {
    const exchange = this.#exchange
    if (exchange.service.hooks.onQuery !== undefined) return this.#observed(name, () => exchange.patience.settle(ask()))
    const answer = ask()
    // Most answers are there at once, and need no patience to be made.
    return isPromise(answer) ? exchange.patience.settle(answer) : answer
  }

  async #observed<T>(name: string, ask: () => Answer<T>): Promise<T> {
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
function changeOf(result: unknown): Exchange['change'] {
  if (unchanged.has(result) || isRefused(result)) return 'none'
  return changed.has(result) || (typeof result === 'object' && result !== null) ? 'made' : 'unknown'
}

const nothing: Page<unknown> = Object.freeze({ items: Object.freeze([]), total: 0 })

export const absent = (detail = 'It was never created, has been deleted, or lies outside of what you may see.'): HttpProblem =>
  new HttpProblem('absent', { detail })

function unrepeated<T extends object>(answer: T | Repeated): T {
  if (answer === 'mismatched') throw mismatched()
  if (answer === 'running') throw running()
  return answer
}

function accepted<T>({ plan }: Mounted, result: T | Refused): Exclude<T, Refused> {
  if (isRefused(result)) throw refusedRecord(plan, result)
  return result as Exclude<T, Refused>
}

/** A call of a mounted adapter on behalf of a request, with its principal, scope and time. */
export const adapterCall = (exchange: Exchange, mounted: Mounted): Call => new AdapterCall(exchange, scopeOf(exchange, mounted))

/** A call whose signal is made when first asked for. */
class AdapterCall implements Call {
  readonly #exchange: Exchange
  readonly scope: Readonly<Record<string, Scalar>>
  readonly attachTo?: ParentKey
  readonly idempotency?: Idempotency

  constructor(exchange: Exchange, scope: Readonly<Record<string, Scalar>>, attachTo?: ParentKey, idempotency?: Idempotency) {
    this.#exchange = exchange
    this.scope = scope
    if (attachTo !== undefined) this.attachTo = attachTo
    if (idempotency !== undefined) this.idempotency = idempotency
  }

  get principal(): unknown {
    return this.#exchange.principal
  }

  get requestId(): string {
    return this.#exchange.requestId
  }

  get signal(): AbortSignal {
    return this.#exchange.patience.signal()
  }

  /** All that a write reads it decides by or answers with: parents, the record as it is, what its links lead to. */
  get fresh(): boolean {
    return !this.#exchange.reads
  }

  left(): number {
    return this.#exchange.patience.left()
  }
}
