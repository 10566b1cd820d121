/**
 * Compares the schemas of two documents: the values that the schemas allow, and annotations such as
 * defaults.
 */

import { canonicalText, isObject, own } from '../definition/json.js'
import { compareConditions, compareItems, compareMembers } from './compare-members.js'
import { compareValues } from './compare-values.js'
import { type Comparison, type Finding, isSentAt, levelAt, type SchemaPair } from './findings.js'
import { firstKeyword, flatten, keyOf, keywordOf, type Schema } from './flatten.js'
import type { Source } from './nodes.js'
import { type Shape, shapesOf } from './shape.js'

/** Compares two subschemas. `path` contains the names that lead to the subschemas. */
export type CompareParts = (pair: SchemaPair, ...path: readonly string[]) => readonly Finding[]

/** Compares the schemas of two documents. The result of each pair is cached. */
export class SchemaComparer {
  readonly #before: Source
  readonly #after: Source
  readonly #now: Date
  readonly #shapesBySchema = new Map<string, readonly Shape[]>()
  readonly #findingsByPair = new Map<string, readonly Finding[]>()
  readonly #underWay = new Map<string, number>()
  readonly #provisional = new Map<string, { readonly found: readonly Finding[]; readonly assumed: number }>()
  /**
   * A recursive schema leads back to a pair whose comparison is unfinished. Such a pair is assumed
   * to have no differences. `#assumed` is the smallest depth of such a pair in the current
   * comparison; `Infinity` if the current comparison has no such pair.
   */
  #assumed = Number.POSITIVE_INFINITY

  constructor(before: Source, after: Source, now: Date) {
    this.#before = before
    this.#after = after
    this.#now = now
  }

  /**
   * Returns the differences between two schemas. A difference inside a recursive schema is returned
   * only once.
   */
  compare({ before, after }: SchemaPair, comparison: Comparison): readonly Finding[] {
    const key = `${comparison.place} ${comparison.text} ${comparison.xml === true} ${keyOf(before)} | ${keyOf(after)}`
    const known = this.#findingsByPair.get(key)
    if (known !== undefined) return known
    const depth = this.#underWay.get(key)
    if (depth !== undefined) {
      // The schema is recursive. The outer comparison of the same pair is unfinished, and will
      // report the differences.
      this.#assumed = Math.min(this.#assumed, depth)
      return []
    }
    const provisional = this.#provisional.get(key)
    if (provisional !== undefined) {
      this.#assumed = Math.min(this.#assumed, provisional.assumed)
      return provisional.found
    }
    const level = this.#underWay.size
    const outer = this.#assumed
    this.#assumed = Number.POSITIVE_INFINITY
    this.#underWay.set(key, level)
    const found = this.#compare({ before, after }, comparison)
    this.#underWay.delete(key)
    const assumed = this.#assumed
    this.#keep(key, found, level)
    this.#assumed = assumed < level ? Math.min(outer, assumed) : outer
    return found
  }

