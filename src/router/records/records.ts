/**
 * The records of one resource, for the service's own code. The methods do the same as requests, but
 * without HTTP.
 */

import type { Stored, WriteMethod } from '../../adapters/contract.js'
import { isObject, type JsonObject } from '../../definition/json.js'
import { type KeyValue, lastKey, membersHolding } from '../../definition/key.js'
import { loggableError } from '../../failures/loggable.js'
import { unconditional } from '../../middleware/if-match.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { itemPath } from '../../plan/addresses.js'
import type { OperationDescription } from '../../plan/operation.js'
import type {
  ChangeOptions,
  Records,
  RefusedRecord,
  RefusedRecords,
  RowsOptions,
  WrittenRecord,
} from '../../plan/records.js'
import { keyOf } from '../../plan/resource-plan.js'
import { ConfigurationError, toProblem } from '../../problem.js'
import { Slices } from '../../slices.js'
import type { Caller, ConditionalPlace } from '../caller.js'
import { bodyToReplace } from '../input.js'
import * as items from '../operations/items.js'
import { createRecord, type Made, patchRecord, removeRecord, replaceRecord } from '../operations/writes.js'
import { MergePatch } from '../patch.js'
import { checkAllowed } from '../permission.js'
import { absent, Store } from '../store.js'
import type { DataAccess } from './data-access.js'
import { Job } from './job.js'
import { lineageOfItem } from './lineages.js'
import { OwnPlace } from './own-place.js'
import { plainValue, withLinks } from './plain-value.js'
import { checkedRows, type Row, RowViolations, sentRow } from './rows.js'

type Written = WrittenRecord<unknown, KeyValue>

export const changeKinds: Kinds<ChangeOptions> = { expected: 'string' }
export const rowsKinds: Kinds<RowsOptions> = { from: { from: 0, whole: true } }

export class OwnRecords implements Records<unknown, KeyValue> {
  readonly #callerOf: () => Caller
  readonly #access: DataAccess
  readonly #what: string

  /** `callerOf` returns the caller. The function is called once for each call of a method. */
  constructor(callerOf: () => Caller, access: DataAccess) {
    this.#callerOf = callerOf
    this.#access = access
    this.#what = `records("${access.resource.plan.collection}")`
  }

