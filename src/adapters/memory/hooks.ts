/** Wraps the team's `onCreate`, `onUpdate` and `onRemove` with checks of their results. */
import { compileCanonical } from '../../definition/conversion.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { type AdapterCall, isRefused, type Refused } from '../contract.js'
import { blameHook, called, madeBy, refusePromise } from '../made-by.js'
import type { Row } from './entry.js'
import type { MemoryAdapterOptions } from './options.js'
import { violations } from './violations.js'

/**
 * The wrapped functions. Each rethrows the exception of the team's function. Each also throws if
 * the team's function returns a record that the store can't hold.
 */
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
  /**
   * Converts the values in a record from the team to canonical form, because keys, filters and sort
   * orders compare texts (REP-4).
   */
  const canonical = compileCanonical(shape) as (row: unknown) => Row

  const checked = (name: 'onCreate' | 'onUpdate', draft: Row, hook: () => Row): Row => {
    const title = `${name} of "${collection}"`
    // A copy, because the function may modify its argument.
    const given = { ...draft }
    const made = canonical(madeBy(name, collection, called(title, hook)))
    for (const { member, why } of violations(definition, made, name === 'onCreate'))
      blameHook(title, [member], { given, made, why: `the schema does not allow: it ${why}` })
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
