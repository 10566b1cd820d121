/** Many records that are to be created: all that is wrong with any of them at once, by batched reads. */
import { escapePointer, type JsonObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { refuseBody } from '../../plan/record.js'
import { summaryOf } from '../../plan/refusal.js'
import type { Mounted } from '../../plan/routes.js'
import { HttpProblem, toProblem, type Violation } from '../../problem.js'
import { Slices } from '../../slices.js'
import type { Caller, Visit } from '../caller.js'
import { bodyToCreate, checkTeamRules } from '../input.js'
import { danglingInAll, storedTerms } from '../links.js'
import { create } from '../operations/collections.js'
import { refuseForeignParent } from '../operations/writes.js'
import { checkAllowed } from '../permission.js'
import { refusedRecord } from '../refusals.js'
import { Store } from '../store.js'
import { lineagesOf, parentKeyOf } from './lineages.js'
import type { Reach } from './reach.js'
import { OwnVisit } from './visit.js'

/** A row on its way: what it is stored as, below which parents. */
export interface Row {
  readonly visit: Visit
  readonly record: JsonObject
}

/** What is wrong, by row. */
export class RowViolations {
  readonly #found: { readonly row: number; readonly violation: Violation }[] = []
  readonly #from: number | undefined

  /** `from`: the number of the first row; `undefined` where there is but one, which is not named. */
  constructor(from?: number) {
    this.#from = from
  }

  /** Adds what a problem says of a row. Throws what no client can fix. */
  take(row: number, error: unknown): void {
    const problem = toProblem(error)
    if (problem.status >= 500) throw error
    const { detail = problem.title, code, clause } = problem
    const name = this.#from === undefined ? '' : `/${this.#from + row}`
    for (const violation of problem.errors.length === 0 ? [{ detail, code, clause }] : problem.errors) {
      this.#found.push({ row, violation: { ...violation, pointer: `${name}${violation.pointer ?? ''}` } })
    }
  }

  /** Whether there is any. */
  get some(): boolean {
    return this.#found.length > 0
  }

  /** All of them, in the order of the rows. */
  problem(): HttpProblem {
    const errors = this.#found.toSorted((a, b) => a.row - b.row).map(({ violation }) => violation)
    return new HttpProblem('invalid-body', { detail: summaryOf(errors), errors })
  }
}

/**
 * The rows as they would be stored; `undefined` where one is refused, which `violations` then says.
 * Throws the problem of a caller who may create none.
 */
export async function checkedRows(
  caller: Caller,
  reach: Reach,
  values: readonly JsonObject[],
  violations: RowViolations,
): Promise<readonly (Row | undefined)[]> {
  const place = new OwnVisit(caller, reach, [])
  const rowOf = await sentRows(caller, reach, place, values)
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
  return checkedStored(place, rows, violations)
}

/** One row, as a POST takes it before it looks at links and rules. Throws problems. */
export async function sentRow(caller: Caller, reach: Reach, value: JsonObject): Promise<Row> {
  return (await sentRows(caller, reach, new OwnVisit(caller, reach, []), [value]))(0)
}

/** Gives each row, below the parent that it names; throws what is wrong with it. */
async function sentRows(caller: Caller, reach: Reach, place: Visit, values: readonly JsonObject[]): Promise<(row: number) => Row> {
  const { resource } = reach
  await checkAllowed(place, resource.collection, create)
  const parentOf = await parentsOf(place, values)
  return (i) => {
    const parent = parentOf(i)
    const found = parent?.key !== undefined && parent.lineage === undefined ? [orphan(resource)] : []
    const visit = parent?.lineage === undefined ? place : new OwnVisit(caller, reach, parent.lineage)
    const record = bodyToCreate(visit, values[i], {}, found)
    if (parent !== undefined && parent.lineage === undefined) refuseBody([parentless(resource)])
    refuseForeignParent(visit)
    return { visit, record }
  }
}

/** What only the store and the team's rules can tell. */
async function checkedStored(
  place: Visit,
  rows: readonly (Row | undefined)[],
  violations: RowViolations,
): Promise<readonly (Row | undefined)[]> {
  const whole = rows.flatMap((row, i) => (row === undefined ? [] : [{ ...row, i }]))
  const records = whole.map(({ record }) => record)
  const dangling = await danglingInAll(place, place.resource, records)
  const taken = await takenKeys(place, records)
  const { plan } = place.resource
  const checked: (Row | undefined)[] = rows.map(() => undefined)
  const slices = new Slices()
  for (const [at, { visit, record, i }] of whole.entries()) {
    const pause = slices.pause()
    if (pause !== undefined) await pause
    try {
      await checkTeamRules(visit, record, undefined, 'create', dangling[at] ?? [])
      checked[i] = { visit, record }
    } catch (error) {
      violations.take(i, error)
    }
    if (!taken[at]) continue
    violations.take(i, refusedRecord(plan, { refused: 'duplicate', members: plan.key.members }, new Set()))
    checked[i] = undefined
  }
  return checked
}

/** Which records have a key that is stored already, or that one before them has. */
async function takenKeys(place: Visit, records: readonly JsonObject[]): Promise<readonly boolean[]> {
  const { key: codec } = place.resource.plan
  const keys = records.map((record) => codec.of(record))
  const distinct = new Map(keys.filter((key) => key !== undefined).map((key) => [codec.text(key), key]))
  const stored = distinct.size === 0 ? [] : await new Store(place, place.resource).read([...distinct.values()])
  const taken = new Set([...distinct.keys()].filter((_, i) => stored[i] !== undefined))
  return keys.map((key) => {
    if (key === undefined) return false
    const text = codec.text(key)
    return taken.has(text) || !taken.add(text)
  })
}

/** The parent that a row names, and where it is, if it is there. */
interface Parent {
  readonly key: KeyValue | undefined
  readonly lineage: readonly KeyValue[] | undefined
}

/** The parent of each row; `undefined` where the resource is contained in nothing. */
async function parentsOf(place: Visit, values: readonly JsonObject[]): Promise<(row: number) => Parent | undefined> {
  const { resource } = place
  const { parent } = resource
  if (parent === undefined) return () => undefined
  const { key: codec } = parent.mounted.plan
  const named = values.map((value) => parentKeyOf(resource, storedTerms(place, resource, value, [])))
  const lineages = await lineagesOf(
    place,
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
  detail: `"${holderOf(resource)}" leads to nothing: there is no such item in ${resource.parent?.mounted.plan.collection}.`,
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
