/**
 * A second reference adapter, besides the memory adapter. It keeps its records in a Map, and pauses
 * before each result. It supports `seek`. Each decision is a method of its own, so that a wrong
 * adapter can override that decision.
 */
import type {
  Adapter,
  AdapterCall,
  Condition,
  Created,
  ListRequest,
  Page,
  ParentKey,
  Refused,
  Repeated,
  Scalar,
  SortTerm,
} from '../../src/adapters/contract.js'
import { compileCanonical } from '../../src/definition/conversion.js'
import { get } from '../../src/definition/json.js'
import { type KeyValue, membersHolding } from '../../src/definition/key.js'
import type { ResourceDefinition } from '../../src/definition/resource.js'
import { valueFormat } from '../../src/definition/value-formats.js'
import type { AdapterFixture, Row } from '../../src/testing/index.js'
import { rankOf, searchWords } from './plain-search.js'
import { type Item, type ScopedMethod, Store } from './plain-store.js'

export class PlainAdapter implements Adapter<unknown, unknown> {
  readonly definition: ResourceDefinition

  constructor(
    { definition, records }: AdapterFixture,
    readonly store = new Store(),
  ) {
    this.definition = definition
    const canonical = compileCanonical(definition.shape) as (value: Row) => Row
    for (const record of records) {
      const text = this.text(definition.key.of(record) as KeyValue)
      store.rows.set(text, { value: this.kept(canonical(record)), version: this.version(text, record) })
      if (typeof record.number === 'number') store.lastNumber = Math.max(store.lastNumber, record.number)
    }
  }

  async list(request: ListRequest, call: AdapterCall): Promise<Page<unknown>> {
    await this.pause()
    const found = this.matching(request, call, 'list').sort((a, b) => this.compare(a, b, request))
    const { from, to } = this.bounds(found, request)
    const items = found.slice(from, to).map((item) => this.given(item))
    const total = this.total(request, call, items.length)
    return {
      items,
      total,
      seekable: request.sort.length > 0,
      more: request.seek?.backwards ? from > 0 : to < found.length,
    }
  }

  async read(keys: readonly unknown[], call: AdapterCall): Promise<readonly (Item | undefined)[]> {
    await this.pause()
    return keys.map((key) => {
      const item = this.visible(key, call, 'read')
      return item && this.given(item)
    })
  }

  async create(value: unknown, call: AdapterCall): Promise<Created<unknown, unknown> | Repeated> {
    await this.pause()
    const known = this.known(call)
    if (known !== undefined) return typeof known === 'string' ? known : { created: known }
    const made = this.made(value, call)
    if ('created' in made) this.keep(call, made.created)
    return made
  }

  async recall(call: AdapterCall): Promise<Item | Repeated | undefined> {
    await this.pause()
    return this.known(call)
  }

  known({ idempotency }: AdapterCall): Item | Repeated | undefined {
    const kept = idempotency && this.store.kept.get(idempotency.id)
    if (kept === undefined) return undefined
    return kept.fingerprint === idempotency?.fingerprint ? this.given(kept.item) : 'mismatched'
  }

  keep({ idempotency }: AdapterCall, item: Item): void {
    if (idempotency !== undefined)
      this.store.kept.set(idempotency.id, { fingerprint: idempotency.fingerprint, item: this.given(item) })
  }

  made(value: unknown, call: AdapterCall): { readonly created: Item } | Refused {
    const leaving = this.leaving(call.attachTo, call)
    if (leaving.length > 0) return { refused: 'rule', members: leaving }
    const row = this.scoped({ ...(value as Row) }, call)
    const { key } = this.definition
    if (this.definition.assigned.size > 0 && (row.number === undefined || row.number === null))
      row.number = this.number()
    if (call.attachTo !== undefined) Object.assign(row, this.holding(call.attachTo))
    const text = this.text(key.of(row) as KeyValue)
    if (this.store.rows.has(text)) return { refused: 'duplicate', members: key.members }
    const item = this.write(text, row)
    if (call.attachTo !== undefined) this.setOf(call.attachTo)?.add(text)
    return { created: this.given(item) }
  }

