/**
 * Translates between the members of a view (an older version of the API) and the members of the
 * store.
 */
import type { Members } from '../definition/adapter-members.js'
import { get } from '../definition/json.js'
import { invalidOption } from '../options/check.js'
import type {
  AdapterCall,
  Condition,
  Idempotency,
  ListRequest,
  ParentKey,
  Refused,
  Scalar,
  SortTerm,
  Stored,
  WriteAction,
} from './contract.js'
import { called, refusePromise } from './made-by.js'
import type { AdapterViewOptions } from './view-options.js'

export type Row = Record<string, unknown>

/** Maps the members of the view to the members of the store, and back. */
export class MemberTranslator {
  /** Member of the view -> member of the store. */
  readonly #stored: ReadonlyMap<string, string>
  /** Member of the store -> member of the view. */
  readonly #shown: ReadonlyMap<string, string>
  readonly #toWire: ReadonlyMap<string, (value: unknown) => unknown>
  readonly #fromWire: ReadonlyMap<string, (value: unknown) => unknown>
  readonly #hides: ReadonlySet<string>
  readonly #calls = new WeakMap<AdapterCall, TranslatedCall>()
  /**
   * Record of the view -> record of the store, for each record that a request has read for a write.
   */
  readonly #sources = new WeakMap<object, Row>()
  /**
   * Whether the view certainly hides no member of the store. False if the view renames a member,
   * because the new name may be that of another member of the store.
   */
  readonly hidesNothing: boolean

  constructor({ rename = {}, toWire = {}, fromWire = {}, hides = [] }: AdapterViewOptions) {
    this.#stored = new Map(Object.entries(rename))
    this.#shown = new Map(Object.entries(rename).map(([shown, stored]) => [stored, shown]))
    this.#toWire = converters('toWire', toWire)
    this.#fromWire = converters('fromWire', fromWire)
    this.#hides = new Set(hides)
    this.hidesNothing = hides.length === 0 && this.#stored.size === 0
    for (const [shown, stored] of this.#stored) {
      if (this.#shown.get(stored) !== shown)
        throw invalidOption(
          `Two members of a view map to "${stored}" of the store. In \`rename\`, map each member of the view to a ` +
            'different member of the store.',
        )
      if (this.#hides.has(stored)) {
        throw invalidOption(
          `A view shows "${stored}" of the store as "${shown}" and hides it too. Remove it from \`rename\` or ` +
            `from \`hides\`.`,
        )
      }
    }
  }

  /**
   * Whether a member of the store is hidden: because `hides` names the member, or because the view
   * uses the member's name for another member.
   */
  #isHidden(stored: string): boolean {
    return this.#hides.has(stored) || (this.#stored.has(stored) && !this.#shown.has(stored))
  }

