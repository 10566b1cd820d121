/**
 * The adapter that a check uses. Methods of `Stage` that call the adapter apply a timeout, and
 * check the result against the general rules of the contract. Calls of `stage.adapter` itself have
 * neither a timeout nor these checks.
 */
import type {
  Adapter,
  AdapterCall,
  Created,
  Idempotency,
  Page,
  ParentKey,
  Refused,
  Repeated,
  Scalar,
  Stored,
} from '../adapters/contract.js'
import { get } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { withTimeout } from '../timeout.js'
import type { Need, OptionalMethod } from './check.js'
import { ContractError, expectThat, show } from './contract-error.js'
import type { Subject } from './fixtures.js'
import { adapterCall, type ListParts, listRequest, sortTerms } from './requests.js'
import { expectPage, expectResult, expectStored } from './results.js'
import { compileIdentity, type Row } from './row.js'

/** An adapter with any type of records and keys. */
export type AnyAdapter = Adapter<unknown, unknown>
export type Item = Stored<Row>

/** The options of a call. */
export interface By {
  readonly call?: Partial<AdapterCall>
  /**
   * The number of the adapter that is called. The adapter under test is number 0, and its peers
   * (adapters over the same store) follow. Larger numbers wrap around. Default 0.
   */
  readonly peer?: number
}

export interface StageOptions {
  /** The timeout of each call, in milliseconds. */
  readonly timeout: number
  readonly seed: number
  readonly without: ReadonlySet<Need>
}

export class Stage {
  readonly definition: ResourceDefinition
  /** The initial records of the adapter. */
  readonly held: readonly Row[]
  /** Valid records that are not among the initial ones. */
  readonly spare: readonly Row[]
  readonly #subject: Subject
  readonly #adapters: readonly AnyAdapter[]
  readonly #timeout: number
  /** The seed of random checks. */
  readonly seed: number
  /** The features that the adapter does not offer, according to the options. */
  readonly #without: ReadonlySet<Need>
  /** Converts a value to a string. Equal values give equal strings. */
  readonly identity: (value: unknown) => string

  constructor(subject: Subject, adapters: readonly AnyAdapter[], { timeout, seed, without }: StageOptions) {
    const { held, spare } = divided(subject.records)
    this.definition = subject.definition
    this.held = held
    this.spare = spare
    this.#subject = subject
    this.#adapters = adapters
    this.#timeout = timeout
    this.seed = seed
    this.#without = without
    this.identity = compileIdentity(subject.definition.shape)
  }

  offers(need: Need): boolean {
    return !this.#without.has(need)
  }

  get adapter(): AnyAdapter {
    return this.#adapters[0] as AnyAdapter
  }

  /** An initial record. */
  record(index = 0): Row {
    return this.held[index] as Row
  }

  /** A valid record that is not among the initial ones. */
  fresh(): Row {
    return this.spare[0] as Row
  }

  change(record: Row, n: number): Row {
    return this.#subject.change(record, n)
  }

  key(record: unknown): KeyValue {
    const key = this.definition.key.of(record)
    expectThat(key !== undefined, `a record with its key (${this.definition.key.members.join(', ')})`, record)
    return key
  }

  keyText(record: unknown): string {
    return this.definition.key.text(this.key(record))
  }

  /** Builds a call with these options. */
  call(parts: Partial<AdapterCall> = {}): AdapterCall {
    return adapterCall(parts)
  }

