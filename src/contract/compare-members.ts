/** Compares what two shapes say of members and items. */
import { isObject } from '../definition/json.js'
import type { CompareParts } from './compare-schemas.js'
import { type Comparison, type Difference, type Finding, isSentAt, type Pair } from './findings.js'
import { firstSaid, flatten, type Schema, saysTrue } from './flatten.js'
import type { Source } from './nodes.js'
import type { Shape } from './shape.js'
import { hasPassed } from './sunset.js'

/** What the comparison of parts needs to know. */
export interface Sides {
  readonly before: Source
  readonly after: Source
  readonly now: Date
  readonly comparison: Comparison
  readonly parts: CompareParts
}

/** A member of one side: what its schema says, and whether it must be there. */
interface Member {
  readonly schema: Schema
  readonly required: boolean
}

/** Members by name, and those without names. */
export function compareMembers(shapes: Pair<Shape>, sides: Sides): readonly Finding[] {
  const { before, after } = shapes
  const found: Finding[] = []
  for (const name of new Set([
    ...before.properties.keys(),
    ...after.properties.keys(),
    ...before.required,
    ...after.required,
  ])) {
    found.push(...compareMember(name, shapes, sides))
  }
  found.push(...compareExtra(shapes, sides))
  found.push(...compareDependents(shapes))
  return found
}

function compareMember(name: string, { before, after }: Pair<Shape>, sides: Sides): readonly Finding[] {
  const old = memberOf(before, name, sides.before, sides.comparison)
  const young = memberOf(after, name, sides.after, sides.comparison)
  const at = (difference: Difference, rest: Partial<Finding> = {}): Finding => ({
    difference,
    path: [name],
    before: old?.schema[0] ?? before.place,
    after: young?.schema[0] ?? after.place,
    ...rest,
  })
  if (old === undefined && young === undefined) return []
  if (old === undefined)
    return [at(young?.required ? 'required-member-added' : 'member-added', { before: before.place })]
  if (young === undefined) {
    // An object that names no members takes any.
    const isFree =
      isSentAt(sides.comparison.place) &&
      !after.isNamed &&
      !isClosed(sides.after, after.additional) &&
      !after.properties.has(name)
    return isFree ? [] : [lostMember(name, old, after, sides, at)]
  }
  const differences = sides.parts({ before: old.schema, after: young.schema }, name)
  if (old.required === young.required) return differences
  return [at(young.required ? 'member-became-required' : 'member-became-optional'), ...differences]
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
  const sunset = saysTrue(sides.before, old.schema, 'deprecated')
    ? firstSaid(sides.before, old.schema, 'x-sunset')
    : undefined
  return hasPassed(sunset, sides.now) ? at('member-removed-after-sunset', { from: sunset }) : at('member-removed')
}

/** A member as it travels this way: clients do not send what is read-only, and do not get what is write-only. */
function memberOf(shape: Shape, name: string, source: Source, { place }: Comparison): Member | undefined {
  const schema = shape.properties.get(name)
  const required = shape.required.has(name)
  if (schema === undefined) return required ? { schema: [], required } : undefined
  const hidden = place === 'request' ? 'readOnly' : place === 'response' ? 'writeOnly' : undefined
  return hidden !== undefined && saysTrue(source, schema, hidden) ? undefined : { schema, required }
}

/** Members that have no name of their own. */
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

/** Schemas that values must fit in some way: `contains`, `then`, `propertyNames`, ... */
export function compareConditions(shapes: Pair<Shape>, sides: Sides): readonly Finding[] {
  const keys = new Set([...shapes.before.conditions.keys(), ...shapes.after.conditions.keys()])
  return [...keys].flatMap((key) => compareCondition(key, shapes, sides))
}

function compareCondition(key: string, { before, after }: Pair<Shape>, { parts, ...sides }: Sides): readonly Finding[] {
  const [old, young] = [before.conditions.get(key), after.conditions.get(key)]
  const places = { before: old?.[0] ?? before.place, after: young?.[0] ?? after.place }
  // In a closed object a pattern allows members; in an open one it limits those that match.
  const isPattern = key.startsWith('patternProperties/')
  if (old === undefined && isPattern && isClosed(sides.before, before.additional))
    return [{ difference: 'extra-members-allowed', path: [], ...places }]
  if (young === undefined && isPattern && isClosed(sides.after, after.additional))
    return [{ difference: 'extra-members-refused', path: [], ...places }]
  if (isPattern && saysNothing(old) && saysNothing(young)) return []
  if (old === undefined) return [{ difference: 'condition-added', path: [], ...places, to: key }]
  if (young === undefined) return [{ difference: 'condition-removed', path: [], ...places, from: key }]
  return parts({ before: old, after: young })
}

/** Whether a schema is missing, or allows everything. */
const saysNothing = (schema: Schema | undefined): boolean =>
  (schema ?? []).every(({ value }) => value === true || (isObject(value) && Object.keys(value).length === 0))

const none: ReadonlySet<string> = new Set()

function compareDependents({ before, after }: Pair<Shape>): readonly Finding[] {
  const found: Finding[] = []
  const places = { before: before.place, after: after.place }
  for (const name of new Set([...before.dependents.keys(), ...after.dependents.keys()])) {
    const [old, young] = [before.dependents.get(name) ?? none, after.dependents.get(name) ?? none]
    const words = `dependentRequired of "${name}"`
    if ([...young].some((one) => !old.has(one)))
      found.push({ difference: 'condition-added', path: [], ...places, to: words })
    if ([...old].some((one) => !young.has(one)))
      found.push({ difference: 'condition-removed', path: [], ...places, from: words })
  }
  return found
}

/** Items by position, and those past the positions that have a schema of their own. */
export function compareItems({ before, after }: Pair<Shape>, parts: CompareParts): readonly Finding[] {
  const found: Finding[] = []
  for (let index = 0; index < Math.max(before.prefix.length, after.prefix.length); index++) {
    found.push(
      ...parts(
        { before: before.prefix[index] ?? before.items, after: after.prefix[index] ?? after.items },
        `[${index}]`,
      ),
    )
  }
  return [...found, ...parts({ before: before.items, after: after.items }, '[]')]
}
