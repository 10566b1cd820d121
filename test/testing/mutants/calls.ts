/** Wrong adapters. Most of them mix up calls, records or ids. */
import type { AdapterCall, Condition, ListRequest, ParentKey } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/** Keeps the call in a field, as if requests were never concurrent. */
class CallInAField extends PlainAdapter {
  call: AdapterCall | undefined
  override async list(request: ListRequest, call: AdapterCall) {
    this.call = call
    return super.list(request, call)
  }
  override async read(keys: readonly unknown[], call: AdapterCall) {
    this.call = call
    return super.read(keys, call)
  }
  override inScope(row: Row, call: AdapterCall, method: Parameters<PlainAdapter['inScope']>[2]): boolean {
    return super.inScope(row, method === 'read' || method === 'list' ? (this.call ?? call) : call, method)
  }
}

class WritesByTheLastScope extends PlainAdapter {
  call: AdapterCall | undefined
  override async create(value: unknown, call: AdapterCall) {
    this.call = call
    return super.create(value, call)
  }
  override scoped(row: Record<string, unknown>, call: AdapterCall): Record<string, unknown> {
    return super.scoped(row, this.call ?? call)
  }
}

/** Caches each page, and returns the cached page if the same request object is passed again. */
class PagesByRequest extends PlainAdapter {
  readonly #pages = new WeakMap<ListRequest, Awaited<ReturnType<PlainAdapter['list']>>>()
  override async list(request: ListRequest, call: AdapterCall) {
    const known = this.#pages.get(request)
    if (known !== undefined) return known
    const page = await super.list(request, call)
    if (Object.isFrozen(request)) this.#pages.set(request, page)
    return page
  }
}

/** Loads each key only once during a call. */
class LoadsOnce extends PlainAdapter {
  readonly #loaded = new WeakMap<AdapterCall, Map<string, Item | undefined>>()
  override async read(keys: readonly unknown[], call: AdapterCall) {
    const loaded = this.#loaded.get(call) ?? new Map<string, Item | undefined>()
    this.#loaded.set(call, loaded)
    const found = await super.read(keys, call)
    return keys.map((key, i) => {
      const text = this.text(key)
      if (!loaded.has(text)) loaded.set(text, found[i])
      return loaded.get(text)
    })
  }
}

class SkipsWhatIsEqual extends PlainAdapter {
  override async replace(...[key, value, expected, call]: Parameters<PlainAdapter['replace']>) {
    const item = this.visible(key, call, 'replace')
    if (item !== undefined && JSON.stringify(item.value) === JSON.stringify(value)) return this.given(item)
    return super.replace(key, value, expected, call)
  }
}

class AnyVersionWillDo extends PlainAdapter {
  override isStale(item: Item, expected: string | undefined): boolean {
    return super.isStale(item, expected) && ![...this.store.rows.values()].some(({ version }) => version === expected)
  }
}

class JoinsParts extends PlainAdapter {
  override text(key: unknown): string {
    return this.definition.key.composite ? Object.values(this.keyMembers(key)).join('') : super.text(key)
  }
}

/** Keeps all pairs of a parent and a record in one set, as strings. */
const pairs = (separator: string) =>
  class extends PlainAdapter {
    readonly #pairs = new Set<string>()
    override setOf(parent: ParentKey): Set<string> {
      const all = this.#pairs
      const set = super.setOf(parent)
      if (set === undefined) return set as never
      const pair = (text: string) => `${parent.as}${separator}${String(parent.key)}${separator}${text}`
      return Object.assign(new Set<string>(), {
        has: (text: string) => all.has(pair(text)),
        add: (text: string) => all.add(pair(text)),
        delete: (text: string) => all.delete(pair(text)),
      }) as never
    }
  }

class KeepsAHundred extends PlainAdapter {
  override keep(call: AdapterCall, item: Item): void {
    super.keep(call, item)
    const [oldest] = this.store.kept.keys()
    if (this.store.kept.size > 100 && oldest !== undefined) this.store.kept.delete(oldest)
  }
}

/**
 * If a create with the same idempotency id is running, returns its result, even if the bodies
 * differ.
 */
class AnswersForAnyBody extends PlainAdapter {
  readonly #running = new Map<string, ReturnType<PlainAdapter['create']>>()
  override async create(value: unknown, call: AdapterCall) {
    const { id } = call.idempotency ?? {}
    if (id === undefined) return super.create(value, call)
    const running = this.#running.get(id) ?? super.create(value, call).finally(() => this.#running.delete(id))
    this.#running.set(id, running)
    return running
  }
}

