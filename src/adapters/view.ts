/** An older version over the same data: an adapter that speaks one version's members over a store that holds another's (VER-1). */
import { get } from '../definition/json.js'
import { knownOptions } from '../definition/known-options.js'
import { ConfigurationError } from '../problem.js'
import type {
  Adapter,
  Call,
  Condition,
  Created,
  Idempotency,
  ListRequest,
  ParentKey,
  Refused,
  Repeated,
  Scalar,
  SortTerm,
  Stored,
} from './contract.js'
import { isRefused } from './contract.js'

type Row = Record<string, unknown>
type Convert = (value: never) => unknown

export interface ViewOptions {
  /** Member of the view -> member of the store, where the names differ. */
  readonly rename?: Readonly<Record<string, string>>
  /** Member of the view -> how the store's value becomes the view's. */
  readonly toWire?: Readonly<Record<string, Convert>>
  /**
   * Member of the view -> how the view's value becomes the store's; also for values of filters, where `undefined` means that no record can have it. It must keep the
   * order where the member can be sorted by or ranged over.
   */
  readonly fromWire?: Readonly<Record<string, Convert>>
  /** Members of the store that the view does not have. They are not shown, and survive its writes. */
  readonly hides?: readonly string[]
  /** Members of the store for what is created through the view. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

const viewNames: Readonly<Record<keyof ViewOptions, true>> = { rename: true, toWire: true, fromWire: true, hides: true, defaults: true }

/**
 * Maps values, filters and sorts of an older version onto the adapter of a newer one. Members of the store that the older version does not have belong in `hides`:
 * then they survive its PUT and PATCH. Members of the key can be renamed; their values are the store's.
 *
 * Throws `ConfigurationError` where an option is misspelt, two members of the view would be one of the store, or a renamed one is hidden.
 *
 * @example mount(clientesV1, view(clientes, { rename: { nombre: 'razonSocial' }, hides: ['cuit'] }))
 */
export function view<T = Row, K = unknown>(adapter: Adapter<never, K> | Adapter<unknown, K>, options: ViewOptions = {}): Adapter<T, K> {
  knownOptions('view()', options, viewNames)
  const under = adapter as Adapter<unknown, K>
  const terms = new Terms(options)
  const show = ({ value, version }: Stored<unknown>): Stored<T> => ({ value: terms.show(value as Row) as T, version })
  const key = (given: K): K => (isRow(given) ? (terms.renamed(given) as K) : given)
  const shownKey = (given: K): K => (isRow(given) ? (terms.renamedBack(given) as K) : given)
  const below = (call: Call): Call => terms.call(call)
  const refused = <R>(result: R | Refused): R | Refused => (isRefused(result) ? terms.refused(result) : result)

  const made: Adapter<T, K> = {
    async list(given, call) {
      const asked = terms.request(given)
      const { seekable, refused: fault, ...page } = await under.list(asked, below(call))
      const items = page.items.map(show)
      const places = seekable && (given.seek === undefined || asked.seek !== undefined) && terms.placesReturn(given.sort, items, page.items)
      return {
        ...page,
        items,
        ...(seekable === undefined ? {} : { seekable: places === true }),
        ...(fault === undefined ? {} : { refused: terms.refused(fault) }),
      }
    },
    async read(keys, call) {
      return (await under.read(keys.map(key), below(call))).map((stored) => stored && show(stored))
    },
  }
  if (under.ready !== undefined) made.ready = (offered) => under.ready?.(offered)
  if (under.create !== undefined) {
    made.create = async (value, call): Promise<Created<T, K> | Repeated> => {
      const record = { ...structuredClone(options.defaults), ...terms.store(value as Row) }
      const result = answered('create', await under.create?.(record, below(call)))
      if (typeof result === 'string') return result
      if ('created' in result) return { created: written(result.created) }
      return 'accepted' in result ? { accepted: shownKey(result.accepted) } : refused(result)
    }
  }
  if (under.recall !== undefined) {
    made.recall = async (call) => {
      // What is kept is the store's own record.
      const found = await under.recall?.(below(call))
      return typeof found === 'object' && found !== null ? show(found) : found
    }
  }
  if (under.replace !== undefined) made.replace = replace
  if (under.remove !== undefined) {
    made.remove = async (given, expected, call) => refused(answered('remove', await under.remove?.(key(given), expected, below(call))))
  }
  if (under.attach !== undefined) {
    made.attach = async (parent, given, expected, call) =>
      refused(answered('attach', await under.attach?.(parent, key(given), expected, below(call))))
  }
  if (under.detach !== undefined) {
    made.detach = async (parent, given, expected, call) =>
      refused(answered('detach', await under.detach?.(parent, key(given), expected, below(call))))
  }
  return made

  /**
   * What a write has stored. The write has succeeded even where the conversion fails: then the
   * version is returned, and reading the value throws (VERB-13).
   */
  function written(stored: Stored<unknown>): Stored<T> {
    try {
      return show(stored)
    } catch (error) {
      return {
        version: stored.version,
        get value(): T {
          throw error
        },
      }
    }
  }

  async function replace(given: K, value: T, expected: string | undefined, call: Call): Promise<Stored<T> | 'absent' | 'stale' | Refused> {
    const record = terms.store(value as Row)
    const put = async (next: Row, version: string | undefined) =>
      answered('replace', await under.replace?.(key(given), next, version, below(call)))
    const result = terms.hidesNothing ? await put(record, expected) : await keeping(given, record, expected, put, call)
    if (typeof result === 'string') return result
    return isRefused(result) ? terms.refused(result) : written(result)
  }

  /**
   * What the view hides has to be read to be kept, so the version that was read is the one compared. A lost race is stale, also without `expected`: the router
   * knows when to try again and for how long.
   */
  async function keeping<R>(
    given: K,
    record: Row,
    expected: string | undefined,
    put: (next: Row, version: string) => Promise<R>,
    call: Call,
  ): Promise<R | 'absent' | 'stale'> {
    const [current] = await under.read([key(given)], below(call))
    if (current === undefined) return 'absent'
    if (expected !== undefined && current.version !== expected) return 'stale'
    return put({ ...terms.hidden(current.value as Row), ...record }, current.version)
  }
}

function answered<R>(method: string, result: R | undefined): R {
  if (result === undefined) throw new Error(`The adapter below a view answered nothing to ${method}().`)
  return result
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

/** The words of two versions for the same members. */
class Terms {
  /** Member of the view -> member of the store. */
  readonly #stored: ReadonlyMap<string, string>
  /** Member of the store -> member of the view. */
  readonly #shown: ReadonlyMap<string, string>
  readonly #toWire: ReadonlyMap<string, (value: unknown) => unknown>
  readonly #fromWire: ReadonlyMap<string, (value: unknown) => unknown>
  readonly #hides: ReadonlySet<string>
  readonly #calls = new WeakMap<Call, ScopedCall>()
  readonly hidesNothing: boolean

  constructor({ rename = {}, toWire = {}, fromWire = {}, hides = [] }: ViewOptions) {
    this.#stored = new Map(Object.entries(rename))
    this.#shown = new Map(Object.entries(rename).map(([mine, stored]) => [stored, mine]))
    this.#toWire = new Map(Object.entries(toWire)) as Map<string, (value: unknown) => unknown>
    this.#fromWire = new Map(Object.entries(fromWire)) as Map<string, (value: unknown) => unknown>
    this.#hides = new Set(hides)
    this.hidesNothing = hides.length === 0 && this.#stored.size === 0
    for (const [mine, stored] of this.#stored) {
      if (this.#shown.get(stored) !== mine)
        throw new ConfigurationError('invalid-option', `Two members of a view are "${stored}" of the store. Rename one.`)
      if (this.#hides.has(stored)) {
        throw new ConfigurationError(
          'invalid-option',
          `A view shows "${stored}" of the store as "${mine}" and hides it too. Leave it out of one of them.`,
        )
      }
    }
  }

  /** Hidden by name, or because the view means another member by its name. */
  #isHidden(stored: string): boolean {
    return this.#hides.has(stored) || (this.#stored.has(stored) && !this.#shown.has(stored))
  }

  show(row: Row): Row {
    const entries = Object.entries(row).filter(([stored]) => !this.#isHidden(stored))
    return Object.fromEntries(
      entries.map(([stored, value]) => {
        const mine = this.#shown.get(stored) ?? stored
        const convert = this.#toWire.get(mine)
        return [mine, convert === undefined ? value : convert(value)]
      }),
    )
  }

  store(record: Row): Row {
    return this.renamed(
      Object.fromEntries(
        Object.entries(record).map(([mine, value]) => {
          const convert = this.#fromWire.get(mine)
          return [mine, convert === undefined ? value : convert(value)]
        }),
      ),
    )
  }

  renamed(record: Row): Row {
    return Object.fromEntries(Object.entries(record).map(([mine, value]) => [this.#stored.get(mine) ?? mine, value]))
  }

  renamedBack(record: Row): Row {
    return Object.fromEntries(Object.entries(record).map(([stored, value]) => [this.#shown.get(stored) ?? stored, value]))
  }

  /** What a write through the view must keep of the stored record. */
  hidden(row: Row): Row {
    return Object.fromEntries(Object.entries(row).filter(([stored]) => this.#isHidden(stored)))
  }

  /** What is asked of the store. A place that it does not have is left out: then the page lies where its number says. */
  request({ seek, ...given }: ListRequest): ListRequest {
    const values = seek?.values.map((value, i) => this.#place(given.sort[i], value)).filter((value) => value !== undefined)
    return {
      ...given,
      where: given.where.map((condition) => this.#condition(condition)),
      sort: given.sort.map((term) => ({ ...term, ...this.#target(term.path) })),
      ...(seek === undefined || values?.length !== seek.values.length ? {} : { seek: { ...seek, values } }),
    }
  }

  /**
   * Whether the view's sort values of the rows at the edges of a page become the store's again. A conversion that loses some of a value names another place: a walk
   * from there would skip rows or repeat them.
   */
  placesReturn(sort: readonly SortTerm[], shown: readonly Stored<unknown>[], stored: readonly Stored<unknown>[]): boolean {
    const converted = sort.filter(({ path: [name = ''] }) => this.#fromWire.has(name) || this.#toWire.has(name))
    return [0, stored.length - 1].every((at) =>
      converted.every((term) => {
        const value = get(stored[at]?.value, this.#target(term.path).path) ?? null
        return this.#place(term, get(shown[at]?.value, term.path) ?? null) === value
      }),
    )
  }

  /** The store's value of a sort term; `undefined` where it has none. Null stays null, as in conditions. */
  #place(term: SortTerm | undefined, value: unknown): Scalar | null | undefined {
    const convert = term?.path.length === 1 && value !== null ? this.#fromWire.get(term.field) : undefined
    const place = convert === undefined ? value : convert(value)
    return place === null || isScalar(place) ? place : undefined
  }

  #target([first = '', ...rest]: readonly string[]): { field: string; path: readonly string[] } {
    const path = [this.#stored.get(first) ?? first, ...rest]
    return { field: path.join('.'), path }
  }

  #condition(given: Condition): Condition {
    const target = this.#target(given.path)
    const convert = given.path.length === 1 && given.op !== 'null' ? this.#fromWire.get(given.field) : undefined
    if (convert === undefined) return { ...given, ...target }
    // An array converts as a whole, so what it may contain is converted as an array of one.
    const one = (value: unknown): unknown => (given.op === 'contains' ? (convert([value]) as readonly unknown[])[0] : convert(value))
    const values = (given.op === 'in' ? given.value : [given.value]).map(one).filter(isScalar)
    const [value] = values
    // A value that the store does not have is one of none.
    return given.op === 'in' || value === undefined ? { ...target, op: 'in', value: values } : ({ ...given, ...target, value } as Condition)
  }

  refused(given: Refused): Refused {
    return { ...given, members: given.members.map((member) => this.#shown.get(member) ?? this.#shownPath(member.split('.'))) }
  }

  #shownPath([first = '', ...rest]: readonly string[]): string {
    return [this.#shown.get(first) ?? first, ...rest].join('.')
  }

  /** The scope in the words of the store. A value that it does not have would be no condition to some stores. */
  #scope(given: Call['scope']): Call['scope'] {
    const scope = this.store(given)
    for (const [member, value] of Object.entries(scope)) {
      if (isScalar(value)) continue
      throw new ConfigurationError(
        'invalid-option',
        `fromWire of a view makes no value of the scope's "${member}". Let it give one for each.`,
      )
    }
    return scope as Call['scope']
  }

  call(given: Call): Call {
    const names = Object.keys(given.scope)
    if (!names.some((name) => this.#stored.has(name) || this.#fromWire.has(name))) return given
    // What belongs to one call stays one: an adapter may remember what it has read for it.
    const known = this.#calls.get(given) ?? new ScopedCall(given, this.#scope(given.scope))
    this.#calls.set(given, known)
    return known
  }
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

/** A call with another scope. It asks the first for the rest, whose signal is made when first asked for. */
class ScopedCall implements Call {
  readonly scope: Readonly<Record<string, Scalar>>
  readonly attachTo?: ParentKey
  readonly idempotency?: Idempotency
  readonly left?: () => number
  readonly #call: Call

  constructor(call: Call, scope: Readonly<Record<string, Scalar>>) {
    this.#call = call
    this.scope = scope
    if (call.left !== undefined) this.left = () => call.left?.() ?? 0
    if (call.attachTo !== undefined) this.attachTo = call.attachTo
    if (call.idempotency !== undefined) this.idempotency = call.idempotency
  }

  get principal(): unknown {
    return this.#call.principal
  }

  get requestId(): string {
    return this.#call.requestId
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  get fresh(): boolean {
    return this.#call.fresh ?? false
  }
}
