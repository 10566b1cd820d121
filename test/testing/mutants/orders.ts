/** Wrong adapters, with errors in the order, the pages and the totals of lists, and in searches. */
import type { AdapterCall, ListRequest, Scalar, SortTerm } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import { rankOf, searchWords } from '../plain-search.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/** A plain adapter that applies `change` to the sort terms before it compares records. */
const ordering = (change: (sort: readonly SortTerm[], request: ListRequest) => readonly SortTerm[]) =>
  class extends PlainAdapter {
    override compare(a: Item, b: Item, request: ListRequest): number {
      return request.sort.length === 0
        ? super.compare(a, b, request)
        : super.compare(a, b, { ...request, sort: change(request.sort, request) })
    }
  }

class NullsFirst extends PlainAdapter {
  override compareScalars(a: Scalar | null, b: Scalar | null, path: readonly string[]): number {
    return (a === null || b === null) && a !== b ? (a === null ? -1 : 1) : super.compareScalars(a, b, path)
  }
}

class NullsLastBothWays extends PlainAdapter {
  override compareTerms(...[a, b, terms]: Parameters<PlainAdapter['compareTerms']>): number {
    for (const [i, { descending, path }] of terms.entries()) {
      const difference = this.compareScalars(a[i] as Scalar | null, b[i] as Scalar | null, path)
      if (difference !== 0) return descending && a[i] !== null && b[i] !== null ? -difference : difference
    }
    return 0
  }
}

class RandomTies extends ordering((sort) => sort.slice(0, 1)) {
  #lists = 0
  override matching(...given: Parameters<PlainAdapter['matching']>) {
    this.#lists += 1
    const found = super.matching(...given)
    return this.#lists % 3 === 0 ? found.reverse() : found
  }
}

class NumbersAsText extends PlainAdapter {
  override compareScalars(a: Scalar | null, b: Scalar | null, path: readonly string[]): number {
    return typeof a === 'number' && typeof b === 'number'
      ? super.compareScalars(String(a), String(b), path)
      : super.compareScalars(a, b, path)
  }
}

class OrdersTextBlindly extends PlainAdapter {
  override compareTerms(...[a, b, terms]: Parameters<PlainAdapter['compareTerms']>): number {
    const blind = (values: readonly (Scalar | null)[]) =>
      values.map((value) => (typeof value === 'string' ? value.toLowerCase() : value))
    return super.compareTerms(blind(a), blind(b), terms) || super.compareTerms(a, b, terms)
  }
}

class TotalOfThePage extends PlainAdapter {
  override total(_request: ListRequest, _call: AdapterCall, listed: number): number {
    return listed
  }
}

class TotalOfEverything extends PlainAdapter {
  override total(request: ListRequest, call: AdapterCall): number {
    return super.total({ ...request, where: [] }, call, 0)
  }
}

class TotalAfterTheItems extends PlainAdapter {
  override async list(request: ListRequest, call: AdapterCall) {
    const page = await super.list(request, call)
    await this.pause()
    return { ...page, total: this.total(request, call, 0) }
  }
}

class RankAlone extends PlainAdapter {
  override compare(a: Item, b: Item, request: ListRequest): number {
    if (request.sort.length > 0) return super.compare(a, b, request)
    return this.rank(request.search ?? '', b.value) - this.rank(request.search ?? '', a.value)
  }
}

class FindsTheTextAsItIs extends PlainAdapter {
  override rank(search: string, row: Row): number {
    return rankOf([search.toLowerCase()], row)
  }
}

class FindsAnyOfTheWords extends PlainAdapter {
  override rank(search: string, row: Row): number {
    return Math.max(...searchWords(search).map((word) => rankOf([word], row)))
  }
}

class FindsNothingByNothing extends PlainAdapter {
  override found(search: string, row: Row): boolean {
    return search.trim() !== '' && super.found(search, row)
  }
}

class NoTotalPastTheEnd extends PlainAdapter {
  override total(request: ListRequest, call: AdapterCall, listed: number): number {
    return listed === 0 && request.page > 1 ? 0 : super.total(request, call, listed)
  }
}

class TotalBeforeTheItems extends PlainAdapter {
  override async list(request: ListRequest, call: AdapterCall) {
    const total = this.total(request, call, 0)
    await this.pause()
    return { ...(await super.list(request, call)), total }
  }
}