/** Replaces lone surrogates, as a driver does when it encodes text as UTF-8. */
const asUtf8 = (text: unknown) => (typeof text === 'string' ? Buffer.from(text).toString() : text)

class EncodesConditions extends PlainAdapter {
  override holds(condition: Condition, row: Row): boolean {
    return super.holds({ ...condition, value: asUtf8(condition.value) } as Condition, row)
  }
}

class EncodesKeys extends PlainAdapter {
  override visible(...[key, call, method]: Parameters<PlainAdapter['visible']>) {
    return super.visible(asUtf8(key), call, method)
  }
}

export const callMutants: readonly Mutant[] = [
  mutant('replaces lone surrogates in conditions, as a driver does', ['unstorable/list'], EncodesConditions),
  mutant('replaces lone surrogates in keys, as a driver does', ['unstorable/key'], EncodesKeys),
  altered('treats an empty expected version as absent in attach()', ['expected/other-attached'], (base) => {
    const attach = base.attach.bind(base)
    return {
      attach: (...[parent, key, expected, call]: Parameters<PlainAdapter['attach']>) =>
        attach(parent, key, expected || undefined, call),
    }
  }),
  mutant('reads and lists in the scope of the latest call', ['calls/beside'], CallInAField),
  mutant('creates in the scope of the latest call', ['calls/beside-writes'], WritesByTheLastScope),
  mutant('returns a cached page if the same request object is passed again', ['calls/same-request'], PagesByRequest),
  mutant('caches records within a call', ['calls/same-call'], LoadsOnce),
  mutant('ignores the expected version if the value stays the same', ['expected/equal'], SkipsWhatIsEqual),
  mutant('accepts the version of another record as the expected version', ['expected/others'], AnyVersionWillDo),
  mutant('joins the parts of a composite key without a separator', ['reads/composite-near'], JoinsParts),
  mutant('stores a parent and a record as one string, joined by a colon', ['texts/pairs'], pairs(':')),
  mutant('stores a parent and a record as one string, joined by a control character', ['texts/pairs'], pairs('\u001f')),
  mutant('keeps only the last hundred idempotency ids', ['keys/many'], KeepsAHundred),
  mutant(
    'ignores the body if a create with the same idempotency id is running',
    ['races/keys-mismatched'],
    AnswersForAnyBody,
  ),
  altered('does not attach the record in a create with an idempotency id', ['keys/attached'], (base) => {
    const create = base.create.bind(base)
    return {
      create(value: unknown, call: AdapterCall) {
        const { attachTo: _attachTo, ...rest } = call
        return create(value, call.idempotency === undefined ? call : rest)
      },
    }
  }),
  altered(
    'ignores the expected version for one of two associations',
    ['expected/detach', 'expected/attach'],
    (base) => {
      const [attach, detach] = [base.attach.bind(base), base.detach.bind(base)]
      const heeded = (parent: ParentKey, expected: string | undefined) =>
        parent.as === 'archives' ? undefined : expected
      return {
        attach: (...[parent, key, expected, call]: Parameters<PlainAdapter['attach']>) =>
          attach(parent, key, heeded(parent, expected), call),
        detach: (...[parent, key, expected, call]: Parameters<PlainAdapter['detach']>) =>
          detach(parent, key, heeded(parent, expected), call),
      }
    },
  ),
  altered('ignores the case of fingerprints', ['keys/mismatched'], (base) => {
    const known = base.known.bind(base)
    return {
      known(call: AdapterCall) {
        const kept = call.idempotency && base.store.kept.get(call.idempotency.id)
        const isNear = kept?.fingerprint.toLowerCase() === call.idempotency?.fingerprint.toLowerCase()
        return kept !== undefined && isNear ? base.given(kept.item) : known(call)
      },
    }
  }),
  altered('loses characters above U+FFFF in a replace', ['values/text'], (base) => {
    const replace = base.replace.bind(base)
    return {
      replace(...[key, value, expected, call]: Parameters<PlainAdapter['replace']>) {
        const { note, ...rest } = value as Row
        const kept = typeof note === 'string' ? note.replace(/[\u{10000}-\u{10ffff}]/gu, '?') : note
        return replace(key, 'note' in (value as Row) ? { ...rest, note: kept } : rest, expected, call)
      },
    }
  }),
  altered('assigns a number if the given number is zero', ['create/assigned-given'], (base) => {
    const create = base.create.bind(base)
    return {
      create: (value: unknown, call: AdapterCall) =>
        create((value as Row).number ? value : { ...(value as Row), number: undefined }, call),
    }
  }),
]
