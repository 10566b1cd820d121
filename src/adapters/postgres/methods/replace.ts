/**
 * The method `replace`. It serves PUT, PATCH, and requests that set or unset a flag of an item
 * (VERB-3, VERB-5).
 */
import type { KeyValue } from '../../../definition/key.js'
import { type AdapterCall, isRefused, type Refused, type Stored } from '../../contract.js'
import { refusedBy } from '../changes/outcome.js'
import { readOne } from '../reads/reads.js'
import type { RowCall } from '../reads/row-call.js'
import type { Rewrite } from '../writes/moves.js'
import { updateRow } from '../writes/updates.js'
import type { Values } from '../writes/written.js'
import { changeRecord } from './change.js'
import { underKey } from './fixed.js'
import type { UnreadRow } from './seen-rows.js'
import type { Shared } from './shared.js'

type Row = Record<string, unknown>
type Replaced = Stored<Row> | 'absent' | 'stale' | Refused

export async function replaceRecord(
  shared: Shared,
  key: KeyValue,
  value: Values,
  expected: string | undefined,
  call: AdapterCall,
): Promise<Replaced> {
  const { seen, hooks, definition } = shared
  const action = call.action === 'patch' ? 'patch' : 'replace'
  const next = underKey(value, definition.key, key, call)
  const asked = { action, key, value: next, parent: undefined, expected } as const
  const unread = seen.unread(call, definition, key)
  const result = await changeRecord<Replaced>(shared, asked, call, (at): Promise<Replaced> => {
    if (unread !== undefined) return updateUnread(at, next, unread)
    if (hooks.onUpdate !== undefined) return rewriteSeen(shared, at, key, next)
    // If the call has read the row, a PATCH writes only the members that differ from the row. So
    // does a PUT, if every change of a row gives the row a new version (`versionCoversRow`). If a
    // row may change without a new version, a PUT writes all members.
    const before = seen.versionCoversRow || action === 'patch' ? seen.row(call, at.table, key, expected) : undefined
    return updateRow(at, next, before)
  })
  // If the row came from the cache, a refusal might be based on an outdated value. In this case,
  // the result is `stale`, so that the caller reads the row and tries again.
  return unread !== undefined && isRefused(result) ? 'stale' : result
}

/**
 * Replaces a row that came from the cache. The description of the table determines which cell
 * belongs to which column. If the table was described again after the row was read, the result is
 * `stale`.
 */
const updateUnread = async (at: RowCall, value: Values, { table, cells, unread }: UnreadRow): Promise<Replaced> =>
  table === at.table ? updateRow({ ...at, unread }, value, cells) : 'stale'

/**
 * Reads the record for `onUpdate`, and replaces it. Tries again if another write came in between,
 * no version is expected, and the call has time left.
 */
async function rewriteSeen(shared: Shared, at: RowCall, key: KeyValue, next: Values): Promise<Replaced> {
  const { table, expected, call, ask } = at
  const rewrite = rewriting(shared, key)
  for (;;) {
    const current = await readOne(table, key, call, ask)
    if (current === undefined) return 'absent'
    if (expected !== undefined && current.stored.version !== expected) return 'stale'
    const result = await rewrite(at, next, current)
    if (result !== 'stale' || expected !== undefined || (call.left?.() ?? 1) <= 0) return result
  }
}

/**
 * Returns a function that replaces a record that has been read. With `onUpdate`, the function
 * stores the result of `onUpdate`.
 */
export function rewriting({ hooks, databases, definition }: Shared, key: KeyValue): Rewrite {
  return async (at, value, current) => {
    const { table, call } = at
    // In a caller's transaction, a row may change without getting a new version, so all members are
    // written.
    const before = databases.write.mayBeNested ? undefined : current.cells
    const found = { ...at, expected: current.stored.version }
    if (hooks.onUpdate === undefined) return updateRow(found, value, before)
    const made = await hooks.onUpdate(value, current.stored.value, call)
    const next = underKey(made, definition.key, key, call)
    const result = await updateRow(found, next, before).catch((error: unknown) =>
      refusedBy(error, { table, action: 'replace', value: next }),
    )
    return hooks.blame(result, value, next, 'onUpdate')
  }
}