  /** Returns the members of the view, given the members of the store. */
  members(stored: Members): Members {
    const shown = stored.names.filter((name) => !this.#isHidden(name)).map((name) => this.#shown.get(name) ?? name)
    return {
      names: shown,
      has: (name) => shown.includes(name) || (!this.#isHidden(name) && !this.#shown.has(name) && stored.has(name)),
    }
  }

  /**
   * Converts a record of the store to a record of the view. If the record was read for a write
   * (`call.fresh`), keeps the store's record too, because the write may need it as `call.before`.
   */
  showFor(call: AdapterCall, row: Row): Row {
    const shown = this.toShown(row)
    if (call.fresh) this.#sources.set(shown, row)
    return shown
  }

  toShown(row: Row): Row {
    const entries = Object.entries(row).filter(([stored]) => !this.#isHidden(stored))
    return Object.fromEntries(
      entries.map(([stored, value]) => {
        const shown = this.#shown.get(stored) ?? stored
        const convert = this.#toWire.get(shown)
        return [shown, convert === undefined ? value : convert(value)]
      }),
    )
  }

  toStored(record: Row): Row {
    return this.renamed(
      Object.fromEntries(
        Object.entries(record).map(([shown, value]) => {
          const convert = this.#fromWire.get(shown)
          return [shown, convert === undefined ? value : convert(value)]
        }),
      ),
    )
  }

  renamed(record: Row): Row {
    return Object.fromEntries(Object.entries(record).map(([shown, value]) => [this.#stored.get(shown) ?? shown, value]))
  }

  renamedBack(record: Row): Row {
    return Object.fromEntries(
      Object.entries(record).map(([stored, value]) => [this.#shown.get(stored) ?? stored, value]),
    )
  }

  /** The hidden members of a record. A write through the view must keep them. */
  hidden(row: Row): Row {
    return Object.fromEntries(Object.entries(row).filter(([stored]) => this.#isHidden(stored)))
  }

  /**
   * Translates a list request to the store's members. If the `seek` position can't be translated,
   * it is dropped, and `offset` applies.
   */
  request({ seek, ...given }: ListRequest): ListRequest {
    const values = seek?.values
      .map((value, i) => this.#sortValue(given.sort[i], value))
      .filter((value) => value !== undefined)
    return {
      ...given,
      where: given.where.map((condition) => this.#condition(condition)),
      sort: given.sort.map((term) => ({ ...term, ...this.#target(term.path) })),
      ...(seek === undefined || values?.length !== seek.values.length ? {} : { seek: { ...seek, values } }),
    }
  }

  /**
   * Whether the sort values of a page's first and last row stay the same if they are converted to
   * the view (`toWire`) and back (`fromWire`). If a value changed, a `Link` would contain a wrong
   * position, and the next page would skip or repeat rows.
   */
  positionsRoundTrip(
    sort: readonly SortTerm[],
    shown: readonly Stored<unknown>[],
    stored: readonly Stored<unknown>[],
  ): boolean {
    const converted = sort.filter(({ path: [name = ''] }) => this.#fromWire.has(name) || this.#toWire.has(name))
    return [0, stored.length - 1].every((at) =>
      converted.every((term) => {
        const value = get(stored[at]?.value, this.#target(term.path).path) ?? null
        return this.#sortValue(term, get(shown[at]?.value, term.path) ?? null) === value
      }),
    )
  }

  /**
   * Converts a sort value of the view to the store's value. Returns `undefined` if the value has no
   * equivalent in the store. Null is not converted.
   */
  #sortValue(term: SortTerm | undefined, value: unknown): Scalar | null | undefined {
    const convert = term?.path.length === 1 && value !== null ? this.#fromWire.get(term.field) : undefined
    const stored = convert === undefined ? value : convert(value)
    return stored === null || isScalar(stored) ? stored : undefined
  }

  #target([first = '', ...rest]: readonly string[]): { field: string; path: readonly string[] } {
    const path = [this.#stored.get(first) ?? first, ...rest]
    return { field: path.join('.'), path }
  }

  #condition(given: Condition): Condition {
    const target = this.#target(given.path)
    const convert = given.path.length === 1 && given.op !== 'null' ? this.#fromWire.get(given.field) : undefined
    if (convert === undefined) return { ...given, ...target }
    // `fromWire` converts a whole array, so a single item is converted as an array of one item.
    const one = (value: unknown): unknown =>
      given.op === 'contains' ? (convert([value]) as readonly unknown[])[0] : convert(value)
    const values = (given.op === 'in' ? given.value : [given.value]).map(one).filter(isScalar)
    const [value] = values
    // If the value has no equivalent in the store, the condition gets an empty list, which matches
    // nothing.
    return given.op === 'in' || value === undefined
      ? { ...target, op: 'in', value: values }
      : ({ ...given, ...target, value } as Condition)
  }

  refused(given: Refused): Refused {
    return {
      ...given,
      members: given.members.map((member) => this.#shown.get(member) ?? this.#shownPath(member.split('.'))),
    }
  }

  #shownPath([first = '', ...rest]: readonly string[]): string {
    return [this.#shown.get(first) ?? first, ...rest].join('.')
  }

  /**
   * Translates the scope. Throws if a value can't be translated, because some stores would ignore a
   * condition whose value is `undefined`.
   */
  #scope(given: AdapterCall['scope']): AdapterCall['scope'] {
    const scope = this.toStored(given)
    for (const [member, value] of Object.entries(scope)) {
      if (isScalar(value)) continue
      throw invalidOption(
        `The function "fromWire" of a view returned no scalar for "${member}" of the scope. Return a string, ` +
          'number or boolean for each value.',
      )
    }
    return scope as AdapterCall['scope']
  }

  call(given: AdapterCall): AdapterCall {
    const names = Object.keys(given.scope)
    const scoped = names.some((name) => this.#stored.has(name) || this.#fromWire.has(name))
    if (!scoped && !given.fresh && given.before === undefined) return given
    // The same call is always translated to the same object, because an adapter may cache the data
    // that it has read for a call.
    const known =
      this.#calls.get(given) ??
      new TranslatedCall(given, scoped ? this.#scope(given.scope) : given.scope, this.#sources)
    this.#calls.set(given, known)
    return known
  }
}

type Convert = (value: unknown) => unknown

/**
 * Wraps conversion functions. A wrapped function throws if the given function returns a promise,
 * which would be stored or shown as an empty object.
 */
function converters(option: string, given: Readonly<Record<string, unknown>>): ReadonlyMap<string, Convert> {
  return new Map(
    Object.entries(given as Readonly<Record<string, Convert>>).map(([member, convert]) => [
      member,
      (value) => {
        const name = `${option} of "${member}" in adapterView()`
        const made = called(name, () => convert(value))
        refusePromise(name, made)
        return made
      },
    ]),
  )
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

/**
 * A call whose scope uses the names and values of the store, and whose `before` is the record of
 * the store. Getters delegate to the original call, so that the call's signal is created only when
 * it is read.
 */
class TranslatedCall implements AdapterCall {
  readonly scope: Readonly<Record<string, Scalar>>
  readonly attachTo?: ParentKey
  readonly idempotency?: Idempotency
  readonly left?: () => number
  readonly #call: AdapterCall
  readonly #sources: WeakMap<object, Row>

  constructor(call: AdapterCall, scope: Readonly<Record<string, Scalar>>, sources: WeakMap<object, Row>) {
    this.#call = call
    this.#sources = sources
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

  get current(): boolean {
    return this.#call.current ?? false
  }

  get caller(): string | undefined {
    return this.#call.caller
  }

  get action(): WriteAction | undefined {
    return this.#call.action
  }

  get before(): Row | undefined {
    const { before } = this.#call
    return typeof before === 'object' && before !== null ? this.#sources.get(before) : undefined
  }
}
