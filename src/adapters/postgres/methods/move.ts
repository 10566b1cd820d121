/**
 * The methods `attach` and `detach` (PATH-7). The association is stored in members of the record,
 * or in a join table.
 */
import type { KeyValue } from '../../../definition/key.js'
import { type Association, associationOf, fixedByScope, leavesScope } from '../../association.js'
import type { AdapterCall, ParentKey, Refused } from '../../contract.js'
import type { RowCall } from '../reads/row-call.js'
import type { DescribedJoinTable } from '../table/join-tables.js'
import { attachRow, detachRow } from '../writes/joined.js'
import { moveRow, refusedMove } from '../writes/moves.js'
import { refusedFor } from '../writes/refused-value.js'
import { changeRecord } from './change.js'
import { unheld } from './create.js'
import { rewriting } from './replace.js'
import type { Shared } from './shared.js'

type By = NonNullable<Association['by']>

export function attachRecord(
  shared: Shared,
  parent: ParentKey,
  key: KeyValue,
  expected: string | undefined,
  call: AdapterCall,
): Promise<'attached' | 'absent' | 'stale' | Refused> {
  const asked = { action: 'attach', key, value: undefined, parent, expected } as const
  return changeRecord<'attached' | 'absent' | 'stale' | Refused>(shared, asked, call, async (at) => {
    const association = associationOf(shared.definition, parent)
    if (association.by !== undefined) {
      const blockedBy = leavesScope(association, call)
      const result = await moveBy(shared, at, association.by, { inwards: true, key, blockedBy })
      return result === 'done' ? 'attached' : result
    }
    const why = unheld(association)
    if (why !== undefined) return refusedMove(at, refusedFor({ path: [], why }))
    return attachRow(at, at.table.joins.get(association.as) as DescribedJoinTable, association)
  })
}

export function detachRecord(
  shared: Shared,
  parent: ParentKey,
  key: KeyValue,
  expected: string | undefined,
  call: AdapterCall,
): Promise<'detached' | 'absent' | 'stale' | Refused> {
  const asked = { action: 'detach', key, value: undefined, parent, expected } as const
  return changeRecord<'detached' | 'absent' | 'stale' | Refused>(shared, asked, call, async (at) => {
    const association = associationOf(shared.definition, parent)
    if (association.by !== undefined) {
      const blockedBy = fixedByScope(association, call)
      const result = await moveBy(shared, at, association.by, { inwards: false, key, blockedBy })
      return result === 'done' ? 'detached' : result
    }
    if (unheld(association) !== undefined) return 'absent'
    return detachRow(at, at.table.joins.get(association.as) as DescribedJoinTable, association)
  })
}

/**
 * Attaches or detaches a record by changing its own members, in one statement. If one of these
 * members has no column, or if the option `onUpdate` is set, reads the record and then writes the
 * changed record.
 */
function moveBy(
  shared: Shared,
  at: RowCall,
  by: By,
  {
    inwards,
    key,
    blockedBy,
  }: { readonly inwards: boolean; readonly key: KeyValue; readonly blockedBy: readonly string[] },
) {
  const needsRecord =
    shared.hooks.onUpdate !== undefined || by.some(([member]) => at.table.layout.member(member)?.column === undefined)
  return moveRow(at, { by, inwards, key, blockedBy }, needsRecord ? rewriting(shared, key) : undefined)
}
