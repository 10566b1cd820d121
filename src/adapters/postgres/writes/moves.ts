/**
 * Attaches records to a parent's collection, and detaches them, by changing members of the record
 * (PATH-7).
 */
import { own, put } from '../../../definition/json.js'
import type { KeyValue } from '../../../definition/key.js'
import type { Association } from '../../association.js'
import type { Refused, Stored } from '../../contract.js'
import { type Found, readOne, rowNow } from '../reads/reads.js'
import type { RowCall } from '../reads/row-call.js'
import { allOf, Parameters } from '../sql/sql.js'
import type { Member } from '../table/columns.js'
import { encode, faultOf } from '../values/places.js'
import { refusedFor } from './refused-value.js'
import { suppressed } from './unchanged.js'
import { setColumns } from './updates.js'
import type { Values } from './written.js'

type Row = Record<string, unknown>
type By = NonNullable<Association['by']>

/**
 * Replaces the record that was found, `current`, with `value`. Calls the function of the option
 * `onUpdate`, if it is set.
 */
export type Rewrite = (
  at: RowCall,
  value: Values,
  current: Found,
) => Promise<Stored<Row> | 'absent' | 'stale' | Refused>

export interface Move {
  readonly by: By
  /** True to attach the record, false to detach it. */
  readonly inwards: boolean
  readonly key: KeyValue
  /**
   * The members that the attach or detach would have to change although the caller's scope fixes
   * them. If there are any, the record can't be attached or detached.
   */
  readonly blockedBy: readonly string[]
}

/**
 * The maximum number of calls of `setMembers` for one attach or detach. `setMembers` is called
 * again if its statement changed no row, but the row as read afterwards allows the attach or
 * detach. Another session may have changed the row in between.
 */
const maxTries = 3

/**
 * Attaches or detaches a record. A record that is already attached does not change, and keeps its
 * version.
 */
export async function moveRow(
  at: RowCall,
  move: Move,
  rewrite: Rewrite | undefined,
): Promise<'done' | 'absent' | 'stale' | Refused> {
  const { by, inwards } = move
  const columns = by.map(([member]) => at.table.layout.member(member))
  for (const [i, [member, value]] of by.entries()) {
    const column = columns[i]
    const fault = column === undefined ? undefined : faultOf(column.content, value)
    // No row can hold the key of this parent, so no record is attached to it.
    if (fault !== undefined) return inwards ? refusedMove(at, refusedFor({ path: [member], why: fault.why })) : 'absent'
  }
  const direct =
    rewrite === undefined && columns.every((column) => column?.column !== undefined && column.content.kind === 'scalar')
  for (let tries = 1; ; tries++) {
    const done = direct
      ? await setMembers(at, move, columns as readonly Member[])
      : await rewriteMembers(at, move, rewrite)
    // The row allows the change, but the statement has not changed the row. If the row still has
    // the expected version, or after `maxTries` attempts, the cause is the database itself, for
    // example a rule or trigger.
    if (done === 'again' && direct && (at.expected !== undefined || tries >= maxTries)) return suppressed
    if (done !== 'again' || (at.call.left?.() ?? 1) <= 0) return done === 'again' ? 'stale' : done
  }
}

/**
 * Refuses to attach a record. The results `'absent'` and `'stale'` take precedence over the
 * refusal.
 */
export async function refusedMove(at: RowCall, refused: Refused): Promise<'absent' | 'stale' | Refused> {
  const now = await rowNow(at)
  if (now === undefined) return 'absent'
  return at.expected !== undefined && now.version !== at.expected ? 'stale' : refused
}

/**
 * Attaches or detaches a record in one statement. If the statement changes no row, another
 * statement finds out why.
 */
async function setMembers(at: RowCall, move: Move, columns: readonly Member[]) {
  const { by, inwards, blockedBy } = move
  const value = (i: number, parameters: Parameters): string => {
    const { content, cast } = columns[i] as Member
    return parameters.add(encode(content, by[i]?.[1]), cast)
  }
  const isIn = (parameters: Parameters): string =>
    allOf(columns.map(({ sql }, i) => `${sql} IS NOT DISTINCT FROM ${value(i, parameters)}`))
  if (blockedBy.length === 0) {
    const parameters = new Parameters()
    const set = columns.map(
      ({ quoted, cast }, i) => `${quoted} = ${inwards ? value(i, parameters) : parameters.add(null, cast)}`,
    )
    const condition = inwards ? `NOT (${isIn(parameters)})` : isIn(parameters)
    const moved = await setColumns(at, set, parameters, condition)
    if (moved !== undefined) return 'refused' in moved ? moved : 'done'
  }
  return moveResult(await rowNow(at, isIn), at.expected, move)
}

/** Attaches or detaches a record by rewriting the whole record. */
async function rewriteMembers(at: RowCall, move: Move, rewrite: Rewrite | undefined) {
  const { by, inwards, key } = move
  const current = await readOne(at.table, key, at.call, at.ask)
  const { version = '', value = {} } = current?.stored ?? {}
  const holds = by.every(([member, part]) => own(value, member) === part)
  const found = moveResult(current && { version, holds }, at.expected, move)
  if (found !== 'again' || current === undefined || rewrite === undefined) return found
  const next: Row = { ...value }
  for (const [member, part] of by) {
    if (inwards) put(next, member, part)
    else if (at.table.definition.shape.members.get(member)?.nullable) put(next, member, null)
    else delete next[member]
  }
  const result = await rewrite(at, next, current)
  if (result === 'stale') return at.expected === undefined ? 'again' : result
  return typeof result === 'string' || 'refused' in result ? result : 'done'
}

/**
 * Determines from the current row the result of an attach or detach that has not changed the row.
 * Returns `again` if nothing in the current row prevents another attempt.
 */
function moveResult(
  now: { readonly version: string; readonly holds: boolean } | undefined,
  expected: string | undefined,
  { inwards, blockedBy }: Move,
): 'again' | 'done' | 'absent' | 'stale' | Refused {
  if (now === undefined || (!inwards && (!now.holds || blockedBy.length > 0))) return 'absent'
  if (expected !== undefined && now.version !== expected) return 'stale'
  if (inwards && now.holds) return 'done'
  return blockedBy.length > 0 ? { refused: 'rule', members: blockedBy } : 'again'
}