  /** Requests one page. */
  async list(parts: ListParts = {}, by: By = {}): Promise<Page<Row>> {
    const request = listRequest(parts, this.definition.key.members)
    const page = (await this.#ask('list', by, (adapter, call) => adapter.list(request, call))) as Page<Row>
    expectPage(page, request, (value) => this.keyText(value))
    return page
  }

  /** All results of a request. They are read page by page, with the page size `size`. */
  async all(parts: ListParts = {}, by: By = {}, size = 9): Promise<readonly Item[]> {
    const found: Item[] = []
    for (let page = 1; page <= 1000; page += 1) {
      const { items } = await this.list({ ...parts, page, size }, by)
      found.push(...items)
      if (items.length < size) return found
    }
    throw new ContractError(`Expected the pages to end, but got 1000 pages of ${size}.`)
  }

  /** The keys of the results, as strings, in the order of the results. */
  async keys(parts: ListParts = {}, by: By = {}): Promise<readonly string[]> {
    return (await this.all(parts, by)).map(({ value }) => this.keyText(value))
  }

  /**
   * The position of a record in a sort, for a seek: the values of the record for the terms of the
   * sort. For `-weight,code`, these are its weight and its code.
   */
  seekPosition(record: Row, sort: string): readonly (Scalar | null)[] {
    return sortTerms(sort, this.definition.key.members).map(({ path }) => (get(record, path) ?? null) as Scalar | null)
  }

  async readAll(keys: readonly unknown[], by: By = {}): Promise<readonly (Item | undefined)[]> {
    const found = (await this.#ask('read', by, (adapter, call) => adapter.read(keys, call))) as readonly (
      | Item
      | undefined
    )[]
    expectThat(
      Array.isArray(found) && found.length === keys.length,
      `read() to return a list with one entry for each of the ${keys.length} keys`,
      found,
    )
    for (const item of found) if (item !== undefined) expectStored(item, 'each entry from read() to be undefined or')
    return found
  }

  async read(key: unknown, by: By = {}): Promise<Item | undefined> {
    return (await this.readAll([key], by))[0]
  }

  /** The record under a key. Throws if there is none. */
  async mustRead(key: unknown, by: By = {}): Promise<Item> {
    const item = await this.read(key, by)
    expectThat(item !== undefined, `a record under the key ${JSON.stringify(key)}`, item)
    return item
  }

  create(value: Row, by: By = {}): Promise<Created<Row, unknown>> {
    const given = structuredClone(value)
    return this.#write('create', by, (adapter, call) => adapter.create?.(given, call)) as Promise<Created<Row, unknown>>
  }

  /** Creates a record with an idempotency id, so that the create can be repeated. */
  repeatable(value: Row, idempotency: Idempotency, by: By = {}): Promise<Created<Row, unknown> | Repeated> {
    return this.create(value, { ...by, call: { ...by.call, idempotency } })
  }

  /** Asks for the result of an earlier create with this idempotency id. */
  async recall(idempotency: Idempotency, by: By = {}): Promise<Item | Repeated | undefined> {
    // The result is put into a list, because `undefined` is a valid result of recall().
    const [result] = await this.#ask('recall', by, async (adapter, call) => [
      await adapter.recall?.({ ...call, idempotency }),
    ])
    if (result !== undefined) expectResult(this.definition, 'recall', result)
    return result as Item | Repeated | undefined
  }

  /** Creates a record. Throws if the store does not create it. */
  async mustCreate(value: Row, by: By = {}): Promise<Item> {
    const result = await this.create(value, by)
    expectThat('created' in result, 'create() to return { created }', result)
    return result.created
  }

  replace(key: unknown, value: Row, expected?: string, by: By = {}): Promise<Item | 'absent' | 'stale' | Refused> {
    const given = structuredClone(value)
    return this.#write('replace', by, (adapter, call) => adapter.replace?.(key, given, expected, call)) as Promise<
      Item | 'absent' | 'stale' | Refused
    >
  }

  /** Replaces a record. Throws if the store does not replace it. */
  async mustReplace(key: unknown, value: Row, expected?: string, by: By = {}): Promise<Item> {
    const result = await this.replace(key, value, expected, by)
    expectThat(
      typeof result === 'object' && 'version' in result,
      'replace() to return the stored value and its version',
      result,
    )
    return result
  }

  remove(key: unknown, expected?: string, by: By = {}): Promise<'removed' | 'absent' | 'stale' | Refused> {
    return this.#write('remove', by, (adapter, call) => adapter.remove?.(key, expected, call))
  }

  attach(
    parent: ParentKey,
    key: unknown,
    expected?: string,
    by: By = {},
  ): Promise<'attached' | 'absent' | 'stale' | Refused> {
    return this.#write('attach', by, (adapter, call) => adapter.attach?.(parent, key, expected, call))
  }

  detach(
    parent: ParentKey,
    key: unknown,
    expected?: string,
    by: By = {},
  ): Promise<'detached' | 'absent' | 'stale' | Refused> {
    return this.#write('detach', by, (adapter, call) => adapter.detach?.(parent, key, expected, call))
  }

  /** Throws if an item does not have the expected value. */
  expectValue(came: Item | undefined, expected: Row, what: string): void {
    expectThat(
      came !== undefined && this.identity(came.value) === this.identity(expected),
      `${what} to be ${show(expected)}`,
      came?.value,
    )
  }

  /** Throws if there is a record under a key. */
  async expectNothing(key: unknown, what: string): Promise<void> {
    const found = await this.read(key)
    expectThat(found === undefined, what, found)
  }

  /** Makes a write. Throws if the contract does not allow its result. */
  async #write<R>(
    method: OptionalMethod,
    by: By,
    ask: (adapter: AnyAdapter, call: AdapterCall) => R | Promise<R>,
  ): Promise<Exclude<R, undefined>> {
    const result = await this.#ask(method, by, ask)
    expectResult(this.definition, method, result)
    return result
  }

  /** Makes a call. Throws if it does not settle within the timeout, or has no result. */
  async #ask<R>(
    method: string,
    { call, peer = 0 }: By,
    ask: (adapter: AnyAdapter, call: AdapterCall) => R | Promise<R>,
  ): Promise<Exclude<R, undefined>> {
    const adapter = this.#adapters[peer % this.#adapters.length] as AnyAdapter
    const late = (): ContractError =>
      new ContractError(`Expected ${method}() to settle within ${this.#timeout} ms, but it did not.`)
    const result = await withTimeout(ask(adapter, adapterCall(call)), this.#timeout, late)
    expectThat(result !== undefined, `a result of ${method}()`, result)
    return result as Exclude<R, undefined>
  }
}

/**
 * Divides the records into those that are in the store when a check begins, and the last three,
 * which checks can create.
 */
export function divided(records: readonly Row[]): { held: readonly Row[]; spare: readonly Row[] } {
  return { held: records.slice(0, -3), spare: records.slice(-3) }
}