  async replace(
    key: unknown,
    value: unknown,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<Item | 'absent' | 'stale' | Refused> {
    await this.pause()
    const item = this.visible(key, call, 'replace')
    if (item === undefined) return 'absent'
    if (this.isStale(item, expected)) return 'stale'
    return this.given(this.write(this.text(key), this.scoped({ ...(value as Row), ...this.keyMembers(key) }, call)))
  }

  async remove(key: unknown, expected: string | undefined, call: AdapterCall): Promise<'removed' | 'absent' | 'stale'> {
    await this.pause()
    const item = this.visible(key, call, 'remove')
    if (item === undefined) return 'absent'
    if (this.isStale(item, expected)) return 'stale'
    this.erase(this.text(key))
    return 'removed'
  }

  async attach(
    parent: ParentKey,
    key: unknown,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<'attached' | 'absent' | 'stale' | Refused> {
    await this.pause()
    const item = this.visible(key, call, 'attach')
    if (item === undefined) return 'absent'
    if (this.isStale(item, expected)) return 'stale'
    if (this.isAttached(parent, item)) return 'attached'
    const leaving = this.leaving(parent, call)
    if (leaving.length > 0) return { refused: 'rule', members: leaving }
    const set = this.setOf(parent)
    if (set === undefined) this.write(this.text(key), { ...item.value, ...this.holding(parent) })
    else set.add(this.text(key))
    return 'attached'
  }

  async detach(
    parent: ParentKey,
    key: unknown,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<'detached' | 'absent' | 'stale'> {
    await this.pause()
    const item = this.visible(key, call, 'detach')
    if (item === undefined || !this.isAttached(parent, item) || (this.by(parent) ?? '') in call.scope) return 'absent'
    if (this.isStale(item, expected)) return 'stale'
    const set = this.setOf(parent)
    if (set !== undefined) set.delete(this.text(key))
    else this.write(this.text(key), { ...item.value, [this.by(parent) as string]: null })
    return 'detached'
  }

  async pause(): Promise<void> {
    for (let i = 0; i < 3; i += 1) await undefined
  }

  text(key: unknown): string {
    return this.definition.key.text(key as KeyValue)
  }

  version(_text: string, _row: Row): string {
    this.store.versions += 1
    return `v${this.store.versions}`
  }

  kept(row: Row): Row {
    return structuredClone(row)
  }

  given(item: Item): Item {
    return structuredClone(item)
  }

  write(text: string, row: Row): Item {
    const item = { value: this.kept(row), version: this.version(text, row) }
    this.store.rows.set(text, item)
    return item
  }

  erase(text: string): void {
    this.store.rows.delete(text)
    for (const set of this.store.sets.values()) set.delete(text)
  }

  number(): number {
    do this.store.lastNumber += 1
    while (this.store.rows.has(String(this.store.lastNumber)))
    return this.store.lastNumber
  }

  isStale(item: Item, expected: string | undefined): boolean {
    return expected !== undefined && item.version !== expected
  }

  inScope(row: Row, { scope }: AdapterCall, _method: ScopedMethod): boolean {
    return Object.entries(scope).every(([member, value]) => row[member] === value)
  }

  scoped(row: Record<string, unknown>, { scope }: AdapterCall): Record<string, unknown> {
    return { ...row, ...scope }
  }

  keyMembers(key: unknown): Row {
    return membersHolding(this.definition.key, key as KeyValue)
  }

  /** The members that would get a value outside the scope if a record were attached to `parent`. */
  leaving(parent: ParentKey | undefined, { scope }: AdapterCall): readonly string[] {
    const held = parent === undefined ? {} : this.holding(parent)
    return Object.keys(held).filter((member) => member in scope && scope[member] !== held[member])
  }

  visible(key: unknown, call: AdapterCall, method: ScopedMethod): Item | undefined {
    const item = this.store.rows.get(this.text(key))
    return item !== undefined && this.inScope(item.value, call, method) ? item : undefined
  }

  matching(request: ListRequest, call: AdapterCall, method: 'list' | 'count'): Item[] {
    const { where, search, parent } = request
    return [...this.store.rows.values()].filter(
      (item) =>
        this.inScope(item.value, call, method) &&
        where.every((condition) => this.holds(condition, item.value)) &&
        (search === undefined || this.found(search, item.value)) &&
        (parent === undefined || this.isAttached(parent, item)),
    )
  }

  total(request: ListRequest, call: AdapterCall, _listed: number): number {
    return this.matching(request, call, 'count').length
  }

  holds(condition: Condition, row: Row): boolean {
    const member = get(row, condition.path) as Scalar | null | undefined
    if (condition.op === 'null') return (member ?? null) === null ? condition.value : !condition.value
    if (member === null || member === undefined) return false
    switch (condition.op) {
      case 'eq':
        return member === condition.value
      case 'in':
        return condition.value.includes(member)
      case 'contains':
        return (member as unknown as readonly unknown[]).includes(condition.value)
      case 'gt':
        return this.compareValues(member, condition.value, condition.path) > 0
      case 'gte':
        return this.compareValues(member, condition.value, condition.path) >= 0
      case 'lt':
        return this.compareValues(member, condition.value, condition.path) < 0
      case 'lte':
        return this.compareValues(member, condition.value, condition.path) <= 0
    }
  }

  /** Compares values by the format of the member, for example as decimal numbers or as instants. */
  compareValues(a: Scalar, b: Scalar, path: readonly string[]): number {
    const compare = valueFormat(this.definition.shape.at(path))?.compare
    if (compare !== undefined) return compare(String(a), String(b))
    return a < b ? -1 : a > b ? 1 : 0
  }

  found(search: string, row: Row): boolean {
    return search.trim() === '' || this.rank(search, row) > 0
  }

  rank(search: string, row: Row): number {
    return rankOf(searchWords(search), row)
  }

  compareScalars(a: Scalar | null, b: Scalar | null, path: readonly string[]): number {
    if (a === b) return 0
    if (a === null) return 1
    if (b === null) return -1
    return this.compareValues(a, b, path)
  }

  compareTerms(a: readonly (Scalar | null)[], b: readonly (Scalar | null)[], terms: readonly SortTerm[]): number {
    for (const [i, { descending, path }] of terms.entries()) {
      const difference = this.compareScalars(a[i] as Scalar | null, b[i] as Scalar | null, path)
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  }

  place({ value }: Item, terms: readonly SortTerm[]): readonly (Scalar | null)[] {
    return terms.map(({ path }) => (get(value, path) ?? null) as Scalar | null)
  }

  compare(a: Item, b: Item, { sort, search }: ListRequest): number {
    if (sort.length > 0) return this.compareTerms(this.place(a, sort), this.place(b, sort), sort)
    const better = this.rank(search ?? '', b.value) - this.rank(search ?? '', a.value)
    return better || (this.text(this.definition.key.of(a.value)) < this.text(this.definition.key.of(b.value)) ? -1 : 1)
  }

  bounds(found: readonly Item[], { seek, sort, offset, size }: ListRequest): { from: number; to: number } {
    const beyond = (item: Item) =>
      this.beyond(this.compareTerms(this.place(item, sort), seek?.values ?? [], sort), seek?.backwards ?? false)
    let from = Math.min(offset, found.length)
    if (seek?.backwards) {
      const to = found.filter(beyond).length
      return { from: Math.max(0, to - size), to }
    }
    if (seek !== undefined) from = found.length - found.filter(beyond).length
    return { from, to: Math.min(found.length, from + size) }
  }

  /**
   * Returns true if an item is after the seek position, or, with `backwards`, before it.
   * `difference` is the result of comparing the item with the seek position.
   */
  beyond(difference: number, backwards: boolean): boolean {
    return backwards ? difference < 0 : difference > 0
  }

  by({ collection, as }: ParentKey): string | undefined {
    return this.definition.attachedTo.find(
      (one) => one.as === as && (one.of as ResourceDefinition).collection === collection,
    )?.by?.[0]
  }

  holding(parent: ParentKey): Record<string, unknown> {
    const by = this.by(parent)
    return by === undefined ? {} : { [by]: parent.key }
  }

  setName({ collection, key, as }: ParentKey): string {
    return JSON.stringify([collection, key, as])
  }

  /**
   * The keys of the records that are attached to a parent. Returns `undefined` if records name this
   * parent in a member instead.
   */
  setOf(parent: ParentKey): Set<string> | undefined {
    if (this.by(parent) !== undefined) return undefined
    const name = this.setName(parent)
    const set = this.store.sets.get(name) ?? new Set()
    this.store.sets.set(name, set)
    return set
  }

  isAttached(parent: ParentKey, { value }: Item): boolean {
    const by = this.by(parent)
    if (by !== undefined) return value[by] === parent.key
    return this.setOf(parent)?.has(this.text(this.definition.key.of(value))) ?? false
  }
}
