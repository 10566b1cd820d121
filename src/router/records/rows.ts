/**
 * Checks many records before they are created. Reports all violations of all rows at once, and
 * reads from the store in batches.
 */
import { escapePointer, type JsonObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { refuseBody } from '../../plan/record.js'
import { summaryOf } from '../../plan/refusal.js'
import type { Mounted } from '../../plan/routes.js'
import { HttpProblem, toProblem, type Violation } from '../../problem.js'
import { Slices } from '../../slices.js'
import type { Caller, ConditionalPlace } from '../caller.js'
import { bodyToCreate, runRules } from '../input.js'
import { danglingInAll, storedTerms } from '../links.js'
import { create } from '../operations/collections.js'
import { refuseForeignParent } from '../operations/writes.js'
import { checkAllowed } from '../permission.js'
import { refusedRecord } from '../refusals.js'
import { Store } from '../store.js'
import type { DataAccess } from './data-access.js'
import { lineagesOf, parentKeyOf } from './lineages.js'
import { OwnPlace } from './own-place.js'

/** A checked row: the record to store, and the place where it is created, below its parents. */
export interface Row {
  readonly place: ConditionalPlace
  readonly record: JsonObject
}

/** Collects violations, each with the index of its row. */
export class RowViolations {
  readonly #found: { readonly row: number; readonly violation: Violation }[] = []
  readonly #from: number | undefined

  /**
   * `from` is the number of the first row. It is `undefined` for a single record, whose violations
   * get no row number.
   */
  constructor(from?: number) {
    this.#from = from
  }

  /** Adds the violations of a problem to a row. Rethrows errors that a client can't fix. */
  take(row: number, error: unknown): void {
    const problem = toProblem(error)
    if (problem.status >= 500) throw error
    const { detail = problem.title, code, clause } = problem
    const name = this.#from === undefined ? '' : `/${this.#from + row}`
    for (const violation of problem.errors.length === 0 ? [{ detail, code, clause }] : problem.errors) {
      this.#found.push({ row, violation: { ...violation, pointer: `${name}${violation.pointer ?? ''}` } })
    }
  }

  /** Whether there are any violations. */
  get some(): boolean {
    return this.#found.length > 0
  }

  /** One problem with all violations, in row order. */
  problem(): HttpProblem {
    const errors = this.#found.toSorted((a, b) => a.row - b.row).map(({ violation }) => violation)
    return new HttpProblem('invalid-body', { detail: summaryOf(errors), errors })
  }
}

/**
 * Returns the rows as they would be stored. A refused row is `undefined`, and its violations are
 * added to `violations`. Throws a problem if the caller is not allowed to create records of this
 * resource.
 */
export async function checkedRows(
  caller: Caller,
  access: DataAccess,
  values: readonly JsonObject[],
  violations: RowViolations,
): Promise<readonly (Row | undefined)[]> {
  const top = new OwnPlace(caller, access, [])
  const rowOf = await sentRows(caller, access, top, values)
  const rows: (Row | undefined)[] = values.map(() => undefined)
  const slices = new Slices()
  for (const i of values.keys()) {
    const pause = slices.pause()
    if (pause !== undefined) await pause
    try {
      rows[i] = rowOf(i)
    } catch (error) {
      violations.take(i, error)
    }
  }
  return checkedStored(top, rows, violations)
}

/**
 * Converts one record to a row. The record goes through the same checks as the body of a POST,
 * except that the targets of its links and the resource's rules are not checked yet. Throws a
 * problem if a check fails.
 */
export async function sentRow(caller: Caller, access: DataAccess, value: JsonObject): Promise<Row> {
  return (await sentRows(caller, access, new OwnPlace(caller, access, []), [value]))(0)
}

/**
 * Returns a function that converts the record at an index to a row. The row is placed below the
 * parent whose key the record contains. The returned function throws a problem with the violations
 * of the record.
 */
async function sentRows(
  caller: Caller,
  access: DataAccess,
  top: ConditionalPlace,
  values: readonly JsonObject[],
): Promise<(row: number) => Row> {
  const { resource } = access
  await checkAllowed(top, resource.collection, create)
  const parentOf = await parentsOf(top, values)
  return (i) => {
    const parent = parentOf(i)
    const violations = parent?.key !== undefined && parent.lineage === undefined ? [orphan(resource)] : []
    const place = parent?.lineage === undefined ? top : new OwnPlace(caller, access, parent.lineage)
    const record = bodyToCreate(place, values[i], {}, violations)
    if (parent !== undefined && parent.lineage === undefined) refuseBody([parentless(resource)])
    refuseForeignParent(place)
    return { place, record }
  }
}

/** Runs the checks that need the store, and runs the resource's rules. */
async function checkedStored(
  top: ConditionalPlace,
  rows: readonly (Row | undefined)[],
  violations: RowViolations,
): Promise<readonly (Row | undefined)[]> {
  const whole = rows.flatMap((row, i) => (row === undefined ? [] : [{ ...row, i }]))
  const records = whole.map(({ record }) => record)
  const dangling = await danglingInAll(top, top.resource, records)
  const taken = await takenKeys(top, records)
  const { plan } = top.resource
  const checked: (Row | undefined)[] = rows.map(() => undefined)
  const slices = new Slices()
  for (const [at, { place, record, i }] of whole.entries()) {
    const pause = slices.pause()
    if (pause !== undefined) await pause
    try {
      await runRules(place, record, undefined, 'create', dangling[at] ?? [])
      checked[i] = { place, record }
    } catch (error) {
      violations.take(i, error)
    }
    if (!taken[at]) continue
    violations.take(i, refusedRecord(plan, { refused: 'duplicate', members: plan.key.members }, new Set()))
    checked[i] = undefined
  }
  return checked
}

/**
 * Returns, for each record, whether its key is taken. A key is taken if it is already stored, or if
 * an earlier record of the batch has it.
 */
async function takenKeys(top: ConditionalPlace, records: readonly JsonObject[]): Promise<readonly boolean[]> {
  const { key: codec } = top.resource.plan
  const keys = records.map((record) => codec.of(record))
  const distinct = new Map(keys.filter((key) => key !== undefined).map((key) => [codec.text(key), key]))
  const stored = distinct.size === 0 ? [] : await new Store(top, top.resource).read([...distinct.values()])
  const taken = new Set([...distinct.keys()].filter((_, i) => stored[i] !== undefined))
  return keys.map((key) => {
    if (key === undefined) return false
    const text = codec.text(key)
    return taken.has(text) || !taken.add(text)
  })
}

/**
 * The parent of a record. `key` is the parent's key, which the record contains. `lineage` holds the
 * keys of the parent's own parents, outermost first, and then the parent's key. `lineage` is
 * `undefined` if the parent does not exist, or if the caller may not read it.
 */
interface Parent {
  readonly key: KeyValue | undefined
  readonly lineage: readonly KeyValue[] | undefined
}

/**
 * Returns a function that returns the parent of the record at an index. If the resource is not
 * contained in another resource, that function returns `undefined`.
 */
async function parentsOf(
  top: ConditionalPlace,
  values: readonly JsonObject[],
): Promise<(row: number) => Parent | undefined> {
  const { resource } = top
  const { parent } = resource
  if (parent === undefined) return () => undefined
  const { key: codec } = parent.mounted.plan
  const named = values.map((value) => parentKeyOf(resource, storedTerms(top, resource, value, [])))
  const lineages = await lineagesOf(
    top,
    parent.mounted,
    named.filter((key) => key !== undefined),
  )
  return (row) => {
    const key = named[row]
    return { key, lineage: key === undefined ? undefined : lineages.get(codec.text(key)) }
  }
}

const holderOf = ({ parent }: Mounted): string => parent?.by[0] ?? ''

const orphan = (resource: Mounted): Violation => ({
  pointer: `/${escapePointer(holderOf(resource))}`,
  detail:
    `"${holderOf(resource)}" refers to an item that does not exist in ` +
    `${resource.parent?.mounted.plan.collection}.`,
  code: 'reference',
  params: { collection: resource.parent?.mounted.plan.collection ?? '' },
  clause: 'PATH-7',
})

const parentless = (resource: Mounted): Violation => ({
  pointer: `/${escapePointer(holderOf(resource))}`,
  detail: `"${holderOf(resource)}" is required.`,
  code: 'required',
  params: { member: holderOf(resource) },
})
