/** The method `remove` (VERB-6). */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Refused } from '../../contract.js'
import { removeRow } from '../writes/removals.js'
import { changeRecord } from './change.js'
import type { Shared } from './shared.js'

export const removeRecord = (
  shared: Shared,
  key: KeyValue,
  expected: string | undefined,
  call: AdapterCall,
): Promise<'removed' | 'absent' | 'stale' | Refused> =>
  changeRecord(shared, { action: 'remove', key, value: undefined, parent: undefined, expected }, call, removeRow)
