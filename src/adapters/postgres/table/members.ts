/** Determines how the table of a resource stores each member, and collects all faults. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import { nearMiss } from '../../../near-miss.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { relationName } from '../sql/sql.js'
import { columnWarning, ignoredWarning, nullableKeyWarning } from './column-warnings.js'
import { columnNames, type Member, memberOf, type Relations } from './columns.js'

interface Members {
  readonly members: Member[]
  /** Warnings about columns that may hold values that do not match the schema. */
  readonly warnings: readonly string[]
  /**
   * Warnings about members that no statement writes. They matter only for resources that clients
   * can write.
   */
  readonly unwritten: readonly string[]
  /**
   * A fault for each member that clients can write although its column is the column of
   * `softDelete`. Usually empty.
   */
  readonly writableMark: readonly string[]
  /** The reasons why the resource does not match the table, each with its fix. */
  readonly faults: string[]
  /** The members that can't be stored. `faults` has the reason for each. */
  readonly faulty: ReadonlySet<string>
}

/**
 * Returns the members with their columns, and the warnings and faults. Statements write to `table`
 * and read from `source`.
 */
export function membersOf(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  { table, source, expressions }: Omit<Relations, 'hasRest'>,
): Members {
  const members: Member[] = []
  const warnings: string[] = []
  const unwritten: string[] = []
  const writableMark: string[] = []
  const faults: string[] = []
  const faulty = new Set<string>()
  const relations = { table, source, expressions, hasRest: options.rest !== undefined }
  for (const [name, named] of columnNames(definition, options)) {
    const shape = definition.shape.members.get(name)
    const isKey = definition.key.members.includes(name)
    const column = named.expression === undefined ? source.columns.get(named.column) : undefined
    const warning = column && columnWarning(name, column, shape)
    if (warning !== undefined) warnings.push(`In "${definition.collection}", ${warning}`)
    const stored = isKey ? table.columns.get(named.column) : undefined
    const nullable = stored && nullableKeyWarning(name, stored, table, relationName(options.table))
    if (nullable !== undefined) warnings.push(`In "${definition.collection}", ${nullable}`)
    const member = memberOf({ name, named, shape, isKey }, relations)
    if (member === undefined) continue
    if ('fault' in member) {
      const near = shape === undefined ? nearMiss(name, definition.shape.members.keys()) : undefined
      faults.push(
        near === undefined
          ? member.fault
          : `"columns" names "${name}", which is not a member of the schema. Did you mean "${near}"? Correct the name`,
      )
      faulty.add(name)
      continue
    }
    members.push(member)
    const mark = typeof options.softDelete === 'object' ? options.softDelete.column : options.softDelete
    if (mark !== undefined && member.column === mark && !member.setByDatabase && shape !== undefined && !shape.readOnly)
      writableMark.push(
        `"${name}" is stored in "${mark}", the column of "softDelete", so a POST, PUT or PATCH could remove the ` +
          `record: make the member readOnly, or set columns.${name} to { write: false }`,
      )
    const ignored = ignoredWarning(member, shape, isKey)
    if (ignored !== undefined) unwritten.push(`In "${definition.collection}", ${ignored}`)
  }
  faults.push(...sharedColumns(members))
  return { members, warnings, unwritten, writableMark, faults, faulty }
}

function sharedColumns(members: readonly Member[]): string[] {
  const faults: string[] = []
  const columns = new Map<string, string>()
  for (const { name, column } of members) {
    if (column === undefined) continue
    const other = columns.get(column)
    if (other !== undefined)
      faults.push(
        `"${other}" and "${name}" would both be stored in the column "${column}": name another column for one of ` +
          'them in "columns"',
      )
    columns.set(column, name)
  }
  return faults
}
