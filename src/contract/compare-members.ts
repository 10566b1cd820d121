/** Compares the members, the items and the conditions of two shapes. */
import { isObject } from '../definition/json.js'
import type { CompareParts } from './compare-schemas.js'
import { type Comparison, type Difference, type Finding, isSentAt, type Pair } from './findings.js'
import { firstKeyword, flatten, isTrueIn, type Schema } from './flatten.js'
import type { Source } from './nodes.js'
import type { Shape } from './shape.js'
import { hasPassed } from './sunset.js'

/** The context in which the members and items of two shapes are compared. */
export interface Sides {
  readonly before: Source
  readonly after: Source
  readonly now: Date
  readonly comparison: Comparison
  readonly parts: CompareParts
}

/** A member in one of the documents: its schema, and whether it is required. */
interface Member {
  readonly schema: Schema
  readonly required: boolean
}

/** Compares the members that the schemas name, the additional members, and `dependentRequired`. */
export function compareMembers(shapes: Pair<Shape>, sides: Sides): readonly Finding[] {
  const { before, after } = shapes
  const found: Finding[] = []
  for (const name of new Set([
    ...before.properties.keys(),
    ...after.properties.keys(),
    ...before.required,
    ...after.required,
  ])) {
    for (const finding of compareMember(name, shapes, sides)) found.push(finding)
  }
  return [...found, ...compareExtra(shapes, sides), ...compareDependents(shapes)]
}

function compareMember(name: string, { before, after }: Pair<Shape>, sides: Sides): readonly Finding[] {
  const old = memberOf(before, name, sides.before, sides.comparison)
  const updated = memberOf(after, name, sides.after, sides.comparison)
  const at = (difference: Difference, rest: Partial<Finding> = {}): Finding => ({
    difference,
    path: [name],
    before: old?.schema[0] ?? before.place,
    after: updated?.schema[0] ?? after.place,
    ...rest,
  })
  if (old === undefined && updated === undefined) return []
  if (old === undefined)
    return [at(updated?.required ? 'required-member-added' : 'member-added', { before: before.place })]
  if (updated === undefined) {
    // Clients that send the object may still send the removed member if the later schema has no
    // `properties` and allows additional members.
    const isFree =
      isSentAt(sides.comparison.place) &&
      !after.isNamed &&
      !isClosed(sides.after, after.additional) &&
      !after.properties.has(name)
    return isFree ? [] : [lostMember(name, old, after, sides, at)]
  }
  const differences = sides.parts({ before: old.schema, after: updated.schema }, name)
  if (old.required === updated.required) return differences
  return [at(updated.required ? 'member-became-required' : 'member-became-optional'), ...differences]
}

function lostMember(
  name: string,
  old: Member,
  after: Shape,
  sides: Sides,
  at: (difference: Difference, rest?: Partial<Finding>) => Finding,
): Finding {
  const hidden = after.properties.get(name)
  if (hidden !== undefined)
    return at('member-hidden', { to: sides.comparison.place === 'response' ? 'write-only' : 'read-only' })
  const sunset = isTrueIn(sides.before, old.schema, 'deprecated')
    ? firstKeyword(sides.before, old.schema, 'x-sunset')
    : undefined
  return hasPassed(sunset, sides.now) ? at('member-removed-after-sunset', { from: sunset }) : at('member-removed')
}

/**
 * Returns a member, or `undefined` if the schema does not name it. Also returns `undefined` for a
 * read-only member of a request body and for a write-only member of a response body, because these
 * members are not sent.
 */
function memberOf(shape: Shape, name: string, source: Source, { place }: Comparison): Member | undefined {
  const schema = shape.properties.get(name)
  const required = shape.required.has(name)
  if (schema === undefined) return required ? { schema: [], required } : undefined
  const hidden = place === 'request' ? 'readOnly' : place === 'response' ? 'writeOnly' : undefined
  return hidden !== undefined && isTrueIn(source, schema, hidden) ? undefined : { schema, required }
}

