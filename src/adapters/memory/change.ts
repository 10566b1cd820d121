/** Replaces and removes records that have the expected version (HDR-3). */

import { put } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { loggableError } from '../../failures/loggable.js'
import type { AdapterCall, Refused, Stored } from '../contract.js'
import { fixIn } from './create.js'
import { type Draft, draftOf, type Entry, type Row } from './entry.js'
import type { Store } from './store.js'

export function replaceRecord(
  store: Store,
  key: KeyValue,
  value: Row,
  expected: string | undefined,
  call: AdapterCall,
): Stored<Row> | 'absent' | 'stale' | Refused {
  const old = store.visible(key, call)
  if (old === undefined) return 'absent'
  if (isStale(old, expected)) return 'stale'
  const next = update(store, old, store.canonical(value), call)
  return 'refused' in next ? next : next.stored
}

export function removeRecord(
  store: Store,
  key: KeyValue,
  expected: string | undefined,
  call: AdapterCall,
): 'removed' | 'absent' | 'stale' | Refused {
  const old = store.visible(key, call)
  if (old === undefined) return 'absent'
  if (isStale(old, expected)) return 'stale'
  const refused = refusedRemoval(store, old, call)
  if (refused !== undefined) return refused
  store.swap(old, undefined)
  return 'removed'
}

/** Calls the function of the option `onRemove`, and returns its refusal, if there is one. */
function refusedRemoval({ hooks, removing }: Store, entry: Entry, call: AdapterCall): Refused | undefined {
  if (hooks.onRemove === undefined) return undefined
  removing.add(entry)
  try {
    return hooks.onRemove(entry.stored.value, call)
  } finally {
    removing.delete(entry)
  }
}

/** Stores a changed record. Its key and the members that the scope fixes keep their values. */
export function update(store: Store, old: Entry, row: Row, call: AdapterCall): Entry | Refused {
  const { onUpdate } = store.hooks
  const current = old.stored.value
  const draft = redraft(store, row, current, call)
  if (onUpdate === undefined) return store.overwrite(old, draft)
  const next = redraft(store, onUpdate(draft, current, call), current, call)
  if (!store.indexes.all.has(old))
    throw loggableError('onUpdate has written the record that is being updated. Return the record instead.')
  return store.overwrite(old, next)
}

/** A shallow copy of `row` that has the key of `current` and the values of the scope. */
function redraft({ key }: Store, row: Row, current: Row, { scope }: AdapterCall): Draft {
  const draft = draftOf(row)
  for (const member of key.members) put(draft, member, current[member])
  return fixIn(draft, scope)
}

export const isStale = (entry: Entry, expected: string | undefined): boolean =>
  expected !== undefined && expected !== entry.stored.version