class CachedTotal extends PlainAdapter {
  #total: number | undefined
  override total(request: ListRequest, call: AdapterCall, listed: number): number {
    if (request.where.length + Object.keys(call.scope).length > 0 || request.parent)
      return super.total(request, call, listed)
    this.#total ??= super.total(request, call, listed)
    return this.#total
  }
}

export const orderMutants: readonly Mutant[] = [
  mutant(
    'sorts only by the first sort term',
    ['order/ascending', 'order/composite'],
    ordering((sort) => sort.slice(0, 1)),
  ),
  mutant('sorts ties differently in every third list', ['order/repeatable', 'paging/whole'], RandomTies),
  mutant(
    'always breaks ties by ascending key',
    ['order/descending'],
    ordering((sort) => [
      ...sort.slice(0, -1),
      { ...(sort.at(-1) as SortTerm), descending: sort.length > 1 ? false : (sort[0] as SortTerm).descending },
    ]),
  ),
  mutant(
    'breaks ties only by the first part of the key',
    ['order/composite', 'order/mixed'],
    ordering((sort) => (sort.length > 2 ? sort.slice(0, 2) : sort)),
  ),
  mutant(
    'sorts by all terms in the direction of the first term',
    ['order/composite', 'order/key-direction'],
    ordering((sort) => sort.map((term) => ({ ...term, descending: (sort[0] as SortTerm).descending }))),
  ),
  mutant(
    'sorts descending terms in ascending order',
    ['order/descending'],
    ordering((sort) => sort.map((term) => ({ ...term, descending: false }))),
  ),
  mutant('treats null as the lowest value when it sorts', ['order/nulls', 'order/ascending'], NullsFirst),
  mutant('puts nulls last, even in descending order', ['order/nulls', 'order/descending'], NullsLastBothWays),
  mutant('sorts numbers as strings', ['order/ascending'], NumbersAsText),
  mutant('ignores case when it sorts strings, but not in filters', ['filters/text-ranges'], OrdersTextBlindly),
  mutant('returns the number of items on the page as the total', ['paging/total'], TotalOfThePage),
  mutant('ignores conditions in the total', ['paging/total-filtered', 'associations/asked'], TotalOfEverything),
  mutant('returns a total of 0 for a page past the end', ['paging/total', 'scope/count'], NoTotalPastTheEnd),
  mutant('counts, waits, and then lists', ['races/total'], TotalBeforeTheItems),
  mutant('lists, waits, and then counts', ['races/total'], TotalAfterTheItems),
  mutant('sorts records of equal rank in the order of insertion', ['search/rank'], RankAlone),
  mutant('searches several words as one string', ['search/all-words'], FindsTheTextAsItIs),
  mutant('finds records that contain only one of several words', ['search/all-words'], FindsAnyOfTheWords),
  mutant('finds no record for a blank search', ['search/blank'], FindsNothingByNothing),
  mutant('never updates the total of an unfiltered list', ['paging/total-follows'], CachedTotal),
  mutant(
    'starts a page one row early',
    ['paging/whole'],
    class extends PlainAdapter {
      override bounds(found: readonly Item[], request: ListRequest) {
        const { from, to } = super.bounds(found, request)
        return request.seek === undefined && from > 0 ? { from: from - 1, to: to - 1 } : { from, to }
      }
    },
  ),
  mutant(
    'returns one row too many',
    ['paging/whole', 'search/any-text'],
    class extends PlainAdapter {
      override bounds(found: readonly Item[], request: ListRequest) {
        const { from, to } = super.bounds(found, request)
        return { from, to: to + 1 }
      }
    },
  ),
  mutant(
    'lists only the initial records',
    ['paging/total-follows', 'values/created', 'values/numbers'],
    class extends PlainAdapter {
      override matching(...given: Parameters<PlainAdapter['matching']>) {
        return super.matching(...given).filter(({ version }) => Number(version.slice(1)) <= 40)
      }
    },
  ),
  altered('throws for a page past the end', ['paging/past-end'], (base) => {
    const list = base.list.bind(base)
    return {
      async list(request: ListRequest, call: AdapterCall) {
        const page = await list(request, call)
        if (request.page > 1 && page.items.length === 0) throw new Error('no such page')
        return page
      },
    }
  }),
  altered('keeps offsets in 32 bits', ['paging/past-end'], (base) => {
    const list = base.list.bind(base)
    return { list: (request: ListRequest, call: AdapterCall) => list({ ...request, offset: request.offset | 0 }, call) }
  }),
]
