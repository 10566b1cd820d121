/**
 * Changes an existing record by its key. Each method that changes a record passes its own
 * statement.
 */
import type { KeyValue } from '../../../definition/key.js'
import {
  type AdapterCall,
  isRefused,
  type ParentKey,
  type Refused,
  type Stored,
  type WriteAction,
} from '../../contract.js'
import { changing } from '../changes/change.js'
import type { PendingChange } from '../changes/pending-change.js'
import { areRefusedKeys } from '../reads/refused-values.js'
import type { RowCall } from '../reads/row-call.js'
import { uncomputable } from '../writes/refusals.js'
import { type Shared, withTable } from './shared.js'

/** The requested change. */
export interface ChangeRequest {
  readonly action: WriteAction
  readonly key: KeyValue
  readonly value: Readonly<Record<string, unknown>> | undefined
  readonly parent: ParentKey | undefined
  readonly expected: string | undefined
}

type Result = Stored<Record<string, unknown>> | 'removed' | 'attached' | 'detached' | 'absent' | 'stale' | Refused

/**
 * Runs the statement. If no row can have the key, resolves with `absent`. If the database refuses a
 * value but does not say which, this function checks whether the database refuses the key. If it
 * does, the function resolves with `absent` too.
 */
export function changeRecord<R extends Result>(
  shared: Shared,
  request: ChangeRequest,
  call: AdapterCall,
  statement: (at: RowCall, change: PendingChange) => Promise<R>,
): Promise<R | 'absent' | Refused> {
  return withTable<R | 'absent' | Refused>(shared, call, async (table) => {
    const { databases, options, seen } = shared
    const { action, key, value, parent, expected } = request
    const texts = table.layout.keyTexts(key)
    if (texts === undefined) return 'absent'
    const before = options.write === undefined ? undefined : () => seen.record(call, table, key, expected)
    const change: PendingChange = { databases, table, call, action, key, texts, value, parent, expected, before }
    const result = await changing<R>(change, (ask, joins) =>
      statement({ table, texts, expected, call, ask, joins }, change),
    )
    const mayBeKey = isRefused(result) && result.why === uncomputable && result.members.length === 0
    return mayBeKey && (await areRefusedKeys(table, [key], { databases, options, call }).catch(() => false))
      ? 'absent'
      : result
  })
}
