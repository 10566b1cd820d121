/** Wrong adapters, with errors in filters. */
import type { Condition, Scalar } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import { type Mutant, mutant } from './mutant.js'

/**
 * A plain adapter in which `holds` decides whether a record meets a condition. If `holds` returns
 * `undefined`, the plain adapter decides.
 */
const holding = (
  holds: (condition: Condition, row: Row, base: (condition: Condition) => boolean) => boolean | undefined,
) =>
  class extends PlainAdapter {
    override holds(condition: Condition, row: Row): boolean {
      const base = (other: Condition) => super.holds(other, row)
      return holds(condition, row, base) ?? base(condition)
    }
  }

const withOp = (condition: Condition, op: string): Condition => ({ ...condition, op }) as Condition

const asPattern = (text: Scalar) =>
  new RegExp(
    `^${String(text)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('%', '.*')
      .replaceAll('_', '.')}$`,
    's',
  )

export const filterMutants: readonly Mutant[] = [
  mutant(
    'ignores conditions',
    ['filters/eq', 'filters/no-match'],
    holding(() => true),
  ),
  mutant(
    'ignores conditions on nested members',
    ['filters/eq', 'filters/null-matches-nothing'],
    holding(({ path }) => (path.length > 1 ? true : undefined)),
  ),
  mutant(
    'uses only the last condition of a member',
    ['filters/and'],
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        const where = [...new Map(request.where.map((condition) => [condition.field, condition])).values()]
        return super.matching({ ...request, where }, call, method)
      }
    },
  ),
  mutant(
    'combines conditions with OR',
    ['filters/composite-key'],
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        const all = super.matching({ ...request, where: [] }, call, method)
        return all.filter(
          ({ value }) => request.where.length === 0 || request.where.some((condition) => this.holds(condition, value)),
        )
      }
    },
  ),
  mutant(
    'compares only with the first value of "in"',
    ['filters/and', 'filters/in'],
    holding((condition, _row, base) =>
      condition.op === 'in' ? base({ ...condition, op: 'eq', value: condition.value[0] as Scalar }) : undefined,
    ),
  ),
  mutant(
    'treats "gt" as "gte"',
    ['filters/text-ranges', 'filters/gt'],
    holding((condition, _row, base) => (condition.op === 'gt' ? base(withOp(condition, 'gte')) : undefined)),
  ),
  mutant(
    'treats "gte" as "gt"',
    ['filters/and', 'filters/gte'],
    holding((condition, _row, base) => (condition.op === 'gte' ? base(withOp(condition, 'gt')) : undefined)),
  ),
  mutant(
    'treats "lt" as "lte"',
    ['filters/and', 'filters/lt'],
    holding((condition, _row, base) => (condition.op === 'lt' ? base(withOp(condition, 'lte')) : undefined)),
  ),
  mutant(
    'treats "lte" as "lt"',
    ['filters/text-ranges', 'filters/lte'],
    holding((condition, _row, base) => (condition.op === 'lte' ? base(withOp(condition, 'lt')) : undefined)),
  ),
  mutant(
    'treats null as lower than every value',
    ['filters/null-matches-nothing'],
    holding((condition, { note }) =>
      (condition.op === 'lt' || condition.op === 'lte') && condition.field === 'note' && note === null
        ? true
        : undefined,
    ),
  ),
  mutant(
    'treats the condition "null: false" as "null: true"',
    ['filters/null'],
    holding((condition, _row, base) => (condition.op === 'null' ? base({ ...condition, value: true }) : undefined)),
  ),
  mutant(
    'treats the members of a null object as not null',
    ['filters/null'],
    holding((condition, row) =>
      condition.op === 'null' && condition.path.length > 1 && row.address === null ? !condition.value : undefined,
    ),
  ),
  mutant(
    'treats "contains" as a substring test',
    ['filters/contains'],
    holding((condition, { tags }) =>
      condition.op === 'contains' ? JSON.stringify(tags).includes(String(condition.value)) : undefined,
    ),
  ),
  mutant(
    'searches the JSON text of a list for the JSON text of an item',
    ['filters/contains'],
    holding((condition, { tags }) =>
      condition.op === 'contains' ? JSON.stringify(tags).includes(JSON.stringify(condition.value)) : undefined,
    ),
  ),
  mutant(
    'joins a list with commas, and searches the text for an item',
    ['filters/contains'],
    holding((condition, { tags }) =>
      condition.op === 'contains' ? `,${(tags as string[]).join(',')},`.includes(`,${condition.value},`) : undefined,
    ),
  ),
  mutant(
    'treats % and _ in conditions as wildcards',
    ['filters/literal'],
    holding((condition, { label }) =>
      condition.field === 'label' && condition.op === 'eq' ? asPattern(condition.value).test(String(label)) : undefined,
    ),
  ),
  mutant(
    'ignores the case of strings in conditions',
    ['filters/literal'],
    holding((condition, { label }) =>
      condition.field === 'label' && condition.op === 'eq'
        ? String(condition.value).toLowerCase() === String(label).toLowerCase()
        : undefined,
    ),
  ),
  mutant(
    'compares numbers with a tolerance',
    ['filters/eq'],
    holding((condition, { weight }) =>
      condition.field === 'weight' && condition.op === 'eq'
        ? Math.abs((weight as number) - (condition.value as number)) < 1e-9
        : undefined,
    ),
  ),
  mutant(
    'throws for numbers below the range of 32 bits',
    ['filters/no-match'],
    holding((condition) => {
      if (typeof condition.value === 'number' && condition.value < -(2 ** 31)) throw new Error('integer out of range')
      return undefined
    }),
  ),
  mutant(
    'finds nothing if a condition names a part of a composite key',
    ['filters/composite-key'],
    holding(({ field }) => (field === 'order' ? false : undefined)),
  ),
]
