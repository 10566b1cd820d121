/**
 * Compares the types, values, formats, bounds and patterns of two shapes, and the keywords that are
 * compared only as a whole, such as `not`.
 */
import { type Bound, boundKeyword, boundNames, compareLower, compareUpper, type Limit } from './bounds.js'
import type { Comparison, Difference, Finding, Pair } from './findings.js'
import { isOfType, type Shape, type ValueType } from './shape.js'

type Shapes = Pair<Shape>

/**
 * Returns every difference except those of members, items and conditions (the schemas of
 * `contains`, `then` and similar keywords). If one of the differences is `type-changed`, returns
 * only this difference.
 */
export function compareValues(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  const types = compareTypes(shapes, comparison)
  if (types.some(({ difference }) => difference === 'type-changed')) return types
  const { before, after } = shapes
  const isListed = before.values !== undefined && after.values !== undefined
  return [
    ...types,
    ...compareEnums(shapes, comparison),
    ...(isListed
      ? []
      : [
          ...compareFormats(shapes, comparison),
          ...compareBounds(shapes, comparison),
          ...comparePatterns(shapes, comparison),
        ]),
    ...compareOpaque(shapes),
  ]
}

function found(shapes: Shapes, difference: Difference, from?: unknown, to?: unknown, keyword?: string): Finding {
  return {
    difference,
    path: [],
    before: shapes.before.place,
    after: shapes.after.place,
    from,
    to,
    ...(keyword === undefined ? {} : { keyword }),
  }
}

/**
 * If values are sent as text, a schema that allows strings also allows the values of these types.
 */
const asText: readonly ValueType[] = ['integer', 'fraction', 'boolean']

function typesIn({ types }: Shape, { text }: Comparison): ReadonlySet<ValueType> {
  return text && types.has('string') ? new Set([...types, ...asText]) : types
}

function compareTypes(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  const { before, after } = shapes
  const [old, updated] = [typesIn(before, comparison), typesIn(after, comparison)]
  const lost = [...old].filter((type) => !updated.has(type))
  const gained = [...updated].filter((type) => !old.has(type))
  const differences: Finding[] = []
  const add = (difference: Difference): unknown =>
    differences.push(found(shapes, difference, typeText(before), typeText(after)))
  if (lost.length > 0 && gained.length > 0) return [found(shapes, 'type-changed', typeText(before), typeText(after))]
  // If both schemas enumerate their values, the comparison of values covers the types.
  const isListed = before.values !== undefined && after.values !== undefined
  if (lost.length > 0 && !isListed) add('type-narrowed')
  if (gained.length > 0 && !isListed) add('type-widened')
  if (before.nullable && !after.nullable) add('null-refused')
  if (!before.nullable && after.nullable) add('null-allowed')
  return differences
}

/** Describes the types of a shape for messages. The types have their OpenAPI names. */
function typeText({ types, nullable }: Shape): string {
  if (types.size === 6) return 'any'
  const names: string[] = [...types].filter(
    (type) => type !== 'fraction' && !(type === 'integer' && types.has('fraction')),
  )
  if (types.has('fraction')) names.push('number')
  if (nullable) names.push('null')
  return names.length === 0 ? 'nothing' : names.join(' or ')
}

function compareEnums(shapes: Shapes, { text }: Comparison): readonly Finding[] {
  const { before, after } = shapes
  if (before.values === undefined && after.values === undefined) return []
  if (before.values === undefined)
    return [found(shapes, 'enum-added', undefined, [...(after.values ?? new Map()).values()])]
  if (after.values === undefined) return [found(shapes, 'enum-removed', [...before.values.values()], undefined)]
  const keys = (values: ReadonlyMap<string, unknown>): Map<unknown, unknown> =>
    new Map([...values].map(([key, value]) => [text ? String(value) : key, value]))
  const [old, updated] = [keys(before.values), keys(after.values)]
  return [
    ...[...old].filter(([key]) => !updated.has(key)).map(([, value]) => found(shapes, 'value-removed', value)),
    ...[...updated].filter(([key]) => !old.has(key)).map(([, value]) => found(shapes, 'value-added', undefined, value)),
  ]
}

/**
 * Returns whether each of the two shapes allows at least one of these types. Otherwise the keywords
 * for these types are not compared.
 */
const share = ({ before, after }: Shapes, comparison: Comparison, types: readonly ValueType[]): boolean =>
  types.some((type) => typesIn(before, comparison).has(type)) && types.some((type) => after.types.has(type))

const aboutBound: Readonly<Record<Bound, readonly ValueType[]>> = {
  value: ['integer', 'fraction'],
  length: ['string'],
  items: ['array'],
  properties: ['object'],
  contains: ['array'],
}

/**
 * The types to which a length and a pattern apply. These are strings and, if values are sent as
 * text, also numbers and booleans.
 */
const typesOfText = ({ text }: Comparison): readonly ValueType[] => (text ? ['string', ...asText] : ['string'])

function compareFormats(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  if (!share(shapes, comparison, ['string', 'integer', 'fraction'])) return []
  const [old, updated] = [[...shapes.before.formats].sort(), [...shapes.after.formats].sort()]
  if (old.join() === updated.join()) return []
  if (old.length === 0) return [found(shapes, 'format-added', undefined, updated.join(', '))]
  if (updated.length === 0) return [found(shapes, 'format-removed', old.join(', '), undefined)]
  return [found(shapes, 'format-changed', old.join(', '), updated.join(', '))]
}

