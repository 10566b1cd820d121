/**
 * Creates records (VERB-2, PATH-7): assigns the key, sets the members that the scope and the parent
 * fix, and calls the function of the option `onCreate`.
 */
import { compileCanonical } from '../../definition/conversion.js'
import { put } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import { leavesScope } from '../association.js'
import type { AdapterCall, Refused, Stored } from '../contract.js'
import { type Draft, draftOf, type Row } from './entry.js'
import type { Store } from './store.js'

export function createRecord(store: Store, value: Row, call: AdapterCall): { readonly created: Stored<Row> } | Refused {
  const { associations, assignment, hooks } = store
  const parent = call.attachTo && associations.parent(call.attachTo)
  const leaving = parent === undefined ? [] : leavesScope(parent, call)
  if (leaving.length > 0) return { refused: 'rule', members: leaving }
  const fixed = parent?.by === undefined ? call.scope : { ...Object.fromEntries(parent.by), ...call.scope }
  const draft = fixIn(draftOf(store.canonical(value)), fixed)
  const exhausted = assignment.assign(draft)
  if (exhausted !== undefined) return { refused: 'rule', members: [exhausted] }
  const entry = store.insert(hooks.onCreate === undefined ? draft : fixIn(draftOf(hooks.onCreate(draft, call)), fixed))
  if ('refused' in entry) return entry
  if (parent !== undefined && parent.by === undefined) associations.attach(parent, entry)
  return { created: entry.stored }
}

/**
 * Stores the initial records of an adapter. Throws `ConfigurationError` if a record can't be
 * stored.
 */
export function fill(store: Store, records: Iterable<unknown>): void {
  const { assignment, definition } = store
  const canonical = compileCanonical(definition.shape)
  for (const record of records) {
    const row = draftOf(canonical(record) as Row)
    assignment.assign(row)
    const stored = store.insert(row)
    if (!('refused' in stored)) continue
    const why =
      stored.refused === 'duplicate'
        ? 'and another record have the same value in'
        : 'has no value, or a value of the wrong type, in at least one of'
    throw invalidOption(
      `A record in "records" of the memory adapter of "${definition.collection}" ${why}: ${stored.members.join(', ')}.`,
    )
  }
  assignment.endLoading()
}

/**
 * Copies the members of `fixed` to the draft. Direct callers of the adapter, such as the tests of a
 * service, might pass no scope. In that case, `fixed` is undefined.
 */
export function fixIn(draft: Draft, fixed: Row | undefined): Draft {
  if (fixed !== undefined) for (const member of Object.keys(fixed)) put(draft, member, fixed[member])
  return draft
}
