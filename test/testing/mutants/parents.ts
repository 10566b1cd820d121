/** Wrong adapters, with errors in scopes and associations. */
import { type AdapterCall, isRefused, type ListRequest, type ParentKey } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item, ScopedMethod } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

const forgetting = (forgotten: ScopedMethod, caughtBy: readonly string[]): Mutant =>
  mutant(
    `ignores the scope in ${forgotten}`,
    caughtBy,
    class extends PlainAdapter {
      override inScope(row: Row, call: AdapterCall, method: ScopedMethod): boolean {
        return method === forgotten || super.inScope(row, call, method)
      }
    },
  )

/** A mutant that ignores the scope in the lists for which `isForgotten` returns true. */
const forgettingIn = (
  name: string,
  caughtBy: readonly string[],
  isForgotten: (request: ListRequest) => boolean,
): Mutant =>
  mutant(
    name,
    caughtBy,
    class extends PlainAdapter {
      override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
        return super.matching(request, isForgotten(request) ? { ...call, scope: {} } : call, method)
      }
    },
  )

class NullInEveryScope extends PlainAdapter {
  override inScope(row: Row, call: AdapterCall, method: ScopedMethod): boolean {
    return (row.depot === null && 'depot' in call.scope) || super.inScope(row, call, method)
  }
}

class ScopeWhereMissing extends PlainAdapter {
  override scoped(row: Record<string, unknown>, { scope }: AdapterCall): Record<string, unknown> {
    return { ...scope, ...row }
  }
}

class KeepsAttachments extends PlainAdapter {
  override erase(text: string): void {
    this.store.rows.delete(text)
  }
}

class IgnoresAs extends PlainAdapter {
  override setName({ collection, key }: ParentKey): string {
    return JSON.stringify([collection, key])
  }
}

class ByTheFirstAssociation extends PlainAdapter {
  override by(parent: ParentKey): string | undefined {
    return super.by(parent) && 'holder'
  }
}

class OneSetForAllParents extends PlainAdapter {
  override setName({ collection, as }: ParentKey): string {
    return JSON.stringify([collection, as])
  }
}

class MovesSets extends PlainAdapter {
  override async attach(parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) {
    const answer = await super.attach(parent, key, expected, call)
    if (answer === 'attached')
      for (const set of this.store.sets.values()) if (set !== this.setOf(parent)) set.delete(this.text(key))
    return answer
  }
}

class LeavesSetsOnReplace extends PlainAdapter {
  override async replace(...[key, value, expected, call]: Parameters<PlainAdapter['replace']>) {
    const answer = await super.replace(key, value, expected, call)
    for (const set of this.store.sets.values()) set.delete(this.text(key))
    return answer
  }
}

