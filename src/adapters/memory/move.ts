/**
 * Attaches and detaches records (PATH-7). The members in the scope are never changed, because a
 * change would move the record out of the scope.
 */
import { put } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { fixedByScope, leavesScope } from '../association.js'
import type { AdapterCall, ParentKey, Refused } from '../contract.js'
import { isStale, update } from './change.js'
import type { Store } from './store.js'

export function attachRecord(
  store: Store,
  to: ParentKey,
  key: KeyValue,
  expected: string | undefined,
  call: AdapterCall,
): 'attached' | 'absent' | 'stale' | Refused {
  const { associations } = store
  const parent = associations.parent(to)
  const old = store.visible(key, call)
  if (old === undefined) return 'absent'
  if (isStale(old, expected)) return 'stale'
  if (associations.has(parent, old)) return 'attached'
  const leaving = leavesScope(parent, call)
  if (leaving.length > 0) return { refused: 'rule', members: leaving }
  if (parent.by === undefined) {
    associations.attach(parent, old)
    return 'attached'
  }
  const next = update(store, old, { ...old.stored.value, ...Object.fromEntries(parent.by) }, call)
  return 'refused' in next ? next : 'attached'
}

export function detachRecord(
  store: Store,
  from: ParentKey,
  key: KeyValue,
  expected: string | undefined,
  call: AdapterCall,
): 'detached' | 'absent' | 'stale' | Refused {
  const { associations, definition } = store
  const parent = associations.parent(from)
  const old = store.visible(key, call)
  if (old === undefined || !associations.has(parent, old)) return 'absent'
  if (fixedByScope(parent, call).length > 0) return 'absent'
  if (isStale(old, expected)) return 'stale'
  if (parent.by === undefined) {
    associations.detach(parent, old)
    return 'detached'
  }
  const row: Record<string, unknown> = { ...old.stored.value }
  for (const [member] of parent.by) {
    if (definition.shape.members.get(member)?.nullable) put(row, member, null)
    else delete row[member]
  }
  const next = update(store, old, row, call)
  return 'refused' in next ? next : 'detached'
}
