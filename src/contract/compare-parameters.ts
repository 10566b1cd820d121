/**
 * Compares the parameters of an operation, in the query, the path, the header fields and the
 * cookies.
 */
import { own } from '../definition/json.js'
import { header, parameter } from '../wire.js'
import type { Change, Changes, Found, OperationName } from './changes.js'
import type { SchemaComparer } from './compare-schemas.js'
import type { Finding, Pair } from './findings.js'
import { type Schema, valueSchema } from './flatten.js'
import { levelOf, type OwnKind } from './kinds.js'
import { listChanges } from './list-changes.js'
import { child, objectAt, type Place, type Source, textAt } from './nodes.js'
import { flagChanges } from './parameter-flags.js'
import { changeOf, type Subject } from './sentences.js'
import { shapesOf } from './shape.js'
import { hasPassed, sunsetChange } from './sunset.js'

/** The context in which operations are compared. */
export interface OperationSides {
  readonly before: Source
  readonly after: Source
  readonly schemas: SchemaComparer
  readonly changes: Changes
  readonly now: Date
  readonly operation: OperationName
}

/** An operation with its path and its path item. */
export interface OperationPlace {
  readonly path: string
  readonly item: Place
  readonly operation: Place
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly place: Place
  readonly required: boolean
}

/** Compares the parameters of two operations, including those of their path items. */
export function compareParameters(pair: Pair<OperationPlace>, sides: OperationSides): void {
  const before = parametersOf(sides.before, pair.before)
  const after = parametersOf(sides.after, pair.after)
  const isList =
    ['GET', 'HEAD'].includes(sides.operation.method) &&
    [before, after].some((all) => all.has(`query ${parameter.size}`) || all.has(`query ${parameter.page}`))
  const compare = new ParameterComparison(sides, isList)
  for (const [key, old] of before) {
    const updated = after.get(key)
    if (updated === undefined) compare.removed(old)
    else compare.both(old, updated)
  }
  for (const [key, updated] of after) if (!before.has(key)) compare.added(updated)
}

/**
 * The names of header parameters that OpenAPI ignores (OpenAPI 3.1, Parameter Object).
 */
const ignored: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/**
 * Returns the parameters of an operation, keyed by location and name, such as `query sort`. Path
 * parameters are keyed by their position instead of their name.
 */
export function parametersOf(
  source: Source,
  { path, item, operation }: OperationPlace,
): ReadonlyMap<string, Parameter> {
  const found = new Map<string, Parameter>()
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
  for (const place of [...source.items(child(item, 'parameters')), ...source.items(child(operation, 'parameters'))]) {
    const name = textAt(place, 'name')
    const where = textAt(place, 'in')
    if (name === undefined || where === undefined) continue
    const lower = name.toLowerCase()
    if (where === 'header' && ignored.has(lower)) continue
    const id = where === 'header' ? lower : where === 'path' ? String(names.indexOf(name)) : name
    found.set(`${where} ${id}`, {
      name,
      in: where,
      place,
      required: where === 'path' || own(place.value, 'required') === true,
    })
  }
  for (const index of names.keys()) if (!found.has(`path ${index}`)) found.set(`path ${index}`, undescribed(item))
  return found
}

/**
 * Stands for a path parameter that the document does not describe. Such a parameter counts as a
 * string.
 */
const undescribed = (item: Place): Parameter => ({
  name: '',
  in: 'path',
  place: { value: { schema: { type: 'string' } }, pointer: `${item.pointer}/parameters` },
  required: true,
})

/**
 * For the list parameters `sort` and `q`: the kind of change if the parameter is removed, and the
 * words for the parameter in messages.
 */
const listWords: Readonly<Record<string, { readonly removed: OwnKind; readonly words: string }>> = {
  [parameter.sort]: { removed: 'sort-removed', words: 'the sort order' },
  [parameter.search]: { removed: 'search-removed', words: 'the search' },
}

class ParameterComparison {
  readonly #sides: OperationSides
  readonly #isList: boolean

  constructor(sides: OperationSides, isList: boolean) {
    this.#sides = sides
    this.#isList = isList
  }