  /**
   * Caches a result. The result is final if it does not depend on an unfinished pair. Otherwise it
   * is provisional until that pair is finished.
   */
  #keep(key: string, found: readonly Finding[], level: number): void {
    const isFinal = this.#assumed >= level
    if (isFinal) this.#findingsByPair.set(key, found)
    else this.#provisional.set(key, { found, assumed: this.#assumed })
    for (const [inner, { found: result, assumed }] of this.#provisional) {
      if (assumed < level) continue
      this.#provisional.delete(inner)
      if (!isFinal) this.#provisional.set(inner, { found: result, assumed: this.#assumed })
      // The outer pair has no differences, so the assumption was right.
      else if (found.length === 0) this.#findingsByPair.set(inner, result)
    }
  }

  #compare(pair: SchemaPair, comparison: Comparison): readonly Finding[] {
    const before = this.#shapesOf(this.#before, pair.before)
    const after = this.#shapesOf(this.#after, pair.after)
    const [onlyBefore] = before
    const [onlyAfter] = after
    const annotations = this.#annotations(pair, comparison)
    if (before.length === 0 && after.length === 0) return annotations
    if (onlyBefore === undefined)
      return [...annotations, { difference: 'type-widened', path: [], ...places(pair), from: 'nothing', to: 'any' }]
    if (onlyAfter === undefined)
      return [...annotations, { difference: 'type-narrowed', path: [], ...places(pair), from: 'any', to: 'nothing' }]
    const shapes =
      before.length === 1 && after.length === 1
        ? this.#shapes(onlyBefore, onlyAfter, comparison)
        : this.#unions(before, after, comparison)
    return withoutRepeats([...annotations, ...this.#extensible(shapes, pair)])
  }

  /**
   * Marks the new values of an extensible enum. They don't break clients, because the document
   * announces that values may be added.
   */
  #extensible(found: readonly Finding[], { before }: SchemaPair): readonly Finding[] {
    const isNew = ({ difference, path }: Finding): boolean => difference === 'value-added' && path.length === 0
    if (!found.some(isNew) || firstKeyword(this.#before, before, 'x-extensible-enum') === undefined) return found
    return found.map((finding) => (isNew(finding) ? { ...finding, difference: 'extensible-value-added' } : finding))
  }

  /**
   * Returns the alternatives of a schema. They are cached, because one schema may be compared in
   * several places.
   */
  #shapesOf(source: Source, schema: Schema): readonly Shape[] {
    const key = `${source === this.#before} ${keyOf(schema)}`
    const known = this.#shapesBySchema.get(key) ?? shapesOf(source, schema)
    this.#shapesBySchema.set(key, known)
    return known
  }

  /**
   * Compares keywords that do not limit values: defaults, XML names, discriminators, extensible
   * enums.
   */
  #annotations(pair: SchemaPair, { xml }: Comparison): readonly Finding[] {
    const found: Finding[] = []
    const [before, after] = [flatten(this.#before, pair.before).plains, flatten(this.#after, pair.after).plains]
    const declared = (keyword: string) => [keywordOf(before, keyword), keywordOf(after, keyword)] as const
    const [from, to] = declared('default')
    if (textOf(from) !== textOf(to)) found.push({ difference: 'default-changed', path: [], ...places(pair), from, to })
    const [element, newElement] = xml === true ? declared('xml').map(textOf) : []
    if (element !== newElement)
      found.push({ difference: 'xml-changed', path: [], ...places(pair), from: element, to: newElement })
    found.push(...compareDiscriminators(declared('discriminator'), pair))
    const [known, left] = declared('x-extensible-enum')
    const values = Array.isArray(left) ? left.map(canonicalText) : undefined
    for (const value of Array.isArray(known) && values !== undefined ? known : []) {
      if (values?.includes(canonicalText(value)) === false)
        found.push({ difference: 'extensible-value-removed', path: [], ...places(pair), from: value })
    }
    return found
  }

  #shapes(before: Shape, after: Shape, comparison: Comparison): readonly Finding[] {
    const parts: CompareParts = (pair, ...path) =>
      this.compare(pair, comparison).map((finding) => ({ ...finding, path: [...path, ...finding.path] }))
    const values = compareValues({ before, after }, comparison)
    if (values.some(({ difference }) => difference === 'type-changed')) return values
    const sides = { before: this.#before, after: this.#after, now: this.#now, comparison, parts }
    return [
      ...values,
      ...compareConditions({ before, after }, sides),
      ...(before.types.has('object') && after.types.has('object') ? compareMembers({ before, after }, sides) : []),
      ...(before.types.has('array') && after.types.has('array') ? compareItems({ before, after }, parts) : []),
    ]
  }

  /**
   * Pairs the alternatives of both schemas. Returns the differences of each pair, and the
   * alternatives that are left over.
   */
  #unions(before: readonly Shape[], after: readonly Shape[], comparison: Comparison): readonly Finding[] {
    const table = before.map((one) => after.map((other) => this.#shapes(one, other, comparison)))
    const isFree = (findings: readonly Finding[] | undefined): boolean =>
      findings?.every(({ difference }) => levelAt(comparison.place, difference) !== 'breaking') ?? false
    // If clients send the values, the later schema must still accept each alternative of the
    // earlier schema. If clients receive the values, the earlier schema must already contain each
    // alternative of the later schema.
    const restBefore = new Set(before.keys())
    const restAfter = new Set(after.keys())
    const found: Finding[] = []
    const pairUp = (wanted: (one: number, other: number) => boolean): void => {
      for (const one of [...restBefore]) {
        const other = [...restAfter].find((index) => wanted(one, index))
        if (other === undefined) continue
        restBefore.delete(one)
        restAfter.delete(other)
        for (const finding of table[one]?.[other] ?? []) found.push(finding)
      }
    }
    pairUp((one, other) => table[one]?.[other]?.length === 0)
    // An unchanged alternative has exactly one counterpart. A second alternative with the same
    // schema counts as new.
    const unpaired = { before: new Set(restBefore), after: new Set(restAfter) }
    pairUp((one, other) => isFree(table[one]?.[other]) && isNamedAlike(before[one], after[other]))
    pairUp((one, other) => isFree(table[one]?.[other]))
    if (isSentAt(comparison.place)) {
      for (const one of [...restBefore])
        if ([...unpaired.after].some((other) => isFree(table[one]?.[other]))) restBefore.delete(one)
    } else {
      for (const other of [...restAfter])
        if ([...unpaired.before].some((one) => isFree(table[one]?.[other]))) restAfter.delete(other)
    }
    pairUp((one, other) => isNamedAlike(before[one], after[other]))
    if (restBefore.size === 1 && restAfter.size === 1)
      pairUp((one, other) => !table[one]?.[other]?.some(({ difference }) => difference === 'type-changed'))
    for (const one of restBefore) found.push(lost(before[one]))
    for (const other of restAfter) found.push(gained(after[other]))
    return found
  }
}

/**
 * Removes a finding if it differs from an earlier finding only in its path, and both paths end with
 * the same name. If several members refer to one schema, the number of paths to a difference can
 * grow exponentially.
 */
function withoutRepeats(found: readonly Finding[]): readonly Finding[] {
  if (found.length < 2) return found
  const seen = new Map<string, Finding>()
  for (const finding of found) {
    const { difference, before, after, keyword, from, to, path } = finding
    const key = canonicalText([
      difference,
      before?.pointer ?? null,
      after?.pointer ?? null,
      keyword ?? null,
      [from, to].map((value) => (value === undefined ? [] : [value])),
      path.at(-1) ?? null,
    ])
    if (!seen.has(key)) seen.set(key, finding)
  }
  return [...seen.values()]
}

const lost = (shape: Shape | undefined): Finding => ({
  difference: 'alternative-removed',
  path: [],
  ...(shape === undefined ? {} : { before: shape.place }),
  from: alternativeName(shape),
})

const gained = (shape: Shape | undefined): Finding => ({
  difference: shape?.union === 'anyOf' ? 'any-of-added' : 'alternative-added',
  path: [],
  ...(shape === undefined ? {} : { after: shape.place }),
  to: alternativeName(shape),
})

function alternativeName(shape: Shape | undefined): string {
  const title = own(shape?.place.value, 'title')
  const name = typeof title === 'string' ? title : shape?.names[0]
  return name ?? [...(shape?.types ?? [])].join(' or ')
}

function isNamedAlike(one: Shape | undefined, other: Shape | undefined): boolean {
  const name = one?.names[0] ?? own(one?.place.value, 'title')
  return name !== undefined && name === (other?.names[0] ?? own(other?.place.value, 'title'))
}

function places({ before, after }: SchemaPair): Pick<Finding, 'before' | 'after'> {
  return { ...placeOf('before', before), ...placeOf('after', after) }
}

function placeOf(side: 'before' | 'after', [place]: Schema): Pick<Finding, 'before' | 'after'> {
  return place === undefined ? {} : { [side]: place }
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalText(value))

/**
 * Compares two discriminators: the name of the property that distinguishes the variants, and the
 * values in `mapping`. The component to which a value maps is ignored, because clients do not see
 * the component's name.
 */
function compareDiscriminators([before, after]: readonly unknown[], pair: SchemaPair): readonly Finding[] {
  const [one, other] = [before, after].map((declared) => own(declared, 'propertyName'))
  if (one !== other) return [{ difference: 'discriminator-changed', path: [], ...places(pair), from: one, to: other }]
  const [old, updated] = [before, after].map(mappingOf)
  // Without a mapping, the values are the names of components, which are not compared.
  if (old === undefined || updated === undefined) return []
  return [
    ...old
      .filter((value) => !updated.includes(value))
      .map((from) => ({ difference: 'mapping-value-removed', path: [], ...places(pair), from }) as const),
    ...updated
      .filter((value) => !old.includes(value))
      .map((to) => ({ difference: 'mapping-value-added', path: [], ...places(pair), to }) as const),
  ]
}

function mappingOf(discriminator: unknown): readonly string[] | undefined {
  const mapping = own(discriminator, 'mapping')
  return isObject(mapping) ? Object.keys(mapping).sort() : undefined
}
