/** A change as a team's `write` function gets it. */
import { freezeThroughout } from '../../../definition/fixed.js'
import type { Applied, Change } from '../options/change-options.js'
import type { PendingChange } from './pending-change.js'

type Row = Record<string, unknown>

/** The result of `apply()`, and the record that the table holds then. */
export interface Made {
  readonly applied: Applied<unknown>
  readonly record: Row | undefined
}

/**
 * The change that the function gets. Its data are frozen copies: what is stored is what was checked.
 * `apply` needs no `this`, since teams take it out of the change.
 */
export function changeOf(change: PendingChange, before: unknown, make: () => Promise<Made>): Change {
  const { action, value, parent, table } = change
  const { definition } = table
  let { key } = change
  let after: Row | undefined
  let made: Promise<Applied<unknown>> | undefined
  const apply = (): Promise<Applied<unknown>> => {
    made ??= make().then(({ applied, record }) => {
      after = freezeThroughout(structuredClone(record))
      if (record !== undefined) key ??= definition.key.of(record)
      return applied
    })
    // A team that does not wait for it learns of its failure from the result of the whole change.
    made.catch(() => undefined)
    return made
  }
  return Object.freeze({
    action,
    collection: definition.collection,
    get key() {
      return key
    },
    value: freezeThroughout(structuredClone(value)),
    parent,
    before: freezeThroughout(before),
    get after() {
      return after
    },
    apply,
  }) as Change
}
