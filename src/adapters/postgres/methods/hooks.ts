/** What a team's functions make of a record on its way into the table. */
import { compileCanonical } from '../../../definition/conversion.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import { type AdapterCall, isRefused, type Refused } from '../../contract.js'
import { blameHook, calledLater, madeBy } from '../../made-by.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Values } from '../writes/written.js'

type Row = Record<string, unknown>

/** Those that the team gave. Each throws what the team's function does. */
export interface Hooks {
  readonly onCreate: ((draft: Values, call: AdapterCall) => Promise<Row>) | undefined
  readonly onUpdate: ((next: Values, current: Row, call: AdapterCall) => Promise<Row>) | undefined
  /** Throws where a result refuses what a function put into the record: that is not the client's to fix. */
  blame<R>(result: R | Refused, given: Values, made: Values, hook: 'onCreate' | 'onUpdate'): R | Refused
}

export function hooksOf({ collection, shape }: ResourceDefinition, { onCreate, onUpdate }: PostgresAdapterOptions): Hooks {
  /** What comes from the team is written as what comes through the library: keys, filters and orders compare texts (REP-4). */
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