class CopiesIntoSets extends PlainAdapter {
  readonly #copies = new Map<string, Item>()
  override async attach(...[parent, key, expected, call]: Parameters<PlainAdapter['attach']>) {
    const answer = await super.attach(parent, key, expected, call)
    const item = this.store.rows.get(this.text(key))
    if (item !== undefined) this.#copies.set(this.text(key), item)
    return answer
  }
  override matching(...[request, call, method]: Parameters<PlainAdapter['matching']>) {
    const found = super.matching(request, call, method)
    return request.parent === undefined
      ? found
      : found.map((item) => this.#copies.get(this.text(this.definition.key.of(item.value))) ?? item)
  }
}

export const parentMutants: readonly Mutant[] = [
  forgetting('list', ['scope/list']),
  forgetting('count', ['scope/count']),
  forgetting('read', ['scope/read']),
  forgetting('replace', ['scope/replace']),
  forgetting('remove', ['scope/remove']),
  forgetting('attach', ['scope/attach']),
  forgetting('detach', ['scope/detach']),
  forgettingIn('ignores the scope in a search', ['scope/search'], ({ search }) => search !== undefined),
  forgettingIn('ignores the scope in a list under a parent', ['scope/parent'], ({ parent }) => parent !== undefined),
  forgettingIn('ignores the scope when it seeks', ['seek/filtered'], ({ seek }) => seek !== undefined),
  mutant('treats null as equal to every value of a scope', ['scope/list'], NullInEveryScope),
  mutant('sets members of the scope only if the value lacks them', ['scope/create'], ScopeWhereMissing),
  altered('ignores the scope in create', ['scope/create'], (base) => {
    const create = base.create.bind(base)
    return { create: (value: unknown, call: AdapterCall) => create(value, { ...call, scope: {} }) }
  }),
  altered(
    'overwrites a record outside the scope when it creates one with the same key',
    ['scope/create-beside'],
    (base) => {
      const create = base.create.bind(base)
      return {
        async create(value: unknown, call: AdapterCall) {
          const key = base.definition.key.of(value)
          if (key !== undefined && base.visible(key, call, 'read') === undefined) base.store.rows.delete(base.text(key))
          return create(value, call)
        },
      }
    },
  ),
  mutant('keeps removed records attached', ['associations/removed'], KeepsAttachments),
  mutant('ignores the name of the association', ['associations/as'], IgnoresAs),
  mutant('stores the parents of all associations in the same member', ['associations/as'], ByTheFirstAssociation),
  mutant('keeps the records of all parents in one set', ['associations/listed'], OneSetForAllParents),
  mutant('detaches a record from its other parents when the record is attached', ['associations/moves'], MovesSets),
  mutant('detaches a record when the record is replaced', ['associations/replaced'], LeavesSetsOnReplace),
  mutant(
    'lists records under a parent as they were when they were attached',
    ['associations/replaced'],
    CopiesIntoSets,
  ),
  altered('treats every record as attached to every parent', ['associations/held'], () => ({ isAttached: () => true })),
  altered('ignores the expected version of an attach', ['expected/attach'], (base) => {
    const attach = base.attach.bind(base)
    return {
      attach: (parent: ParentKey, key: unknown, _expected: unknown, call: AdapterCall) =>
        attach(parent, key, undefined, call),
    }
  }),
  altered('ignores the expected version of a detach', ['expected/detach'], (base) => {
    const detach = base.detach.bind(base)
    return {
      detach: (parent: ParentKey, key: unknown, _expected: unknown, call: AdapterCall) =>
        detach(parent, key, undefined, call),
    }
  }),
  altered('attaches a record that does not exist', ['associations/absent'], (base) => {
    const attach = base.attach.bind(base)
    return {
      async attach(parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) {
        const answer = await attach(parent, key, expected, call)
        if (answer === 'absent' && Object.keys(call.scope).length === 0) base.setOf(parent)?.add(base.text(key))
        return answer === 'absent' ? 'attached' : answer
      },
    }
  }),
  altered('refuses to attach a record that is already attached', ['associations/twice'], (base) => {
    const attach = base.attach.bind(base)
    return {
      attach: async (parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) => {
        const item = base.store.rows.get(base.text(key))
        if (item !== undefined && base.isAttached(parent, item)) return { refused: 'duplicate', members: [] }
        return attach(parent, key, expected, call)
      },
    }
  }),
  altered('removes the record that it detaches', ['associations/detached'], (base) => {
    const detach = base.detach.bind(base)
    return {
      async detach(parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) {
        const answer = await detach(parent, key, expected, call)
        if (answer === 'detached') base.erase(base.text(key))
        return answer
      },
    }
  }),
  altered('reports "detached" for a record that is not attached', ['associations/not-attached'], (base) => {
    const detach = base.detach.bind(base)
    return {
      async detach(parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) {
        const answer = await detach(parent, key, expected, call)
        return answer === 'absent' && base.visible(key, call, 'detach') ? 'detached' : answer
      },
    }
  }),
  altered(
    'stores attachments in sets even if records should name the parent in a member',
    ['associations/by-value', 'associations/held'],
    () => ({
      by: () => undefined,
    }),
  ),
  altered('does not change the version of a record that it attaches', ['versions/attached'], (base) => {
    const write = base.write.bind(base)
    return {
      write(text: string, row: Row) {
        const before = base.store.rows.get(text)
        const item = write(text, row)
        if (before === undefined || before.value.holder === row.holder) return item
        const same = { ...item, version: before.version }
        base.store.rows.set(text, same)
        return same
      },
    }
  }),
  altered('does not attach a record that it creates', ['create/attached'], (base) => {
    const create = base.create.bind(base)
    return {
      create: (value: unknown, { attachTo: _attachTo, ...call }: AdapterCall) => create(value, call),
    }
  }),
  altered('attaches the key of a record that it refuses to create', ['create/attached-refused'], (base) => {
    const create = base.create.bind(base)
    return {
      async create(value: unknown, call: AdapterCall) {
        const answer = await create(value, call)
        const key = base.definition.key.of(value)
        if (isRefused(answer) && call.attachTo !== undefined) base.setOf(call.attachTo)?.add(base.text(key))
        return answer
      },
    }
  }),
]
