/** The team's `onCreate`, `onUpdate` and `onRemove`, with checks of what they return. */
import { compileCanonical } from '../../definition/conversion.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { type AdapterCall, isRefused, type Refused } from '../contract.js'
import { blameHook, called, madeBy, refusePromise } from '../made-by.js'
import type { Row } from './entry.js'
import { misfits } from './misfits.js'
import type { MemoryAdapterOptions } from './options.js'

/** The functions that the team gave. Each throws what the team's function throws, and for a record that the store can't hold. */
export interface Hooks {
  readonly onCreate: ((draft: Row, call: AdapterCall) => Row) | undefined
  readonly onUpdate: ((draft: Row, current: Row, call: AdapterCall) => Row) | undefined
  readonly onRemove: ((value: Row, call: AdapterCall) => Refused | undefined) | undefined
}

export function hooksOf(
  definition: ResourceDefinition,
  { onCreate, onUpdate, onRemove }: MemoryAdapterOptions<Row>,
): Hooks {
  const { collection, shape } = definition
  /** Values of the team need their canonical spelling too: keys, filters and orders compare texts (REP-4). */
  const canonical = compileCanonical(shape) as (row: unknown) => Row

  const checked = (name: 'onCreate' | 'onUpdate', draft: Row, hook: () => Row): Row => {
    const title = `${name} of "${collection}"`
    // The function may change the draft that it was given.
    const given = { ...draft }
    const made = canonical(madeBy(name, collection, called(title, hook)))
    for (const { member, why } of misfits(definition, made, name === 'onCreate'))
      blameHook(title, [member], { given, made, why: `the schema does not have: ${why}` })
    return made
  }

  return {
    onCreate: onCreate && ((draft, call) => checked('onCreate', draft, () => onCreate(draft, call))),
    onUpdate: onUpdate && ((draft, current, call) => checked('onUpdate', draft, () => onUpdate(draft, current, call))),
    onRemove:
      onRemove &&
      ((value, call) => {
        const title = `onRemove of "${collection}"`
        const answer: unknown = called(title, () => onRemove(value, call))
        refusePromise(title, answer)
        return isRefused(answer) ? answer : undefined
      }),
  }
}
