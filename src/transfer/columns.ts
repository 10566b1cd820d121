/**
 * The columns of a resource's records, in formats that consist of rows and cells. Each column
 * corresponds to one path in a representation, so that an import restores what an export has
 * written (REP-7).
 */

import type { Link, LinkTo } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import type { Mounted } from '../plan/routes.js'

/** The content of a cell. `json` is the JSON text of a value of any type. */
type CellKind = 'text' | 'number' | 'boolean' | 'json'

/** A column, which corresponds to one path in a representation. */
export interface Column {
  /**
   * The names of the members on the path to the value, joined by dots. Dots and backslashes in a
   * name are escaped with a backslash.
   */
  readonly name: string
  readonly path: readonly string[]
  readonly kind: CellKind
  /** True if an empty cell means null. False if it means that the member is absent. */
  readonly nullable: boolean
  /**
   * True for strings with the format `decimal` or `int64`. If such a string is a number, it is not
   * escaped as a formula.
   */
  readonly numeric: boolean
  /** For each object on the path: the value of the object if all of its cells are empty. */
  readonly whenEmpty: readonly EmptyValue[]
}

/** The value of an object whose cells are all empty. */
type EmptyValue = 'object' | 'null' | 'absent'

/**
 * The position of columns: the names of the enclosing objects, and the value that each of these
 * objects has if all of its cells are empty.
 */
interface At {
  readonly path: readonly string[]
  readonly whenEmpty: readonly EmptyValue[]
}

const below = ({ path, whenEmpty }: At, name: string, empty: EmptyValue): At => ({
  path: [...path, name],
  whenEmpty: [...whenEmpty, empty],
})
const top: At = { path: [], whenEmpty: [] }

/**
 * The columns of a resource, in the order of the representation. The associations in `expand` are
 * expanded.
 */
export function columnsOf(resource: Mounted, expand: readonly string[] = []): readonly Column[] {
  return distinct(recordColumns(resource, top, expand))
}

/**
 * The columns that an import accepts: the columns of all possible exports of the resource, the keys
 * of link targets, and the columns of top-level `writeOnly` members, which no export contains.
 */
export function columnsToRead(resource: Mounted): readonly Column[] {
  const { plan, targets } = resource
  const writeOnly = [...plan.definition.shape.members].filter(([, member]) => member.writeOnly)
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
    ...writeOnly.flatMap(([name, member]) => memberColumns(member, top, name, false)),
    ...keys,
  ])
}

/**
 * A column as OpenAPI documents describe it. A column with `expand` is present only in exports that
 * expand this association.
 */
interface DescribedColumn {
  readonly name: string
  /**
   * The kind of the column's cells. It is not called `type`, because linters would mistake this
   * object for a schema.
   */
  readonly cell: CellKind
  readonly expand?: string
}

/** The columns that exports of a resource can have. */
export function columnsToDescribe(resource: Mounted): readonly DescribedColumn[] {
  const always = columnsOf(resource)
  const names = new Set(always.map(({ name }) => name))
  return distinct([...always, ...columnsOf(resource, resource.plan.list.expandable)]).map(({ name, kind, path }) => ({
    name,
    cell: kind,
    ...(names.has(name) ? {} : { expand: path[0] as string }),
  }))
}

/** Keeps only the first of several columns with the same name. */
function distinct(columns: readonly Column[]): readonly Column[] {
  const named = new Map<string, Column>()
  for (const column of columns) if (!named.has(column.name)) named.set(column.name, column)
  return [...named.values()]
}

const columnName = (path: readonly string[]): string => path.map((name) => name.replace(/[\\.]/g, '\\$&')).join('.')

function columnAt(
  { path: above, whenEmpty }: At,
  last: string,
  kind: CellKind,
  nullable: boolean,
  numeric = false,
): Column {
  const path = [...above, last]
  return { name: columnName(path), path, kind, nullable, numeric, whenEmpty }
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
  if (link.kind === 'sub') return [columnAt(below(at, name, 'absent'), 'href', 'text', false)]
  if (link.kind === 'external') {
    const member = resource.plan.definition.shape.members.get(name)
    return member === undefined ? [columnAt(at, name, 'json', true)] : memberColumns(member, at, name, false)
  }
  const target = resource.targets.get(name) as Mounted
  const inside = below(at, name, 'null')
  const brief = [columnAt(inside, 'href', 'text', false), ...shownColumns(target, link, inside)]
  if (!expand.includes(name)) return brief
  // If the target's schema allows undeclared members, not every member could have a column. The
  // whole target is therefore one JSON cell.
  if (target.plan.open) return [columnAt(at, name, 'json', true)]
  // A link is not expanded if its target does not exist or is not visible to the caller, so the
  // columns of the plain link are needed, too.
  return [...brief, ...recordColumns(target, inside, [])]
}

function shownColumns(target: Mounted, { show }: LinkTo, at: At): readonly Column[] {
  const { members } = target.plan.definition.shape
  return show.flatMap((name) => {
    const member = members.get(name)
    return member === undefined || member.writeOnly ? [] : memberColumns(member, at, name, false)
  })
}

/** Whether a member is always present and never null. */
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
  if (type !== 'object' || !canHaveColumns(member, certain, within)) return [columnAt(at, name, 'json', nullable)]
  const inside = below(at, name, certain ? 'object' : nullable ? 'null' : 'absent')
  const seen = new Set([...within, member])
  return [...member.members].flatMap(([inner, shape]) =>
    shape.writeOnly ? [] : memberColumns(shape, inside, inner, isCertain(member, inner, shape), seen),
  )
}

/** Whether a string contains a number that a double might not represent exactly. */
const isNumeric = ({ format }: Shape): boolean => format === 'decimal' || format === 'int64'

/**
 * Whether an object can have a column for each of its members. All members must be declared. If all
 * cells are empty, it must still be clear whether the object is absent or contains only nulls.
 */
function canHaveColumns(member: Shape, certain: boolean, within: ReadonlySet<Shape>): boolean {
  if (member.hasOthers || member.members.size === 0 || within.has(member)) return false
  return certain || hasRequiredCell(member, new Set([...within, member]))
}

/** Whether the object has a member whose cell is never empty while the object is present. */
function hasRequiredCell(object: Shape, within: ReadonlySet<Shape>): boolean {
  return [...object.members].some(([name, member]) => {
    if (member.writeOnly || !isCertain(object, name, member) || within.has(member)) return false
    if (!member.isObject || member.types.size > 1 || member.hasOthers || member.members.size === 0) return true
    return hasRequiredCell(member, new Set([...within, member]))
  })
}
