/** Constraints of the database as refusals that name members (ERR-2). The driver's words go nowhere. */
import type { Refused } from '../contract.js'
import { type DatabaseFailure, failureKind } from './failures.js'
import type { Fault } from './places.js'
import { relationName } from './sql.js'
import type { Table } from './table.js'

/** What a failed write refuses; `undefined` where the failure is none of the data's. */
export function refusalOf(table: Table, error: unknown, removes: boolean): Refused | undefined {
  if (failureKind(error) !== 'refused') return undefined
  const { code = '', constraint, column } = error as DatabaseFailure
  const columns = [...(column === undefined ? [] : [column]), ...columnsOf(table, constraint)]
  const members = table.layout.membersOf(columns)
  switch (code) {
    case '23505':
    case '23P01':
      return {
        refused: 'duplicate',
        members,
        ...(members.length > 1 ? { why: 'is taken already, together with the others named here' } : {}),
      }
    case '23503':
    case '23001':
      if (removes) return { refused: 'reference', members: table.definition.key.members, why: 'is still referred to by other records' }
      return { refused: 'reference', members }
    case '23502':
      return { refused: 'rule', members, why: 'must have a value' }
    case '54000':
      return { refused: 'rule', members, why: 'is too long: the store finds and sorts by it, which takes at most about 2,700 bytes' }
    default:
      return { refused: 'rule', members }
  }
}

/** Whether a failure is that of the resource's own table, or of one that holds its associations. */
export function isOwn({ relation, options }: Table, error: unknown): boolean {
  const { table, constraint } = error as DatabaseFailure
  const tables = [options.table, ...Object.values(options.attached ?? {}).map((join) => join.table)]
  return (
    table === undefined ||
    tables.some((name) => relationName(name).name === table) ||
    [...relation.constraints, ...relation.indexes].some(({ name }) => name === constraint)
  )
}

function columnsOf({ relation }: Table, constraint: string | undefined): readonly (string | null)[] {
  if (constraint === undefined) return []
  const declared = relation.constraints.find(({ name }) => name === constraint)?.columns
  const index = relation.indexes.find(({ name }) => name === constraint)
  return declared ?? index?.columns.slice(0, index.keys) ?? []
}

/** What a value that no column could hold is refused for. Places in lists are told by the list. */
export const refusedFor = ({ path, why }: Fault): Refused => ({ refused: 'rule', members: path.length === 0 ? [] : [named(path)], why })

function named(path: readonly string[]): string {
  const index = path.findIndex((name) => /^\d+$/.test(name))
  return (index > 0 ? path.slice(0, index) : path).join('.')
}
