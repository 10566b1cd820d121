/** Wrong adapters, with errors for large counts, long texts and empty lists. */
import type { AdapterCall, Condition, ListRequest } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/** Makes an adapter that reads only some keys of a batch. */
const readingSome = (
  name: string,
  caughtBy: readonly string[],
  some: (keys: readonly unknown[], base: PlainAdapter) => readonly unknown[],
) =>
  altered(name, caughtBy, (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        const answered = new Set(some(keys, base).map((key) => base.text(key)))
        const found = await read(keys, call)
        return found.map((item, i) => (answered.has(base.text(keys[i])) ? item : undefined))
      },
    }
  })

/** Makes an adapter that compares members with only some of the values of `in`. */
const inWith = (
  name: string,
  caughtBy: readonly string[],
  some: (condition: Condition & { readonly op: 'in' }) => readonly unknown[] | 'all',
) =>
  mutant(
    name,
    caughtBy,
    class extends PlainAdapter {
      override holds(condition: Condition, row: Row): boolean {
        if (condition.op !== 'in') return super.holds(condition, row)
        const value = some(condition)
        return value === 'all' || super.holds({ ...condition, value } as Condition, row)
      }
    },
  )

/** Makes an adapter that changes each list request before it runs the request. */
const asking = (
  name: string,
  caughtBy: readonly string[],
  change: (request: ListRequest, base: PlainAdapter) => Partial<ListRequest>,
) =>
  altered(name, caughtBy, (base) => {
    const list = base.list.bind(base)
    return { list: (request: ListRequest, call: AdapterCall) => list({ ...request, ...change(request, base) }, call) }
  })

class CountsToAThousand extends PlainAdapter {
  override total(request: ListRequest, call: AdapterCall, listed: number): number {
    return Math.min(1000, super.total(request, call, listed))
  }
}

class SumOfNothing extends PlainAdapter {
  override total(request: ListRequest, call: AdapterCall, listed: number): number {
    return this.store.rows.size === 0 ? Number.NaN : super.total(request, call, listed)
  }
}

class NumbersAsText extends PlainAdapter {
  override compareScalars(...[a, b, path]: Parameters<PlainAdapter['compareScalars']>): number {
    return this.definition.collection === 'orders'
      ? super.compareScalars(String(a), String(b), path)
      : super.compareScalars(a, b, path)
  }
}

class CutsKeys extends PlainAdapter {
  override text(key: unknown): string {
    return super.text(key).slice(0, 255)
  }
}

class CutsIds extends PlainAdapter {
  override known(call: AdapterCall) {
    return super.known(cut(call))
  }
  override keep(call: AdapterCall, item: Item): void {
    super.keep(cut(call), item)
  }
}

const cut = (call: AdapterCall): AdapterCall =>
  call.idempotency === undefined
    ? call
    : { ...call, idempotency: { ...call.idempotency, id: call.idempotency.id.slice(0, 64) } }

export const boundMutants: readonly Mutant[] = [
  altered('reads only the first 1,000 keys of a batch if the call has a scope', ['scope/batch'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        const found = await read(keys, call)
        return found.map((item, i) => (i < 1000 || Object.keys(call.scope).length === 0 ? item : undefined))
      },
    }
  }),
  readingSome('reads only the first 1,000 keys of a batch', ['reads/thousands', 'volume/many'], (keys) =>
    keys.slice(0, 1000),
  ),
  readingSome('reads at most 1,000 different keys of a batch', ['reads/thousands'], (keys) =>
    [...new Set(keys)].slice(0, 1000),
  ),
  readingSome('reads only the first 65,535 keys of a batch', ['reads/thousands'], (keys) => keys.slice(0, 65_535)),
  readingSome('returns only the first 1,000 records of a batch', ['volume/many'], (keys, base) =>
    keys.filter((key) => base.store.rows.has(base.text(key))).slice(0, 1000),
  ),
  inWith('compares only with the first ten values of "in"', ['filters/in-many'], ({ value }) => value.slice(0, 10)),
  inWith('compares only with the last 1,000 values of "in"', ['filters/in-many', 'volume/many'], ({ value }) =>
    value.slice(-1000),
  ),
  inWith('treats "in" without values as no condition', ['filters/in-few'], ({ value }) =>
    value.length === 0 ? 'all' : value,
  ),
  inWith('finds nothing if "in" has a single value', ['filters/in-few'], ({ value }) =>
    value.length === 1 ? [] : value,
  ),
  asking('returns pages of at most 1,000 records', ['volume/many'], ({ size }) => ({ size: Math.min(1000, size) })),
  asking('treats an offset above 1,000 as 1,000', ['volume/many'], ({ offset }) => ({
    offset: Math.min(1000, offset),
  })),
  mutant('returns a total of at most 1,000', ['volume/many'], CountsToAThousand),
  mutant('returns NaN as the total if there are no records', ['volume/none'], SumOfNothing),
  mutant('orders integer keys as text', ['volume/many'], NumbersAsText),
  mutant('cuts keys at 255 characters', ['texts/long-keys'], CutsKeys),
  mutant('cuts idempotency ids at 64 characters', ['keys/names'], CutsIds),
  asking(
    "returns the first page of a parent's records if the offset is too large",
    ['random/contracts'],
    ({ parent, offset, size }, base) =>
      parent !== undefined && offset >= base.store.rows.size - size ? { offset: 0 } : {},
  ),
]
