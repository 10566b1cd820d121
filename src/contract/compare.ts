/**
 * Compares two OpenAPI documents of one version, and classifies the changes by their effect on
 * clients.
 */
import { canonicalText, own } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { type Addresses, addressesOf, movedOperation, operationsOf, type PathItem } from './addresses.js'
import { filesMember } from './bundle.js'
import { type Change, Changes, type VersionWords } from './changes.js'
import { compareRequestBodies, compareResponses } from './compare-bodies.js'
import { compareDeliveries } from './compare-deliveries.js'
import { compareParameters, type OperationPlace, type OperationSides } from './compare-parameters.js'
import { SchemaComparer } from './compare-schemas.js'
import { compareSecurity } from './compare-security.js'
import { levelOf, type OwnKind } from './kinds.js'
import { child, type Place, Source, textAt } from './nodes.js'
import { hasPassed, sunsetChange } from './sunset.js'

/** Options of `compareContracts`. */
export interface CompareOptions {
  /**
   * The name of the version in the sentences about changes. Default: `info.version` of the earlier
   * document, if it is a name such as `v1`.
   */
  readonly version?: string
  /**
   * The version that the sentences recommend for breaking changes. Default: the version with the
   * next number, such as `v2`. If the version has no number: `a new version`.
   */
  readonly next?: string
  /** The time at which sunsets are evaluated. Default: now. */
  readonly now?: Date
}

export const compareKinds: Kinds<CompareOptions> = {
  version: 'string',
  next: 'string',
  now: { by: 'a Date', is: (value) => value instanceof Date && !Number.isNaN(value.getTime()) },
}

/**
 * Returns the changes between two OpenAPI documents (3.0 or 3.1) of one version, breaking changes
 * first. Descriptions and examples are not compared. A change that makes requests more permissive
 * or responses more specific does not break clients. Different spellings of the same contract
 * (`$ref` or inline, `allOf` or one object, another order) do not count as changes.
 *
 * Throws `DocumentError` if an argument is not an OpenAPI document, or if a reference can't be
 * resolved. Throws `ConfigurationError` `invalid-option` for a wrong option.
 *
 * @example const breaking = compareContracts(released, openapi(service, 'v1')).filter((change) => change.breaking)
 */
export function compareContracts(before: unknown, after: unknown, options: CompareOptions = {}): readonly Change[] {
  checkOptions('compareContracts()', options, compareKinds)
  const { now = new Date() } = options
  const [old, updated] = [new Source(before), new Source(after)]
  const changes = new Changes(wordsOf(old, options))
  const comparison = new DocumentComparison(old, updated, changes, now)
  comparison.basePath()
  comparison.sunset()
  comparison.paths()
  comparison.webhooks()
  comparison.components()
  return changes.all()
}

function wordsOf(source: Source, { version, next }: CompareOptions): VersionWords {
  const declared = version ?? textAt(source.member(source.root, 'info'), 'version')
  const number = declared === undefined ? undefined : /^v(\d+)$/.exec(declared)?.[1]
  const following = next ?? (number === undefined ? 'a new version' : `v${Number(number) + 1}`)
  return number === undefined && version === undefined
    ? { next: following }
    : { version: declared ?? '', next: following }
}

class DocumentComparison {
  readonly #before: Source
  readonly #after: Source
  readonly #changes: Changes
  readonly #now: Date
  readonly #schemas: SchemaComparer
  readonly #addresses: Addresses
  /**
   * Whether the components and other shared parts are the same in both documents, and all
   * references lead to these parts. If so, path items that are equal as JSON are skipped.
   */
  readonly #sharesAll: boolean

  constructor(before: Source, after: Source, changes: Changes, now: Date) {
    this.#before = before
    this.#after = after
    this.#changes = changes
    this.#now = now
    this.#schemas = new SchemaComparer(before, after, now)
    this.#addresses = addressesOf(before, after)
    this.#sharesAll =
      ['components', 'security', 'openapi', filesMember].every((name) =>
        isSame(own(before.root.value, name), own(after.root.value, name)),
      ) && [before, after].every(({ root }) => refersToSharedParts(root.value))
  }