  create(value: unknown): Promise<Written | RefusedRecord> {
    return this.#work(async (caller) => {
      this.#needs('create')
      const row = await sentRow(caller, this.#access, this.#sent(caller, value))
      return this.#made(row, await createRecord(row.place, this.#storeOf(row), row.record))
    })
  }

  replace(key: unknown, value: unknown, options?: ChangeOptions): Promise<Written | RefusedRecord> {
    return this.#change(key, options, items.replace, async (place) =>
      this.#written(
        place,
        place.keys,
        await replaceRecord(place, bodyToReplace(place, this.#sent(place, value, place.key))),
      ),
    )
  }

  patch(key: unknown, patch: unknown, options?: ChangeOptions): Promise<Written | RefusedRecord> {
    return this.#change(key, options, items.patch, async (place) => {
      const merge = new MergePatch(this.#sent(place, patch, place.key))
      return this.#written(place, place.keys, await patchRecord(place, merge))
    })
  }

  remove(key: unknown, options?: ChangeOptions): Promise<{ readonly removed: true } | RefusedRecord> {
    return this.#change(key, options, items.remove, async (place) => {
      await removeRecord(place)
      return { removed: true }
    })
  }

  check(value: unknown): Promise<{ readonly record: unknown } | RefusedRecord> {
    return this.#work(async (caller) => {
      const violations = new RowViolations()
      const [row] = await this.#checked(caller, [value], violations)
      return row === undefined ? { problem: violations.problem() } : { record: row.record }
    })
  }

  checkAll(
    values: readonly unknown[],
    options: RowsOptions = {},
  ): Promise<{ readonly records: readonly unknown[] } | RefusedRecord> {
    return this.#work(async (caller) => {
      const { from = 0 } = checkOptions<RowsOptions>(this.#what, options, rowsKinds)
      const violations = new RowViolations(from)
      const rows = await this.#checked(caller, values, violations)
      if (violations.some) return { problem: violations.problem() }
      return { records: rows.map((row) => row?.record) }
    })
  }

  async createAll(
    values: readonly unknown[],
    options: RowsOptions = {},
  ): Promise<{ readonly made: readonly Written[] } | RefusedRecords<unknown, KeyValue>> {
    const { from = 0 } = checkOptions<RowsOptions>(this.#what, options, rowsKinds)
    return this.#withCaller(async (caller) => {
      const violations = new RowViolations(from)
      const rows = await resultOrProblem(() => this.#checked(caller, values, violations))
      if ('problem' in rows) return { ...rows, made: [] }
      if (violations.some) return { problem: violations.problem(), made: [] }
      const made = await this.#store(caller, rows as readonly Row[], violations)
      return violations.some ? { problem: violations.problem(), made } : { made: made as readonly Written[] }
    })
  }

  /**
   * Returns the result of `work`, or the problem that a client would have got. Rethrows errors that
   * a client can't fix.
   */
  #work<R>(work: (caller: Caller) => Promise<R>): Promise<R | RefusedRecord> {
    return resultOrProblem(() => this.#withCaller(work))
  }

  /** Calls `work` with the caller. If the caller is a job, ends the job afterwards. */
  async #withCaller<R>(work: (caller: Caller) => Promise<R>): Promise<R> {
    const caller = this.#callerOf()
    try {
      return await work(caller)
    } finally {
      if (caller instanceof Job) caller.end()
    }
  }

  async #checked(
    caller: Caller,
    values: readonly unknown[],
    violations: RowViolations,
  ): Promise<readonly (Row | undefined)[]> {
    this.#needs('create')
    if (!Array.isArray(values)) {
      throw invalidOption(`${this.#what} got no list of records. Give an array.`)
    }
    return checkedRows(
      caller,
      this.#access,
      values.map((value) => this.#sent(caller, value)),
      violations,
    )
  }

  /**
   * Creates the records of checked rows, one after another. If the store refuses a row, the result
   * for that row is `undefined`.
   */
  async #store(
    caller: Caller,
    rows: readonly Row[],
    violations: RowViolations,
  ): Promise<readonly (Written | undefined)[]> {
    const made: (Written | undefined)[] = []
    const slices = new Slices()
    for (const [i, row] of rows.entries()) {
      const pause = slices.pause()
      if (pause !== undefined) await pause
      if (caller instanceof Job) caller.again()
      try {
        made.push(this.#made(row, await this.#storeOf(row).create(row.record)))
      } catch (error) {
        violations.take(i, error)
        made.push(undefined)
      }
    }
    return made
  }

  #change<R>(
    given: unknown,
    options: ChangeOptions = {},
    operation: OperationDescription,
    act: (place: ConditionalPlace) => Promise<R>,
  ): Promise<R | RefusedRecord> {
    return this.#work(async (caller) => {
      const { expected } = checkOptions<ChangeOptions>(this.#what, options, changeKinds)
      const { resource } = this.#access
      if (operation.writes !== undefined) this.#needs(operation.writes)
      const conditions = expected === undefined ? unconditional : { ...unconditional, versions: [expected] }
      const keys = await lineageOfItem(new OwnPlace(caller, this.#access, []), resource, this.#key(given))
      const place = new OwnPlace(caller, this.#access, keys, conditions)
      await checkAllowed(place, resource.item, operation)
      return act(place)
    })
  }

  /** Returns the key in its canonical spelling. Throws `absent` if no URL can contain this key. */
  #key(given: unknown): KeyValue {
    const { key: codec } = this.#access.resource.plan
    if (given === undefined || given === null || isObject(given) !== codec.composite) {
      const parts = codec.members.join(', ')
      const wanted = codec.composite ? `an object of ${parts}` : `the value of ${parts}`
      throw invalidOption(`${this.#what} got no key. Give ${wanted}.`)
    }
    const key = codec.of(codec.composite ? given : { [codec.members[0] as string]: given })
    const known = key === undefined ? undefined : codec.parse(codec.text(key))
    if (known === undefined) throw absent()
    return known
  }

  /**
   * Returns the value as a client would have sent it. `key` is the key of the stored record that
   * the call replaces or patches. For a new record, `key` is omitted.
   */
  #sent({ service }: Caller, value: unknown, key?: KeyValue): JsonObject {
    const { resource } = this.#access
    const fixed = key === undefined ? {} : membersHolding(resource.plan.key, key)
    return withLinks(resource, plainValue(this.#what, value, service.depthLimit), fixed)
  }

  #needs(method: WriteMethod): void {
    const { adapter, plan } = this.#access.resource
    if (adapter[method] !== undefined) return
    throw new ConfigurationError(
      'adapter-incomplete',
      `The adapter of "${plan.collection}" has no ${method}(), which this call of records() needs. ` +
        'Add the method, or set the option "adapter" to an adapter that has the method.',
    )
  }

  #storeOf({ place }: Row): Store {
    return new Store(place, this.#access.resource)
  }

  #made({ place }: Row, made: Made): Written {
    const { plan } = this.#access.resource
    if (!('created' in made)) {
      throw loggableError(
        `The adapter of "${plan.collection}" did not create the record at once, so records() can't report its outcome.`,
      )
    }
    return this.#written(place, [...place.keys, keyOf(plan, made.created.value)], made.created)
  }

  #written({ base }: ConditionalPlace, keys: readonly KeyValue[], { value, version }: Stored<unknown>): Written {
    return { record: value, key: lastKey(keys), version, href: base + itemPath(this.#access.resource, keys) }
  }
}

/**
 * Returns the result of `work`, or the problem that a client would have got. Rethrows errors that a
 * client can't fix.
 */
async function resultOrProblem<R>(work: () => Promise<R>): Promise<R | RefusedRecord> {
  try {
    return await work()
  } catch (error) {
    const problem = toProblem(error)
    if (problem.status >= 500) throw error
    return { problem }
  }
}
