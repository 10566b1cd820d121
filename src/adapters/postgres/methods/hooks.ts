/** Wraps the team's `onCreate` and `onUpdate` with checks of their results. */
import { compileCanonical } from '../../../definition/conversion.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import { type AdapterCall, isRefused, type Refused } from '../../contract.js'
import { blameHook, calledLater, madeBy } from '../../made-by.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Values } from '../writes/written.js'

type Row = Record<string, unknown>

/** The wrapped functions. Each rethrows the exception of the team's function. */
export interface Hooks {
  readonly onCreate: ((draft: Values, call: AdapterCall) => Promise<Row>) | undefined
  readonly onUpdate: ((next: Values, current: Row, call: AdapterCall) => Promise<Row>) | undefined
  /**
   * Throws if the table refused the record because of members that the team's function has changed,
   * because the client can't fix them. Otherwise returns the result.
   */
  blame<R>(result: R | Refused, given: Values, made: Values, hook: 'onCreate' | 'onUpdate'): R | Refused
}

export function hooksOf(
  { collection, shape }: ResourceDefinition,
  { onCreate, onUpdate }: PostgresAdapterOptions,
): Hooks {
  /**
   * Converts the values in a record from the team to canonical form, because keys, filters and sort
   * orders compare texts (REP-4).
   */
  const canonical = compileCanonical(shape) as (value: unknown) => Row
  const made = async (name: 'onCreate' | 'onUpdate', hook: () => unknown): Promise<Row> =>
    canonical(madeBy(name, collection, await calledLater(`${name} of "${collection}"`, hook)))
  return {
    onCreate: onCreate && ((draft, call) => made('onCreate', () => onCreate({ ...draft }, call))),
    onUpdate: onUpdate && ((next, current, call) => made('onUpdate', () => onUpdate({ ...next }, current, call))),
    blame(result, given, record, hook) {
      if (!isRefused(result) || result.refused !== 'rule') return result
      const { members, why = result.refused } = result
      blameHook(`${hook} of "${collection}"`, members, { given, made: record, why: `the table refuses: ${why}` })
      return result
    },
  }
}