  removed(old: Parameter): void {
    const sunset = own(old.place.value, 'deprecated') === true ? own(old.place.value, 'x-sunset') : undefined
    if (hasPassed(sunset, this.#sides.now)) {
      this.#add('parameter-removed-after-sunset', old, {
        what: `${this.#words(old)} was removed after its sunset ${String(sunset)}`,
        before: old.place,
      })
      return
    }
    this.#add(this.#removedKind(old), old, {
      what: `${this.#words(old)} was removed`,
      effect: lostWords(old),
      before: old.place,
    })
  }

  added(updated: Parameter): void {
    const [what, after] = [`${this.#words(updated)} is new`, updated.place]
    if (!updated.required)
      this.#add(this.#isFilter(updated) ? 'filter-added' : 'parameter-added', updated, { what, after })
    else if (isRequiredField(updated)) this.#requiredField(updated)
    else
      this.#add('required-parameter-added', updated, {
        what: `${what} and required`,
        effect: 'clients that leave it out get 400',
        after,
      })
  }

  both(old: Parameter, updated: Parameter): void {
    const places = { before: old.place, after: updated.place }
    if (old.in === 'path' && old.name !== updated.name && old.name !== '' && updated.name !== '') {
      const what =
        `the path parameter "${old.name}" of ${this.#operation()} is called "${updated.name}" now: generated ` +
        'methods change'
      this.#add('path-parameter-renamed', updated, { ...places, what })
    }
    if (!old.required && updated.required) {
      const what = `${this.#words(updated)} is required now`
      if (isRequiredField(updated)) this.#requiredField(updated, old)
      else
        this.#add('parameter-became-required', updated, {
          ...places,
          what,
          effect: 'clients that leave it out get 400',
        })
    }
    if (old.required && !updated.required)
      this.#add('parameter-became-optional', updated, { ...places, what: `${this.#words(updated)} is optional now` })
    for (const { kind, predicate, effect } of flagChanges(old.place, updated.place))
      this.#add(kind, updated, { ...places, what: `${this.#words(updated)} ${predicate}`, effect })
    this.#sunset(old, updated)
    this.#compareSchemas(old, updated)
  }

  #sunset(old: Parameter, updated: Parameter): void {
    const kind = sunsetChange(old.place.value, updated.place.value)
    if (kind === undefined) return
    this.#add(kind, updated, {
      before: old.place,
      after: updated.place,
      what: `the sunset of ${this.#words(updated)} ${sunsetWords(kind, updated)}`,
      effect: 'clients rely on the announced date',
    })
  }

  #compareSchemas(old: Parameter, updated: Parameter): void {
    const pair = {
      before: valueSchema(this.#sides.before, old.place),
      after: valueSchema(this.#sides.after, updated.place),
    }
    const many = this.#manyValued(pair, updated)
    const styles = [
      this.#styleOf(this.#sides.before, old, pair.before),
      this.#styleOf(this.#sides.after, updated, pair.after),
    ]
    // If a scalar becomes a list or an object, the comparison of the schemas reports the change.
    const isTypeChange = styles.includes('plain') && styles.some((style) => / (?:true|false)$/.test(style))
    if (many === undefined && styles[0] !== styles[1] && !isTypeChange) {
      const what = `${this.#words(updated)} is serialized differently (style, explode or content)`
      this.#add('parameter-style-changed', updated, {
        before: old.place,
        after: updated.place,
        what,
        effect: 'clients that send it as before get 400',
      })
      return
    }
    if (many !== undefined)
      this.#add('parameter-became-many-valued', updated, {
        before: old.place,
        after: updated.place,
        what: `${this.#words(updated)} accepts several values now`,
      })
    const findings = many ?? this.#sides.schemas.compare(pair, { place: 'parameter', text: !isContent(updated) })
    for (const finding of findings) {
      // The default of a required parameter is never used.
      if (finding.difference === 'default-changed' && old.required && updated.required) continue
      for (const found of this.#listChanges(finding, updated) ?? [
        changeOf(finding, { place: 'parameter' }, this.#subject(updated)),
      ])
        this.#sides.changes.add(found)
    }
  }

  /**
   * If a parameter took one value and now takes a list of values, returns the differences between
   * the schema of the value and the schema of the items. Otherwise returns `undefined`. Applies
   * only to a query parameter whose name is repeated for each item of the list (QUERY-1).
   */
  #manyValued(pair: Pair<Schema>, updated: Parameter): readonly Finding[] | undefined {
    const { before, after, schemas } = this.#sides
    const [old] = shapesOf(before, pair.before)
    const shapes = shapesOf(after, pair.after)
    const [list] = shapes
    if (old === undefined || list === undefined || shapes.length > 1 || isContent(updated)) return undefined
    const isScalar = !old.types.has('array') && !old.types.has('object')
    const isManyNow =
      list.types.size === 1 && list.types.has('array') && (list.bounds.lower('items', true)?.value ?? 0) <= 1
    if (
      !isScalar ||
      !isManyNow ||
      list.prefix.length > 0 ||
      updated.in !== 'query' ||
      !this.#styleOf(after, updated, pair.after).startsWith('form true')
    )
      return undefined
    return schemas.compare({ before: pair.before, after: list.items }, { place: 'parameter', text: true })
  }

  /**
   * Returns a string that identifies how the values of a parameter are serialized. For scalars, the
   * string does not contain `explode`, because `explode` does not change how scalars are
   * serialized. The string is `plain` if a scalar is sent as it is.
   */
  #styleOf(source: Source, { place, in: where }: Parameter, schema: Schema): string {
    if (isContent({ place })) {
      const types = Object.keys(objectAt(source.member(place, 'content'))).join()
      return types === 'text/plain' ? 'plain' : `content ${types}`
    }
    const isPlain = shapesOf(source, schema).every(
      ({ types }) => types.size === 6 || (!types.has('array') && !types.has('object')),
    )
    const usual = where === 'query' || where === 'cookie' ? 'form' : 'simple'
    const style = textAt(place, 'style') ?? usual
    const explode = own(place.value, 'explode') ?? style === 'form'
    if (isPlain) return style === 'label' || style === 'matrix' ? style : 'plain'
    return `${style} ${String(explode)}`
  }

  /**
   * Converts a finding to changes of the kinds that the conventions define. Returns `undefined` if
   * the conventions define no kind for the finding.
   */
  #listChanges(finding: Finding, updated: Parameter): readonly Found[] | undefined {
    const isList = this.#isList || updated.name === parameter.expand
    const of = this.#isList ? this.#collection() : this.#operation()
    const changes = updated.in === 'query' && isList ? listChanges(finding, updated.name, of) : undefined
    return changes?.map(({ kind, ...rest }) =>
      this.#found(kind, updated, { before: finding.before, after: finding.after, ...rest }),
    )
  }

  #requiredField(updated: Parameter, old?: Parameter): void {
    const { kind, status } = requiredFields[updated.name.toLowerCase()] ?? requiredIfMatch
    this.#add(kind, updated, {
      before: old?.place,
      after: updated.place,
      what: `${this.#operation()} requires the header ${updated.name} now`,
      effect: `clients that leave it out get ${status}`,
    })
  }

  #isFilter({ in: where, name }: Parameter): boolean {
    const known: readonly string[] = Object.values(parameter)
    return this.#isList && where === 'query' && !known.includes(name)
  }

  #removedKind(old: Parameter): OwnKind {
    if (old.in !== 'query') return 'parameter-removed'
    if (old.name === parameter.expand) return 'expand-removed'
    if (this.#isList && Object.hasOwn(listWords, old.name)) return listWords[old.name]?.removed ?? 'parameter-removed'
    return this.#isFilter(old) ? 'filter-removed' : 'parameter-removed'
  }

  #words(one: Parameter): string {
    if (this.#isFilter(one)) return `the filter "${one.name}" of ${this.#collection()}`
    const words = this.#isList && one.in === 'query' ? listWords[one.name]?.words : undefined
    if (words !== undefined) return `${words} ("${one.name}") of ${this.#collection()}`
    return `the ${one.in === 'header' ? 'request header' : `${one.in} parameter`} "${one.name}" of ${this.#operation()}`
  }

  #subject(one: Parameter): Subject {
    return { operation: this.#sides.operation, words: this.#words(one), place: placeOf(one) }
  }

  /** The collection of a list: the last segment of its path that is not a parameter. */
  #collection(): string {
    const names = this.#sides.operation.path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'))
    return names.at(-1) ?? this.#sides.operation.path
  }

  #operation(): string {
    return `${this.#sides.operation.method} ${this.#sides.operation.path}`
  }

  #found(kind: OwnKind, one: Parameter, rest: Pick<Found, 'what' | 'effect' | 'before' | 'after' | 'detail'>): Found {
    const { effect, ...others } = rest
    const level: Change['level'] = levelOf(kind)
    return {
      kind,
      level,
      operation: this.#sides.operation,
      place: placeOf(one),
      ...others,
      ...(level === 'breaking' && effect !== undefined ? { effect } : {}),
    }
  }

  #add(kind: OwnKind, one: Parameter, rest: Pick<Found, 'what' | 'effect' | 'before' | 'after' | 'detail'>): void {
    this.#sides.changes.add(this.#found(kind, one, rest))
  }
}

const isContent = ({ place }: Pick<Parameter, 'place'>): boolean => own(place.value, 'content') !== undefined

const placeOf = ({ in: where, name }: Parameter): string => `${where} "${name}"`

const requiredIfMatch = { kind: 'if-match-required', status: 428 } as const

const requiredFields: Readonly<Record<string, { readonly kind: OwnKind; readonly status: number }>> = {
  [header.ifMatch.toLowerCase()]: requiredIfMatch,
  [header.idempotencyKey.toLowerCase()]: { kind: 'idempotency-key-required', status: 400 },
}

const isRequiredField = ({ in: where, name }: Parameter): boolean =>
  where === 'header' && Object.hasOwn(requiredFields, name.toLowerCase())

const lostWords = ({ in: where }: Parameter): string =>
  where === 'query' ? 'clients that send it get 400' : 'the value that clients send is ignored'

const sunsetWords = (kind: OwnKind, { place }: Parameter): string =>
  kind === 'sunset-removed' ? 'was removed' : `is ${String(own(place.value, 'x-sunset'))} now, which is earlier`
