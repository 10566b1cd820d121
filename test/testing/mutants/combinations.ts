/** Wrong adapters. Most of their errors occur only if two features are combined. */
import type { AdapterCall, ListRequest } from '../../../src/adapters/contract.js'
import { isRefused } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/**
 * A mutant that ignores the search, the conditions or the scope in some calls. `change` returns the
 * request or the call without them, or `undefined` if this call is not affected.
 */
const forgetting = (
  name: string,
  caughtBy: readonly string[],
  change: (
    request: ListRequest,
    call: AdapterCall,
    method: 'list' | 'count',
    base: PlainAdapter,
  ) => { readonly request?: ListRequest; readonly call?: AdapterCall } | undefined,
): Mutant =>
  mutant(
    name,
    caughtBy,
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        const changed = change(request, call, method, this)
        return super.matching(changed?.request ?? request, changed?.call ?? call, method)
      }
    },
  )

const withoutSearch = ({ search: _search, ...request }: ListRequest) => ({ request })
const withoutConditions = (request: ListRequest) => ({ request: { ...request, where: [] } })
const withoutScope = (call: AdapterCall) => ({ call: { ...call, scope: {} } })
const keepsParents = ({ definition }: PlainAdapter, { parent }: ListRequest) =>
  parent !== undefined && definition.attachedTo.find(({ as }) => as === parent.as)?.by === undefined

class SortsNothingUnderParents extends PlainAdapter {
  override compare(a: Item, b: Item, request: ListRequest): number {
    if (request.parent === undefined) return super.compare(a, b, request)
    return super.compare(a, b, { ...request, sort: request.sort.slice(-1) })
  }
}

class LosesNullsInLaterTerms extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    const nulls = request.seek?.values.slice(1).some((value) => value === null)
    return nulls ? { from: 0, to: 0 } : super.bounds(found, request)
  }
}

class WrapsBackwards extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    const { from, to } = super.bounds(found, request)
    return request.seek?.backwards && to === 0
      ? { from: Math.max(0, found.length - request.size), to: found.length }
      : { from, to }
  }
}

class OmitsTheThirdTerm extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest) {
    if (request.seek === undefined || request.sort.length < 4) return super.bounds(found, request)
    return super.bounds(found, {
      ...request,
      sort: request.sort.filter((_, i) => i !== 2),
      seek: { ...request.seek, values: request.seek.values.filter((_, i) => i !== 2) },
    })
  }
}

class IndexesParentsOnAttach extends PlainAdapter {
  readonly #held = new Map<unknown, unknown>()
  override async attach(...given: Parameters<PlainAdapter['attach']>) {
    const answer = await super.attach(...given)
    if (answer === 'attached') this.#held.set(given[1], given[0].key)
    return answer
  }
  override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
    const found = super.matching(request, call, method)
    return request.parent?.as === 'contracts'
      ? found.filter(({ value }) => this.#held.get(value.code) === request.parent?.key || value.holder === 'bob')
      : found
  }
}

class TruthyScope extends PlainAdapter {
  override inScope(row: Row, { scope }: AdapterCall): boolean {
    return Object.entries(scope).every(([member, value]) => !value || row[member] === value)
  }
}

class UnionsConditions extends PlainAdapter {
  override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
    const where = request.where.map((condition) => {
      if (condition.op !== 'in') return condition
      const all = request.where.flatMap((other) =>
        other.op === 'in' && other.field === condition.field ? other.value : [],
      )
      return { ...condition, value: all }
    })
    return super.matching({ ...request, where }, call, method)
  }
}

