/** Wrong adapters, with errors in seeking (keyset pagination) and in searching. */
import type { AdapterCall, KeysetPosition, ListRequest } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/**
 * A plain adapter that applies `change` to each request that has a seek position, and then finds
 * the rows of the page.
 */
const seeking = (change: (request: ListRequest & { readonly seek: KeysetPosition }) => ListRequest) =>
  class extends PlainAdapter {
    override bounds(found: readonly Item[], request: ListRequest) {
      return super.bounds(
        found,
        request.seek === undefined ? request : change(request as ListRequest & { seek: KeysetPosition }),
      )
    }
  }

class SeeksTheRowAgain extends PlainAdapter {
  override beyond(difference: number, backwards: boolean): boolean {
    return backwards ? difference <= 0 : difference >= 0
  }
}

class SeeksPastTies extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    if (request.seek === undefined || request.sort.length < 2) return super.bounds(found, request)
    const sort = request.sort.slice(0, -1)
    return super.bounds(found, { ...request, sort })
  }
}

class SeeksTheRow extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    const { seek, sort, size } = request
    if (seek === undefined) return super.bounds(found, request)
    const at = found.findIndex((item) => this.compareTerms(this.place(item, sort), seek.values, sort) === 0)
    if (at < 0) return { from: 0, to: size }
    return seek.backwards
      ? { from: Math.max(0, at - size), to: at }
      : { from: at + 1, to: Math.min(found.length, at + 1 + size) }
  }
}

class SeeksWithoutNulls extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    if (!request.seek?.values.includes(null)) return super.bounds(found, request)
    return { from: found.length, to: found.length }
  }
}

class SeeksInOneDirection extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    const descending = request.sort[0]?.descending ?? false
    return super.bounds(
      found,
      request.seek === undefined
        ? request
        : { ...request, sort: request.sort.map((term) => ({ ...term, descending })) },
    )
  }
}

class MoreAlways extends PlainAdapter {
  override async list(request: ListRequest, call: AdapterCall) {
    return { ...(await super.list(request, call)), more: true }
  }
}

class MoreOfTheOtherSide extends PlainAdapter {
  override async list(request: ListRequest, call: AdapterCall) {
    const page = await super.list(request, call)
    return request.seek === undefined ? page : { ...page, more: page.items.length < (page.total ?? 0) }
  }
}

class RanksAtRandom extends PlainAdapter {
  #lists = 0
  override compare(a: Item, b: Item, request: ListRequest): number {
    if (request.sort.length > 0) return super.compare(a, b, request)
    this.#lists += 1
    return super.compare(a, b, request) * (this.#lists % 5 < 2 ? -1 : 1)
  }
}

class SearchesCaseBound extends PlainAdapter {
  override rank(search: string, { label, note }: Row): number {
    return `${String(label)} ${String(note)}`.split(search.trim()).length - 1
  }
}

class SearchesOldTexts extends PlainAdapter {
  readonly #old = new Map<unknown, string>()
  override write(text: string, row: Row): Item {
    this.#old.set(row.code, `${this.#old.get(row.code) ?? ''} ${String(row.label)}`)
    return super.write(text, row)
  }
  override rank(search: string, row: Row): number {
    return super.rank(search, { ...row, note: `${String(row.note)} ${this.#old.get(row.code) ?? ''}` })
  }
}

export const seekMutants: readonly Mutant[] = [
  mutant('always reports that there are more rows', ['paging/past-end', 'paging/more'], MoreAlways),
  mutant(
    'reports that there are more rows whenever it seeks, unless the page contains the whole list',
    ['seek/more'],
    MoreOfTheOtherSide,
  ),
  mutant('includes the row at the seek position', ['seek/forward', 'seek/backwards', 'seek/more'], SeeksTheRowAgain),
  mutant('skips records that tie with the seek position', ['seek/forward', 'seek/backwards'], SeeksPastTies),
  mutant('returns the first rows if the row at the seek position no longer exists', ['seek/gone'], SeeksTheRow),
  mutant('finds nothing if the seek position contains null', ['seek/forward', 'seek/backwards'], SeeksWithoutNulls),
  mutant('seeks as if all sort terms had the direction of the first', ['seek/mixed'], SeeksInOneDirection),
  mutant(
    'seeks forwards instead of backwards',
    ['seek/backwards'],
    seeking((request) => ({ ...request, seek: { ...request.seek, backwards: false } })),
  ),
  mutant(
    'ignores the seek position, but declares that it can seek',
    ['seek/forward', 'seek/more'],
    seeking(({ seek: _seek, ...request }) => request),
  ),
  mutant(
    'ignores the parent when it seeks',
    ['seek/parent'],
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        const { parent: _parent, ...rest } = request
        return super.matching(request.seek === undefined ? request : rest, call, method)
      }
    },
  ),
  mutant(
    'seeks only by the first part of a composite key',
    ['seek/composite'],
    class extends PlainAdapter {
      override bounds(found: readonly Item[], request: ListRequest) {
        const { members } = this.definition.key
        const sort = members.length < 2 ? request.sort : request.sort.filter(({ field }) => field !== members.at(-1))
        return super.bounds(found, request.seek === undefined ? request : { ...request, sort })
      }
    },
  ),
  mutant(
    'ignores conditions when it seeks',
    ['seek/filtered'],
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        return super.matching(request.seek === undefined ? request : { ...request, where: [] }, call, method)
      }
    },
  ),
  mutant('ranks search results at random', ['search/rank', 'search/finds'], RanksAtRandom),
  mutant('searches case-sensitively', ['search/finds'], SearchesCaseBound),
  mutant('also finds records by their former values', ['search/follows'], SearchesOldTexts),
  mutant(
    'ignores the search text',
    ['search/finds'],
    class extends PlainAdapter {
      override found() {
        return true
      }
    },
  ),
  mutant(
    'ignores conditions when it searches',
    ['search/filtered'],
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        return super.matching(request.search === undefined ? request : { ...request, where: [] }, call, method)
      }
    },
  ),
  mutant(
    'orders search results by rank, regardless of the sort',
    ['search/sorted'],
    class extends PlainAdapter {
      override compare(a: Item, b: Item, request: ListRequest): number {
        return super.compare(a, b, request.search === undefined ? request : { ...request, sort: [] })
      }
    },
  ),
  altered('throws for a search that it cannot parse', ['search/any-text'], (base) => {
    const list = base.list.bind(base)
    return {
      async list(request: ListRequest, call: AdapterCall) {
        if (/["'()&|!]/.test(request.search ?? '')) throw new Error('syntax error in tsquery')
        return list(request, call)
      },
    }
  }),
]