/** Compares additional members. */
function compareExtra(
  { before, after }: Pair<Shape>,
  { parts, before: source, after: other }: Sides,
): readonly Finding[] {
  const [isOpen, staysOpen] = [!isClosed(source, before.additional), !isClosed(other, after.additional)]
  const places = { before: before.additional[0] ?? before.place, after: after.additional[0] ?? after.place }
  if (isOpen && !staysOpen) return [{ difference: 'extra-members-refused', path: [], ...places }]
  if (!isOpen && staysOpen) return [{ difference: 'extra-members-allowed', path: [], ...places }]
  return isOpen ? parts({ before: before.additional, after: after.additional }, '*') : []
}

const isClosed = (source: Source, schema: Schema): boolean =>
  flatten(source, schema).plains.some(({ value }) => value === false)

/**
 * Compares the conditions that values must match: the schemas of `contains`, `then`,
 * `propertyNames` and so on.
 */
export function compareConditions(shapes: Pair<Shape>, sides: Sides): readonly Finding[] {
  const keys = new Set([...shapes.before.conditions.keys(), ...shapes.after.conditions.keys()])
  return [...keys].flatMap((key) => compareCondition(key, shapes, sides))
}

function compareCondition(key: string, { before, after }: Pair<Shape>, { parts, ...sides }: Sides): readonly Finding[] {
  const [old, updated] = [before.conditions.get(key), after.conditions.get(key)]
  const places = { before: old?.[0] ?? before.place, after: updated?.[0] ?? after.place }
  // If an object refuses additional members, an entry of `patternProperties` allows the members
  // whose names match. Otherwise, the entry limits the values of these members.
  const isPattern = key.startsWith('patternProperties/')
  if (old === undefined && isPattern && isClosed(sides.before, before.additional))
    return [{ difference: 'extra-members-allowed', path: [], ...places }]
  if (updated === undefined && isPattern && isClosed(sides.after, after.additional))
    return [{ difference: 'extra-members-refused', path: [], ...places }]
  if (isPattern && allowsAnything(old) && allowsAnything(updated)) return []
  if (old === undefined) return [{ difference: 'condition-added', path: [], ...places, to: key }]
  if (updated === undefined) return [{ difference: 'condition-removed', path: [], ...places, from: key }]
  return parts({ before: old, after: updated })
}

/** Returns whether a schema is missing or allows everything. */
const allowsAnything = (schema: Schema | undefined): boolean =>
  (schema ?? []).every(({ value }) => value === true || (isObject(value) && Object.keys(value).length === 0))

const none: ReadonlySet<string> = new Set()

function compareDependents({ before, after }: Pair<Shape>): readonly Finding[] {
  const found: Finding[] = []
  const places = { before: before.place, after: after.place }
  for (const name of new Set([...before.dependents.keys(), ...after.dependents.keys()])) {
    const [old, updated] = [before.dependents.get(name) ?? none, after.dependents.get(name) ?? none]
    const words = `dependentRequired of "${name}"`
    if ([...updated].some((one) => !old.has(one)))
      found.push({ difference: 'condition-added', path: [], ...places, to: words })
    if ([...old].some((one) => !updated.has(one)))
      found.push({ difference: 'condition-removed', path: [], ...places, from: words })
  }
  return found
}

/**
 * Compares the items whose position has its own schema (`prefixItems`), and then the other items.
 */
export function compareItems({ before, after }: Pair<Shape>, parts: CompareParts): readonly Finding[] {
  const found: Finding[] = []
  for (let index = 0; index < Math.max(before.prefix.length, after.prefix.length); index++) {
    const pair = { before: before.prefix[index] ?? before.items, after: after.prefix[index] ?? after.items }
    for (const finding of parts(pair, `[${index}]`)) found.push(finding)
  }
  return [...found, ...parts({ before: before.items, after: after.items }, '[]')]
}
