/** Putting records into a parent's collection, and taking them out, by members of their own (PATH-7). */
import { own, put } from '../../definition/json.js'
import type { Association } from '../association.js'
import type { AdapterCall, Refused, Stored } from '../contract.js'
import type { Member } from './columns.js'
import { castOf, encode, faultOf } from './places.js'
import { readRecords, rowNow } from './reads.js'
import { refusedFor } from './refusals.js'
import { every, Parameters, quote } from './sql.js'
import type { Ask } from './statements.js'
import type { Table } from './table.js'
import { setColumns, suppressed } from './writes.js'

type Row = Record<string, unknown>
type By = NonNullable<Association['by']>

/** Writes a whole record over the one of this version: with the team's `onUpdate`. */
export type Rewrite = (value: Row, current: Stored<Row>, ask: Ask) => Promise<Stored<Row> | 'absent' | 'stale' | Refused>

export interface Move {
  readonly by: By
  readonly inwards: boolean
  readonly texts: readonly string[]
  readonly key: unknown
  readonly expected: string | undefined
  /** Members that the caller's scope keeps where they are: a record can't be moved by them. */
  readonly kept: readonly string[]
}

/** How often others may have moved a record to and fro between a statement and the look at what it came to. */
const mostTries = 3

/** Moves a record in or out. One that is in already stays as it is, version and all. */
export async function moveRow(
  table: Table,
  move: Move,
  call: AdapterCall,
  ask: Ask,
  rewrite: Rewrite | undefined,
): Promise<'done' | 'absent' | 'stale' | Refused> {
  const { by, inwards } = move
  const columns = by.map(([member]) => table.layout.member(member))
  for (const [i, [member, value]] of by.entries()) {
    const column = columns[i]
    const fault = column === undefined ? undefined : faultOf(column.content, value)
    // No row can hold such a parent's key.
    if (fault !== undefined) return inwards ? refusedMove(table, move, refusedFor({ path: [member], why: fault.why }), call, ask) : 'absent'
  }
  const direct = rewrite === undefined && columns.every((column) => column?.column !== undefined && column.content.kind === 'scalar')
  for (let tries = 1; ; tries++) {
    const done = direct
      ? await setMembers(table, move, columns as readonly Member[], call, ask)
      : await rewriteMembers(table, move, call, ask, rewrite)
    // One statement that nothing stands in the way of, and that changes nothing, will not do so later either.
    if (done === 'again' && direct && (move.expected !== undefined || tries >= mostTries)) return suppressed
    if (done !== 'again' || (call.left?.() ?? 1) <= 0) return done === 'again' ? 'stale' : done
  }
}

/** A refusal to attach; `'absent'` and `'stale'` come first. */
export async function refusedMove(
  table: Table,
  { texts, expected }: Pick<Move, 'texts' | 'expected'>,
  refused: Refused,
  call: AdapterCall,
  ask: Ask,
): Promise<'absent' | 'stale' | Refused> {
  const now = await rowNow(table, texts, call, ask)
  if (now === undefined) return 'absent'
  return expected !== undefined && now.version !== expected ? 'stale' : refused
}

/** One statement; where it changed nothing, a second look says why. */
async function setMembers(
  table: Table,
  { by, inwards, texts, expected, kept }: Move,
  columns: readonly Member[],
  call: AdapterCall,
  ask: Ask,
) {
  const value = (i: number, parameters: Parameters): string => {
    const { content } = columns[i] as Member
    return parameters.add(encode(content, by[i]?.[1]), castOf(content))
  }
  const isIn = (parameters: Parameters): string => every(columns.map(({ sql }, i) => `${sql} IS NOT DISTINCT FROM ${value(i, parameters)}`))
  if (kept.length === 0) {
    const parameters = new Parameters()
    const set = columns.map(
      ({ column, content }, i) => `${quote(column as string)} = ${inwards ? value(i, parameters) : parameters.add(null, castOf(content))}`,
    )
    const condition = inwards ? `NOT (${isIn(parameters)})` : isIn(parameters)
    const moved = await setColumns(table, texts, set, expected, call, ask, parameters, condition)
    if (moved !== undefined) return 'refused' in moved ? moved : 'done'
  }
  const now = await rowNow(table, texts, call, ask, isIn)
  return verdict(now, { inwards, expected, kept })
}

/** The same over the whole record: where the members lie in JSON, or a team has something to say on each change. */
async function rewriteMembers(
  table: Table,
  { by, inwards, key, expected, kept }: Move,
  call: AdapterCall,
  ask: Ask,
  rewrite: Rewrite | undefined,
) {
  const [current] = await readRecords(table, [key], call, ask)
  const holds = current !== undefined && by.every(([member, value]) => own(current.value, member) === value)
  const found = verdict(current && { version: current.version, holds }, { inwards, expected, kept })
  if (found !== 'again' || current === undefined || rewrite === undefined) return found
  const next: Row = { ...current.value }
  for (const [member, value] of by) {
    if (inwards) put(next, member, value)
    else if (table.definition.shape.members.get(member)?.nullable) put(next, member, null)
    else delete next[member]
  }
  const result = await rewrite(next, current, ask)
  if (result === 'stale') return expected === undefined ? 'again' : result
  return typeof result === 'string' || 'refused' in result ? result : 'done'
}

/** What a row as it is says of a move: `again` where nothing stands in its way. */
function verdict(
  now: { readonly version: string; readonly holds: boolean } | undefined,
  { inwards, expected, kept }: Pick<Move, 'inwards' | 'expected' | 'kept'>,
): 'again' | 'done' | 'absent' | 'stale' | Refused {
  if (now === undefined || (!inwards && (!now.holds || kept.length > 0))) return 'absent'
  if (expected !== undefined && now.version !== expected) return 'stale'
  if (inwards && now.holds) return 'done'
  return kept.length > 0 ? { refused: 'rule', members: kept } : 'again'
}
