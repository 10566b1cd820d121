/**
 * The columns of a resource's records in formats that know rows and cells alone. Every place of a
 * representation has one column, so that an import gives back what an export took (REP-7).
 */

import type { Link, LinkTo } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import type { Mounted } from '../plan/routes.js'

/** What a cell holds: `json` is the JSON text of a value, of any type. */
type CellKind = 'text' | 'number' | 'boolean' | 'json'

/** One column: a place of the record on the wire. */
export interface Column {
  /** The names on the way to the value, joined by dots; a dot or backslash in a name follows a backslash. */
  readonly name: string
  readonly path: readonly string[]
  readonly kind: CellKind
  /** True where an empty cell stands for null; else it stands for a member that is not there. */
  readonly nullable: boolean
  /** True for texts that are numbers, such as decimals: they are never taken for formulas. */
  readonly numeric: boolean
  /** What empty cells stand for, of each object on the way: an object all the same, null, or nothing. */
  readonly way: readonly Missing[]
}

/** What stands in the place of an object of which all cells are empty. */
type Missing = 'object' | 'null' | 'nothing'

/** Where columns begin: the names and objects above them. */
interface At {
  readonly path: readonly string[]
  readonly way: readonly Missing[]
}

const below = ({ path, way }: At, name: string, missing: Missing): At => ({
  path: [...path, name],
  way: [...way, missing],
})
const top: At = { path: [], way: [] }

/** The columns of a resource with these associations expanded, in the order of the wire. */
export function columnsOf(resource: Mounted, expand: readonly string[] = []): readonly Column[] {
  return distinct(recordColumns(resource, top, expand))
}

/**
 * The columns that an import takes: all that any export of the resource has, members that no export
 * has because they are `writeOnly`, and the keys that links lead to.
 */
export function columnsToRead(resource: Mounted): readonly Column[] {
  const { plan, targets } = resource
  const secret = [...plan.definition.shape.members].filter(([, member]) => member.writeOnly)
  const keys = plan.associations.flatMap(({ name }) => {
    const target = targets.get(name) as Mounted
    const { shape, key } = target.plan.definition
    return key.members.flatMap((part) =>
      memberColumns(shape.members.get(part) as Shape, below(top, name, 'null'), part, false),
    )
  })
  return distinct([
    ...columnsOf(resource),
    ...columnsOf(resource, plan.list.expandable),
    ...secret.flatMap(([name, member]) => memberColumns(member, top, name, false)),
    ...keys,
  ])
}

/** A column as a document has it: `expand` is the association that an export has to expand to have it. */
interface ToldColumn {
  readonly name: string
  /** Not called `type`: linters take what has one for a schema. */
  readonly cell: CellKind
  readonly expand?: string
}

/** The columns that exports of a resource may have. */
export function columnsToTell(resource: Mounted): readonly ToldColumn[] {
  const always = columnsOf(resource)
  const names = new Set(always.map(({ name }) => name))
  return distinct([...always, ...columnsOf(resource, resource.plan.list.expandable)]).map(({ name, kind, path }) => ({
    name,
    cell: kind,
    ...(names.has(name) ? {} : { expand: path[0] as string }),
  }))
}

/** Of columns of one name the first. */
function distinct(columns: readonly Column[]): readonly Column[] {
  const named = new Map<string, Column>()
  for (const column of columns) if (!named.has(column.name)) named.set(column.name, column)
  return [...named.values()]
}

const columnName = (path: readonly string[]): string => path.map((name) => name.replace(/[\\.]/g, '\\$&')).join('.')

function columnAt({ path: above, way }: At, last: string, kind: CellKind, nullable: boolean, numeric = false): Column {
  const path = [...above, last]
  return { name: columnName(path), path, kind, nullable, numeric, way }
}

function recordColumns(resource: Mounted, at: At, expand: readonly string[]): readonly Column[] {
  const { plan } = resource
  const { shape } = plan.definition
  return plan.fields.flatMap((field) => {
    if (field.kind === 'link') return linkColumns(resource, field.link, at, expand)
    const member = shape.members.get(field.name) as Shape
    return memberColumns(member, at, field.name, isCertain(shape, field.name, member))
  })
}

function linkColumns(resource: Mounted, link: Link, at: At, expand: readonly string[]): readonly Column[] {
  const { name } = link
  if (link.kind === 'sub') return [columnAt(below(at, name, 'nothing'), 'href', 'text', false)]
  if (link.kind === 'external') {
    const member = resource.plan.definition.shape.members.get(name)
    return member === undefined ? [columnAt(at, name, 'json', true)] : memberColumns(member, at, name, false)
  }
  const target = resource.targets.get(name) as Mounted
  const inside = below(at, name, 'null')
  const brief = [columnAt(inside, 'href', 'text', false), ...shownColumns(target, link, inside)]
  if (!expand.includes(name)) return brief
  // What the schema of the target does not name has no column.
  if (target.plan.open) return [columnAt(at, name, 'json', true)]
  // A link that leads to nothing, or to what the caller may not see, stays a link.
  return [...brief, ...recordColumns(target, inside, [])]
}

function shownColumns(target: Mounted, { show }: LinkTo, at: At): readonly Column[] {
  const { members } = target.plan.definition.shape
  return show.flatMap((name) => {
    const member = members.get(name)
    return member === undefined || member.writeOnly ? [] : memberColumns(member, at, name, false)
  })
}

/** A member that is always there, and never null. */
const isCertain = (owner: Shape, name: string, member: Shape): boolean =>
  owner.required.has(name) && !owner.conditional.has(name) && !member.nullable && !member.untyped

function memberColumns(
  member: Shape,
  at: At,
  name: string,
  certain: boolean,
  within: ReadonlySet<Shape> = new Set(),
): readonly Column[] {
  const [type, ...others] = member.types
  const { nullable } = member
  if (type === undefined || others.length > 0 || member.untyped) return [columnAt(at, name, 'json', nullable)]
  if (type === 'string') return [columnAt(at, name, 'text', nullable, isNumeric(member))]
  if (type === 'boolean') return [columnAt(at, name, 'boolean', nullable)]
  if (type === 'number' || type === 'integer') return [columnAt(at, name, 'number', nullable)]
  if (type !== 'object' || !spreads(member, certain, within)) return [columnAt(at, name, 'json', nullable)]
  const inside = below(at, name, certain ? 'object' : nullable ? 'null' : 'nothing')
  const seen = new Set([...within, member])
  return [...member.members].flatMap(([inner, shape]) =>
    shape.writeOnly ? [] : memberColumns(shape, inside, inner, isCertain(member, inner, shape), seen),
  )
}

/** Texts that stand for numbers, which a double can't hold. */
const isNumeric = ({ format }: Shape): boolean => format === 'decimal' || format === 'int64'

/**
 * True where an object may have a column for each of its members: where they are all known, and where
 * empty cells can't stand both for no object and for an object of nulls.
 */
function spreads(member: Shape, certain: boolean, within: ReadonlySet<Shape>): boolean {
  if (member.hasOthers || member.members.size === 0 || within.has(member)) return false
  return certain || hasWitness(member, new Set([...within, member]))
}

/** True where some cell of the object's is never empty as long as there is an object. */
function hasWitness(object: Shape, within: ReadonlySet<Shape>): boolean {
  return [...object.members].some(([name, member]) => {
    if (member.writeOnly || !isCertain(object, name, member) || within.has(member)) return false
    if (!member.isObject || member.types.size > 1 || member.hasOthers || member.members.size === 0) return true
    return hasWitness(member, new Set([...within, member]))
  })
}