  basePath(): void {
    const { moved } = this.#addresses
    if (moved === undefined) return
    this.#add('base-path-changed', {
      ...this.#both('servers'),
      what: `the service is served below ${moved.to.join(' and ')} in place of ${moved.from.join(' and ')}`,
      effect: 'clients that call the previous address get 404',
    })
  }

  /** Compares the sunset of the whole version. */
  sunset(): void {
    const [old, updated] = [this.#before, this.#after].map(documentSunset)
    const isDeprecated = [...this.#addresses.after.values()].some(({ item }) =>
      [...operationsOf(this.#after, item).values()].some(({ value }) => own(value, 'deprecated') === true),
    )
    const kind = sunsetChange(
      { 'x-sunset': old },
      { 'x-sunset': updated, deprecated: isDeprecated || updated !== undefined },
    )
    if (kind === undefined) return
    const what =
      'the sunset of the version ' +
      `${kind === 'sunset-removed' ? `(${String(old)}) was removed` : `is ${String(updated)} in place of ${String(old)}`}`
    this.#add(kind, { ...this.#both('x-sunset'), what, effect: 'clients rely on the announced date' })
  }

  paths(): void {
    const { before: old, after: updated } = this.#addresses
    for (const [shape, before] of old) {
      const after = updated.get(shape)
      if (after === undefined) this.#lostPath(before)
      else this.#path(before, after)
    }
    for (const [shape, { path, item }] of updated) {
      if (!old.has(shape))
        for (const [method, place] of operationsOf(this.#after, item)) this.#gained(path, method, place)
    }
  }

  #lostPath({ path, item }: PathItem): void {
    const operations = operationsOf(this.#before, item)
    const left = [...operations].filter(([, place]) => !this.#isOver(place))
    for (const [method, place] of operations) if (this.#isOver(place)) this.#lost(path, method, place)
    if (left.length === 0) return
    const names = enumeration(left.map(([method, place]) => `${method}${this.#early(place, ['(', ')'])}`))
    this.#add('path-removed', {
      before: item,
      place: path,
      what: `the path ${path} was removed with its ${left.length === 1 ? 'operation' : 'operations'} ${names}`,
      effect: 'clients that call it get 404',
    })
  }

  #path(before: PathItem, after: PathItem): void {
    if (this.#sharesAll && before.path === after.path && isSame(before.item.value, after.item.value)) return
    const [old, updated] = [operationsOf(this.#before, before.item), operationsOf(this.#after, after.item)]
    for (const [method, place] of old) {
      const other = updated.get(method)
      if (other === undefined) this.#lost(before.path, method, place)
      else
        this.#operation({ method, path: before.path }, { ...before, operation: place }, { ...after, operation: other })
    }
    for (const [method, place] of updated) if (!old.has(method)) this.#gained(after.path, method, place)
  }

  #isOver(operation: Place): boolean {
    const sunset = own(operation.value, 'deprecated') === true ? own(operation.value, 'x-sunset') : undefined
    return hasPassed(sunset ?? documentSunset(this.#before), this.#now)
  }

  #early(operation: Place, [open, close] = ['', '']): string {
    const sunset = own(operation.value, 'x-sunset')
    const isEarly = typeof sunset === 'string' && !hasPassed(sunset, this.#now)
    return isEarly ? ` ${open}before its sunset ${sunset}${close}` : ''
  }

  #lost(path: string, method: string, place: Place): void {
    const what = `${method} ${path} was removed`
    const rest = { before: place, place: 'operation', operation: { method, path } }
    if (this.#isOver(place)) this.#add('operation-removed-after-sunset', { ...rest, what: `${what} after its sunset` })
    else
      this.#add('operation-removed', {
        ...rest,
        what: `${what}${this.#early(place)}`,
        effect: 'clients that call it get 405',
      })
  }

  #gained(path: string, method: string, place: Place): void {
    this.#add('operation-added', {
      after: place,
      place: 'operation',
      operation: { method, path },
      what: `${method} ${path} is new`,
    })
  }

  #operation(
    operation: { readonly method: string; readonly path: string },
    before: OperationPlace,
    after: OperationPlace,
  ): void {
    const sides: OperationSides = { ...this.#deliverySides(), operation }
    const moved = movedOperation({ before, after }, [this.#before, this.#after])
    if (moved !== undefined) {
      this.#add('base-path-changed', {
        ...{ before: before.operation, after: after.operation, place: 'servers', operation },
        what:
          `${operation.method} ${operation.path} is served below ${moved.to.join(' and ')} in place of ` +
          `${moved.from.join(' and ')}`,
        effect: 'clients that call the previous address get 404',
      })
    }
    compareParameters({ before, after }, sides)
    compareRequestBodies(before.operation, after.operation, sides)
    compareResponses(before.operation, after.operation, sides)
    compareSecurity(before.operation, after.operation, sides)
    this.#life(operation, before.operation, after.operation)
    const callbacks = {
      before: this.#before.member(before.operation, 'callbacks'),
      after: this.#after.member(after.operation, 'callbacks'),
    }
    compareDeliveries(callbacks, `the callback of ${operation.method} ${operation.path}`, sides)
  }

  /** Compares the deprecation, the sunset and the id of an operation. */
  #life(operation: { readonly method: string; readonly path: string }, before: Place, after: Place): void {
    const of = `${operation.method} ${operation.path}`
    const rest = { before, after, place: 'operation', operation }
    const [was, is] = [before, after].map(({ value }) => own(value, 'deprecated') === true)
    if (!was && is) this.#add('operation-deprecated', { ...rest, what: `${of} is deprecated` })
    if (was && !is) this.#add('operation-undeprecated', { ...rest, what: `${of} is no longer deprecated` })
    const kind = sunsetChange(before.value, after.value)
    const sunset = String(own(after.value, 'x-sunset'))
    if (kind !== undefined) {
      const what = `the sunset of ${of} ${kind === 'sunset-removed' ? 'was removed' : `is ${sunset} now, which is earlier`}`
      this.#add(kind, { ...rest, what, effect: 'clients rely on the announced date' })
    }
    const [id, newId] = [textAt(before, 'operationId'), textAt(after, 'operationId')]
    if (id !== undefined && id !== newId) {
      const what =
        `the operation id "${id}" of ${of} ${newId === undefined ? 'was removed' : `is "${newId}" now`}: ` +
        'generated methods have another name'
      this.#add('operation-id-changed', { ...rest, what })
    }
  }

  webhooks(): void {
    const pair = {
      before: this.#before.member(this.#before.root, 'webhooks'),
      after: this.#after.member(this.#after.root, 'webhooks'),
    }
    compareDeliveries(pair, 'the webhook', this.#deliverySides())
  }

  #deliverySides(): Omit<OperationSides, 'operation'> {
    return { before: this.#before, after: this.#after, schemas: this.#schemas, changes: this.#changes, now: this.#now }
  }

  /**
   * Compares the names of schema components. Generated clients use these names as names of types.
   */
  components(): void {
    const [old, updated] = [this.#before, this.#after].map((source) =>
      source.member(source.root, 'components', 'schemas'),
    )
    const names = new Set(Object.keys(updated?.value ?? {}))
    for (const name of Object.keys(old?.value ?? {})) {
      if (names.has(name) || old === undefined) continue
      this.#add('component-removed', {
        before: child(old, name),
        place: `schema "${name}"`,
        what: `the schema component "${name}" was removed: generated clients lose its type`,
      })
    }
  }

  #both(name: string): { readonly before: Place; readonly after: Place; readonly place: string } {
    return { before: child(this.#before.root, name), after: child(this.#after.root, name), place: name }
  }

  #add(kind: OwnKind, rest: Omit<Parameters<Changes['add']>[0], 'kind' | 'level'>): void {
    const { effect, ...others } = rest
    const level = levelOf(kind)
    this.#changes.add({ kind, level, ...others, ...(level === 'breaking' && effect !== undefined ? { effect } : {}) })
  }
}

/**
 * Whether all references lead to `components` or to bundled files. With any other reference, for
 * example to a schema in another path item, path items that are equal as JSON can have different
 * meanings.
 */
const refersToSharedParts = (document: unknown): boolean =>
  !new RegExp(`"\\$(?:ref|dynamicRef)":"(?!#/(?:components|${filesMember})/)`).test(JSON.stringify(document))

/** Joins names: `a, b and c`. */
const enumeration = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const isSame = (one: unknown, other: unknown): boolean => canonicalText([one]) === canonicalText([other])

/**
 * Returns the sunset of a version: `x-sunset` at the root of the document, otherwise `x-sunset` in
 * `info`.
 */
export function documentSunset(source: Source): unknown {
  return own(source.root.value, 'x-sunset') ?? own(own(source.root.value, 'info'), 'x-sunset')
}
