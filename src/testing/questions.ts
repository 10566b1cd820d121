/**
 * Generates random list requests, with conditions, search, sort, parent and scope in any
 * combination.
 */
import type { ParentKey, Scalar } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Random } from '../random.js'
import { memberAt, type Scope } from './model.js'
import type { ListParts, Where } from './requests.js'
import type { Row } from './row.js'

export interface Question {
  readonly parts: ListParts
  readonly scope: Scope
}

/** The data from which random list requests are generated. */
export interface QuestionData {
  readonly definition: ResourceDefinition
  readonly records: readonly Row[]
  /**
   * The parents whose collections the requests can list. Empty if the adapter can't attach records.
   */
  readonly parents: readonly ParentKey[]
  readonly searches: boolean
}

const searches = ['quorvex', 'ZINC', 'zinc Quorvex', 'quorvex ash', 'vexquor', '', ' ']

/**
 * A random list request. The larger `weight` is, the more likely it is that the request has several
 * conditions, a search, a parent and a scope.
 */
export function questionOf(
  random: Random,
  { definition, records, parents, searches: isSearched }: QuestionData,
  weight: number,
): Question {
  const conditions = random.below(Math.min(weight, 3) + 1)
  const where: Where[] = []
  for (let i = 0; i < conditions; i += 1) {
    // Sometimes a further condition uses the member of the first condition, for example to form a
    // range.
    const [same] = random.chance(0.3) ? where : []
    where.push(conditionOf(random, definition, records, same?.field))
  }
  const search = isSearched && random.chance(weight / 10) ? random.one(searches) : undefined
  const parent = parents.length > 0 && random.chance(weight / 8) ? random.one(parents) : undefined
  const sort = search !== undefined && random.chance(0.3) ? undefined : sortOf(random, definition)
  return {
    parts: {
      where,
      ...(sort === undefined ? {} : { sort }),
      ...(search === undefined ? {} : { search }),
      ...(parent === undefined ? {} : { parent }),
    },
    scope: random.chance(weight / 8) ? scopeOf(random, records) : {},
  }
}

function sortOf(random: Random, { sort }: ResourceDefinition): string {
  return random
    .some(sort, random.below(4))
    .map((field) => (random.chance(0.5) ? `-${field}` : field))
    .join()
}

function conditionOf(random: Random, definition: ResourceDefinition, records: readonly Row[], on?: string): Where {
  const contained = (definition.parent?.by ?? []).map((field) => ({ field, op: 'eq' as const, many: false }))
  const all = [...definition.filters.values(), ...contained].filter(({ field }) => on === undefined || field === on)
  const { field, op, many } = random.one(all)
  const values = valuesOf(records, field)
  if (op === 'null') return { field, op, value: random.chance(0.5) }
  if (op === 'eq' && many && random.chance(0.6))
    return { field, op: 'in', value: Array.from({ length: 1 + random.below(14) }, () => random.one(values)) }
  return { field, op, value: random.one(values) } as Where
}

/** The values of a member in the records. If the member is a list, the values of its items. */
const valuesOf = (records: readonly Row[], field: string): readonly Scalar[] =>
  records.flatMap((record) => memberAt(record, field) ?? [])

/**
 * A scope with one or two members, which contains at least one record. A value in the scope can be
 * false, zero or the empty string.
 */
function scopeOf(random: Random, records: readonly Row[]): Scope {
  const record = random.one(records)
  const members = Object.entries(record).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(random.some(members, 1 + random.below(2))) as Scope
}
