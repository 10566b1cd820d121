/** The change that the service's `write` function gets. */
import { freezeThroughout } from '../../../definition/fixed.js'
import type { Applied, Change } from '../options/change-options.js'
import type { PendingChange } from './pending-change.js'

type Row = Record<string, unknown>

/** The result of `apply()`, and the record that the table then holds. */
export interface Made {
  readonly applied: Applied<unknown>
  readonly record: Row | undefined
}

/**
 * Makes the change that the `write` function gets. Its records are frozen, and `value` is a copy,
 * so that the function can't modify the data that has been checked and will be stored. `apply` does
 * not use `this`, so the function may destructure the change: `const { apply } = change`.
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
    // If the function does not await this promise, a rejection must not end the process. The
    // failure still appears in the result of the whole change.
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
