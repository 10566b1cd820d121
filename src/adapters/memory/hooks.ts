/**
 * Wraps the functions of the options `onCreate`, `onUpdate` and `onRemove` with checks of their
 * results.
 */
import { compileCanonical } from '../../definition/conversion.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { type AdapterCall, isRefused, type Refused } from '../contract.js'
import { blameHook, called, madeBy, refusePromise } from '../made-by.js'
import type { Row } from './entry.js'
import type { MemoryAdapterOptions } from './options.js'
import { violations } from './violations.js'

/**
 * The wrapped functions. Each throws if the service's function throws or returns a promise.
 * `onCreate` and `onUpdate` also throw if the service's function returns no record, or sets a
 * top-level member to a value whose type or format does not match the schema.
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
   * Converts strings to canonical form, for example a UUID to lower case (REP-4), in a record that
   * the service's function returned. Keys, filters and sort orders compare these strings.
   */
  const canonical = compileCanonical(shape) as (row: unknown) => Row

  const checked = (name: 'onCreate' | 'onUpdate', draft: Row, hook: () => Row): Row => {
    const title = `${name} of "${collection}"`
    // The draft is copied, because the function may modify its argument.
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