export const combinationMutants: readonly Mutant[] = [
  forgetting(
    'ignores the search under a parent if no member of the records names the parent',
    ['search/parent', 'random/contracts'],
    (request, _call, _method, base) => (keepsParents(base, request) ? withoutSearch(request) : undefined),
  ),
  forgetting(
    'ignores the search under a parent if a member of the records names the parent',
    ['search/parent', 'random/contracts'],
    (request, _call, _method, base) =>
      request.parent !== undefined && !keepsParents(base, request) ? withoutSearch(request) : undefined,
  ),
  forgetting(
    'ignores the search in a list of the records that a parent contains',
    ['search/contained', 'random/lines'],
    (request) =>
      request.where.some(({ field, op }) => field === 'order' && op === 'eq') ? withoutSearch(request) : undefined,
  ),
  forgetting('ignores the search in the total', ['search/finds', 'random/parcels'], (request, _call, method) =>
    method === 'count' ? withoutSearch(request) : undefined,
  ),
  forgetting('ignores the search in the total of a list under a parent', ['search/parent'], (request, _call, method) =>
    method === 'count' && request.parent !== undefined ? withoutSearch(request) : undefined,
  ),
  forgetting('ignores the scope if a list has "in" and another condition', ['random/parcels'], (request, call) =>
    request.where.length > 1 && request.where.some(({ op }) => op === 'in') ? withoutScope(call) : undefined,
  ),
  forgetting('ignores the scope of a search under a parent', ['random/contracts'], (request, call) =>
    request.search !== undefined && request.parent !== undefined ? withoutScope(call) : undefined,
  ),
  forgetting('ignores the scope in the total after a seek position', ['random/parcels'], (request, call, method) =>
    method === 'count' && request.seek !== undefined ? withoutScope(call) : undefined,
  ),
  forgetting('ignores conditions in a search under a parent', ['random/contracts'], (request) =>
    request.search !== undefined && request.parent !== undefined ? withoutConditions(request) : undefined,
  ),
  forgetting('ignores all conditions after the second', ['random/parcels'], (request) => ({
    request: { ...request, where: request.where.slice(0, 2) },
  })),
  mutant('combines two "in" conditions on one member with OR', ['filters/and'], UnionsConditions),
  mutant(
    'orders the records of a parent only by key',
    ['random/contracts', 'associations/asked'],
    SortsNothingUnderParents,
  ),
  mutant(
    'finds nothing after a seek position that has null in a term other than the first',
    ['random/parcels'],
    LosesNullsInLaterTerms,
  ),
  mutant(
    'returns the last page when it seeks backwards from the first row',
    ['seek/more', 'random/parcels'],
    WrapsBackwards,
  ),
  mutant('omits the third term from a seek position', ['random/parcels'], OmitsTheThirdTerm),
  mutant(
    'lists no records under a parent except those that attach() attached',
    ['random/writes'],
    IndexesParentsOnAttach,
  ),
  mutant('ignores the scope if its value is false, zero or an empty string', ['scope/falsy'], TruthyScope),
  altered('searches members that are not searchable', ['search/members'], (base) => {
    const rank = base.rank.bind(base)
    return {
      found: (search: string, row: Row) =>
        search.trim() === '' ||
        rank(search, row) > 0 ||
        (search === search.toLowerCase() && JSON.stringify(row).includes(`"${search}"`)),
    }
  }),
  altered('returns unknown codes from attach() and remove()', ['associations/listed', 'expected/remove'], (base) => {
    const [attach, remove] = [base.attach.bind(base), base.remove.bind(base)]
    const isDone = (answer: unknown) => answer === 'attached' || answer === 'removed'
    return {
      attach: async (...given: Parameters<PlainAdapter['attach']>) =>
        [await attach(...given)].map((answer) => (isDone(answer) ? true : answer))[0],
      remove: async (...given: Parameters<PlainAdapter['remove']>) =>
        [await remove(...given)].map((answer) => (isDone(answer) ? 'deleted' : answer))[0],
    }
  }),
  altered('returns the names of constraints instead of member names in refusals', ['create/duplicate'], (base) => {
    const create = base.create.bind(base)
    return {
      async create(value: unknown, call: AdapterCall) {
        const answer = await create(value, call)
        return isRefused(answer)
          ? { ...answer, members: answer.members.map((member) => `${base.definition.collection}_${member}_key`) }
          : answer
      },
    }
  }),
  altered('adds a member to listed records', ['reads/as-listed'], (base) => {
    const list = base.list.bind(base)
    return {
      async list(request: ListRequest, call: AdapterCall) {
        const page = await list(request, call)
        return { ...page, items: page.items.map((item) => ({ ...item, value: { ...(item.value as Row), _id: 1 } })) }
      },
    }
  }),
  altered('counts a record twice if it is attached twice', ['random/writes'], (base) => {
    const [attach, list] = [base.attach.bind(base), base.list.bind(base)]
    const twice = new Set<unknown>()
    return {
      async attach(...given: Parameters<PlainAdapter['attach']>) {
        const item = base.store.rows.get(base.text(given[1]))
        if (item !== undefined && base.isAttached(given[0], item)) twice.add(given[1])
        return attach(...given)
      },
      async list(request: ListRequest, call: AdapterCall) {
        const page = await list(request, call)
        if (request.parent === undefined) return page
        return {
          ...page,
          total: (page.total ?? 0) + page.items.filter(({ value }) => twice.has((value as Row).code)).length,
        }
      },
    }
  }),
]
