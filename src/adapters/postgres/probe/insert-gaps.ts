/**
 * Finds NOT NULL columns without a default that a create may leave without a value. A BEFORE INSERT
 * trigger can set such columns, so tables with such a trigger are not checked.
 */
import type { Shape } from '../../../definition/shape.js'
import { quote, quoteRelation, relationName } from '../sql/sql.js'
import type { CatalogColumn } from '../table/catalog.js'
import type { Member } from '../table/columns.js'
import type { Table } from '../table/table.js'

/**
 * Returns a fault for each column that needs a value but is set by no create, so every create
 * fails.
 */
export const blockedInserts = (table: Table): readonly string[] =>
  isChecked(table)
    ? blockedColumns(table).map(
        (column) =>
          `no create sets the column "${column}", which is NOT NULL: ${alterColumn(table, column)} SET DEFAULT ..., ` +
          'or DROP NOT NULL, or name it in "columns" and set it in "onCreate"',
      )
    : []

/**
 * Returns a warning for each column that needs a value, if the schema accepts records without a
 * value for the column's member. Creates of such records fail. `onCreate`, the caller's scope and a
 * parent may set any member, so resources that have one of these are not checked.
 */
export function refusableInserts(table: Table): readonly string[] {
  if (!isChecked(table) || isOpen(table)) return []
  const { layout, definition, relation, version } = table
  return layout.members.flatMap((member) => {
    const { name, column } = member
    const shape = definition.shape.members.get(name)
    const written = relation.columns.get(column ?? '')
    if (written === undefined || shape === undefined || !needsValue(written)) return []
    if (isKey(table, member) || isMoved(table, member) || shape.readOnly || column === version.assignment?.column)
      return []
    const states = emptyStates(definition.shape, name, shape)
    if (states.length === 0) return []
    return [
      `"${name}" may be ${states.join(' or ')}, and its column "${written.name}" is NOT NULL and has no default: the ` +
        `response to a POST without a value for "${name}" is 422. In the schema, ` +
        `${states.map((state) => fixes[state]).join(' and ')}, or run ${alterColumn(table, written.name)} ` +
        'SET DEFAULT ..., or DROP NOT NULL.',
    ]
  })
}

const fixes = { absent: 'list the member in "required"', null: 'remove null from its types' } as const

/** The ways in which a new record can lack a value of a member. */
function emptyStates(record: Shape, name: string, { fallback, nullable }: Shape): readonly (keyof typeof fixes)[] {
  const isFilled = fallback !== undefined && !record.conditional.has(name)
  return [...(record.required.has(name) || isFilled ? [] : ['absent' as const]), ...(nullable ? ['null' as const] : [])]
}

const isChecked = ({ relation }: Table): boolean =>
  !relation.hasInsertTrigger && (relation.kind === 'r' || relation.kind === 'p')

const needsValue = (column: CatalogColumn): boolean =>
  column.notNull && column.default === null && column.identity === '' && !column.generated

const alterColumn = ({ options }: Table, column: string): string =>
  `ALTER TABLE ${quoteRelation(relationName(options.table))} ALTER COLUMN ${quote(column)}`

/** Returns the NOT NULL columns that have no default and that no create sets. */
function blockedColumns(table: Table): readonly string[] {
  const { relation, layout, options, version, definition } = table
  const written = new Set(layout.members.filter((member) => !isLeftOut(table, member)).map(({ column }) => column))
  for (const name of definition.assigned) written.add(layout.member(name)?.column)
  written.add(options.rest)
  written.add(version.assignment?.column)
  return [...relation.columns.values()]
    .filter(needsValue)
    .map(({ name }) => name)
    .filter((name) => !written.has(name))
}

/**
 * Whether a create leaves a member unset. A request must not contain read-only members (REP-8), so
 * `onCreate`, the caller's scope or a parent has to set them.
 */
function isLeftOut(table: Table, member: Member): boolean {
  if (member.setByDatabase || isKey(table, member)) return false
  return !isOpen(table) && !isMoved(table, member) && table.definition.shape.members.get(member.name)?.readOnly === true
}

const isKey = ({ layout }: Table, { name }: Member): boolean => layout.key.some((member) => member.name === name)

/** Whether a create may set members that are not in the body of the request. */
const isOpen = ({ definition, options }: Table): boolean =>
  options.onCreate !== undefined || definition.scope !== undefined || definition.parent !== undefined

/** Whether a create in a sub-collection may set a member to the key of the parent. */
const isMoved = ({ definition }: Table, { name }: Member): boolean =>
  definition.attachedTo.some(({ by }) => by?.includes(name))