function compareBounds(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  const { before, after } = shapes
  const differences: Finding[] = []
  const integers = !before.types.has('fraction') && !after.types.has('fraction')
  for (const bound of boundNames) {
    const types = bound === 'length' ? typesOfText(comparison) : aboutBound[bound]
    if (!share(shapes, comparison, types)) continue
    const [minimum, newMinimum] = [before.bounds.lower(bound, integers), after.bounds.lower(bound, integers)]
    const [maximum, newMaximum] = [before.bounds.upper(bound, integers), after.bounds.upper(bound, integers)]
    const atMinimum = compareEnds(minimum, newMinimum, compareLower)
    const atMaximum = compareEnds(maximum, newMaximum, compareUpper)
    const add = (difference: Difference, end: 'min' | 'max', from: Limit | undefined, to: Limit | undefined): unknown =>
      differences.push(found(shapes, difference, limitText(from), limitText(to), boundKeyword(bound, end)))
    if (atMinimum < 0) add('minimum-raised', 'min', minimum, newMinimum)
    if (atMinimum > 0) add('minimum-lowered', 'min', minimum, newMinimum)
    if (atMaximum < 0) add('maximum-raised', 'max', maximum, newMaximum)
    if (atMaximum > 0) add('maximum-lowered', 'max', maximum, newMaximum)
  }
  return [...differences, ...compareMultiples(shapes, comparison), ...compareUnique(shapes, comparison)]
}

/**
 * Compares the lower ends, or the upper ends, of two ranges. The result is negative if the second
 * end is greater. A missing upper end counts as greater than any other upper end. A missing lower
 * end counts as less than any other lower end.
 */
function compareEnds(
  one: Limit | undefined,
  other: Limit | undefined,
  compare: (one: Limit, other: Limit) => number,
): number {
  const missing = compare === compareLower ? -1 : 1
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? missing : -missing
  return compare(one, other)
}

const limitText = (limit: Limit | undefined): unknown =>
  limit?.open === true ? `${limit.value} (exclusive)` : limit?.value

function compareMultiples(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  const [old, updated] = [shapes.before, shapes.after].map(multiplesOf) as [readonly number[], readonly number[]]
  if (old.join() === updated.join() || !share(shapes, comparison, ['integer', 'fraction'])) return []
  const isMultiple = (whole: number, part: number): boolean => Math.abs(whole / part - Math.round(whole / part)) < 1e-9
  const covers = (wide: readonly number[], narrow: readonly number[]): boolean =>
    wide.every((part) => narrow.some((whole) => isMultiple(whole, part)))
  const difference = covers(old, updated)
    ? 'multiple-narrowed'
    : covers(updated, old)
      ? 'multiple-widened'
      : 'multiple-changed'
  return [found(shapes, difference, listed(old), listed(updated))]
}

/**
 * The values of `multipleOf` that limit a shape. For integers, 1 and unit fractions such as 0.5 do
 * not limit the values.
 */
const multiplesOf = ({ types, bounds: { multiples } }: Shape): readonly number[] =>
  types.has('fraction') ? multiples : multiples.filter((multiple) => !Number.isInteger(1 / multiple))

const listed = (numbers: readonly number[]): unknown => (numbers.length === 0 ? undefined : numbers.join(' and '))

function compareUnique(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  const [old, updated] = [shapes.before.bounds.unique, shapes.after.bounds.unique]
  if (old === updated || !share(shapes, comparison, ['array'])) return []
  return [found(shapes, updated ? 'unique-items-required' : 'unique-items-dropped')]
}

function comparePatterns(shapes: Shapes, comparison: Comparison): readonly Finding[] {
  const { before, after } = shapes
  if (!share(shapes, comparison, typesOfText(comparison))) return []
  const lost = [...before.patterns].filter((pattern) => !after.patterns.has(pattern))
  const gained = [...after.patterns].filter((pattern) => !before.patterns.has(pattern))
  if (before.values !== undefined && gained.every((pattern) => matchesAll(pattern, before.values))) return []
  if (lost.length > 0 && gained.length > 0) return [found(shapes, 'pattern-changed', lost.join(' '), gained.join(' '))]
  if (gained.length > 0) return [found(shapes, 'pattern-added', undefined, gained.join(' '))]
  return lost.length > 0 ? [found(shapes, 'pattern-removed', lost.join(' '), undefined)] : []
}

function matchesAll(pattern: string, values: ReadonlyMap<string, unknown> | undefined): boolean {
  try {
    const expression = new RegExp(pattern, 'u')
    return [...(values?.values() ?? [])].every((value) => !isOfType(value, 'string') || expression.test(String(value)))
  } catch {
    return false
  }
}

function compareOpaque(shapes: Shapes): readonly Finding[] {
  const { before, after } = shapes
  const differences: Finding[] = []
  for (const keyword of new Set([...before.opaque.keys(), ...after.opaque.keys()])) {
    const [old, updated] = [before.opaque.get(keyword), after.opaque.get(keyword)]
    if (old === updated) continue
    if (old === undefined) differences.push(found(shapes, 'condition-added', undefined, keyword))
    else
      differences.push(
        found(shapes, updated === undefined ? 'condition-removed' : 'condition-changed', keyword, keyword),
      )
  }
  return differences
}
