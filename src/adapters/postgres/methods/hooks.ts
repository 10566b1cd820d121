/** Wraps the functions of the options `onCreate` and `onUpdate` with checks of their results. */
import { compileCanonical } from '../../../definition/conversion.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import { type AdapterCall, isRefused, type Refused } from '../../contract.js'
import { blameHook, calledLater, madeBy } from '../../made-by.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Values } from '../writes/written.js'

type Row = Record<string, unknown>

/**
 * The wrapped functions. Each rejects if the service's function throws, or does not return a record
 * of JSON values.
 */
export interface Hooks {
  readonly onCreate: ((draft: Values, call: AdapterCall) => Promise<Row>) | undefined
  readonly onUpdate: ((next: Values, current: Row, call: AdapterCall) => Promise<Row>) | undefined
  /**
   * Throws if `result` is a refusal of the kind `rule`, and the service's function has changed all
   * members that the refusal names. The client did not send the values of these members, so it
   * could not correct them. In all other cases, returns `result`.
   */
  blame<R>(result: R | Refused, given: Values, made: Values, hook: 'onCreate' | 'onUpdate'): R | Refused
}

export function hooksOf(
  { collection, shape }: ResourceDefinition,
  { onCreate, onUpdate }: PostgresAdapterOptions,
): Hooks {
  /**
   * Returns the canonical form of a record that the service's function has made. Keys, filters and
   * sort orders compare strings, so equal values must have equal strings (REP-4).
   */
  const canonical = compileCanonical(shape) as (value: unknown) => Row
  const made = async (name: 'onCreate' | 'onUpdate', hook: () => unknown): Promise<Row> =>
    canonical(madeBy(name, collection, await calledLater(`${name} of "${collection}"`, hook)))
  return {
    onCreate: onCreate && ((draft, call) => made('onCreate', () => onCreate({ ...draft }, call))),
    onUpdate: onUpdate && ((next, current, call) => made('onUpdate', () => onUpdate({ ...next }, current, call))),
    blame(result, given, record, hook) {
      if (!isRefused(result) || result.refused !== 'rule') return result
      const { members, why } = result
      const reason = why === undefined ? '' : `: it ${why}`
      blameHook(`${hook} of "${collection}"`, members, { given, made: record, why: `the table refuses${reason}` })
      return result
    },
  }
}
