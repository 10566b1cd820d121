/** Wrong adapters, with errors in stored and returned values. */
import type { AdapterCall } from '../../../src/adapters/contract.js'
import type { AdapterFixture, MadeAdapter, Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import { type Item, Store } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/** A plain adapter that applies `change` to the values that it stores, at any depth. */
const keeping = (change: (value: unknown, name: string) => unknown) => {
  const changed = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value))
      return change(value, name) === value ? value.map((item) => changed(item, name)) : change(value, name)
    if (typeof value !== 'object' || value === null) return change(value, name)
    const next = change(value, name)
    if (next !== value) return next
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, changed(inner, member)]))
  }
  return class extends PlainAdapter {
    override kept(row: Row): Row {
      return changed(row) as Row
    }
  }
}

const onText = (change: (text: string) => string) =>
  keeping((value) => (typeof value === 'string' ? change(value) : value))
const onNumber = (change: (number: number) => number) =>
  keeping((value) => (typeof value === 'number' ? change(value) : value))
const onDateTime = (change: (text: string) => string) =>
  onText((text) => (/^\d{4}-\d\d-\d\dT.*\.\d{7}$/.test(text) ? change(text) : text))

class LiveReferences extends PlainAdapter {
  override given(item: Item): Item {
    return item
  }
}

class KeepsWhatItIsGiven extends PlainAdapter {
  override kept(row: Row): Row {
    return row
  }
  override scoped(row: Record<string, unknown>): Record<string, unknown> {
    return row
  }
}

class ThrowsOnUnstorableValues extends PlainAdapter {
  override kept(row: Row): Row {
    if (/\\u0000|\\ud[89a-f]/.test(JSON.stringify(row))) throw new Error('invalid byte sequence for encoding')
    return super.kept(row)
  }
}

class ThrowsOnUnstorableConditions extends PlainAdapter {
  override async list(...[request, call]: Parameters<PlainAdapter['list']>) {
    if (/\\u0000|\\ud[89a-f]/.test(JSON.stringify(request.where))) throw new Error('invalid byte sequence for encoding')
    return super.list(request, call)
  }
}

class ThrowsOnUnstorableKeys extends PlainAdapter {
  override async read(keys: readonly unknown[], call: AdapterCall) {
    if (/\\u0000|\\ud[89a-f]/.test(JSON.stringify(keys))) throw new Error('invalid byte sequence for encoding')
    return super.read(keys, call)
  }
}

class CaseBlindKeys extends PlainAdapter {
  override text(key: unknown): string {
    return super.text(key).toUpperCase()
  }
}

class PartsInTheirOrder extends PlainAdapter {
  override text(key: unknown): string {
    return typeof key === 'object' && key !== null ? JSON.stringify(Object.values(key)) : super.text(key)
  }
}

/** Reads records from a cache that it never updates, as a process with a cache of its own might. */
class CachesReads extends PlainAdapter {
  readonly #cache = new Map<string, Item>()
  override visible(...[key, call, method]: Parameters<PlainAdapter['visible']>) {
    const item = super.visible(key, call, method)
    if (item === undefined || method !== 'read') return item
    const cached = this.#cache.get(this.text(key)) ?? item
    this.#cache.set(this.text(key), cached)
    return cached
  }
}

const withPeers =
  (peer: typeof PlainAdapter) =>
  (fixture: AdapterFixture): MadeAdapter => {
    const store = new Store()
    return { adapter: new PlainAdapter(fixture, store), peers: [new peer({ ...fixture, records: [] }, store)] }
  }

export const valueMutants: readonly Mutant[] = [
  mutant(
    'stores only six fractional digits of a second',
    ['values/date-times'],
    onDateTime((text) => `${text.slice(0, 26)}0`),
  ),
  mutant(
    'rounds seconds to six fractional digits',
    ['values/date-times'],
    onDateTime((text) => {
      const digits = Math.round(Number(text.slice(20)) / 10) * 10
      return `${text.slice(0, 20)}${String(digits).padStart(7, '0').slice(-7)}`
    }),
  ),
  mutant(
    'shifts local date-times to another time zone',
    ['values/date-times'],
    onDateTime((text) => {
      const shifted = new Date(Date.parse(`${text.slice(0, 23)}Z`) + 3_600_000)
      return Number.isNaN(shifted.getTime()) ? text : `${shifted.toISOString().slice(0, 23)}${text.slice(23)}`
    }),
  ),
  mutant('stores numbers as 32-bit floats', ['values/numbers'], onNumber(Math.fround)),
  mutant(
    'stores whole numbers in 32 bits',
    ['values/integers', 'values/held'],
    onNumber((number) => (Number.isInteger(number) ? number | 0 : number)),
  ),
  mutant(
    'stores only fifteen digits of a number',
    ['values/numbers'],
    onNumber((number) => Number(number.toPrecision(15))),
  ),
  mutant(
    'stores false as null',
    ['values/booleans'],
    keeping((value) => (value === false ? null : value)),
  ),
  mutant(
    'stores an empty string as null',
    ['values/text-or-null'],
    keeping((value) => (value === '' ? null : value)),
  ),
  mutant(
    'trims text',
    ['values/text'],
    onText((text) => text.trim()),
  ),
  mutant(
    'normalizes text',
    ['values/text'],
    onText((text) => text.normalize('NFC')),
  ),
  mutant(
    'treats backslashes as escapes',
    ['values/text'],
    onText((text) => text.replaceAll('\\\\', '\\').replaceAll("\\'", "'")),
  ),
  mutant(
    'stores only 65,535 characters of a string',
    ['values/long-text'],
    onText((text) => text.slice(0, 65_535)),
  ),
  mutant(
    'stores the string "null" as null',
    ['values/text-or-null'],
    keeping((value) => (value === 'null' ? null : value)),
  ),
  mutant(
    'stores lone surrogates as U+FFFD',
    ['unstorable/replaced', 'unstorable/written'],
    onText((text) => text.replace(/\p{Surrogate}/gu, '\ufffd')),
  ),
  mutant(
    'drops U+0000',
    ['unstorable/written', 'unstorable/replaced'],
    onText((text) => text.replaceAll('\0', '')),
  ),
  mutant(
    'stores arrays as comma-separated strings',
    ['values/arrays'],
    keeping((value) => (Array.isArray(value) ? value.join(',').split(',') : value)),
  ),
  mutant(
    'stores arrays as sets, without repeated items',
    ['values/arrays'],
    keeping((value) => (Array.isArray(value) && new Set(value).size < value.length ? [...new Set(value)] : value)),
  ),
  mutant(
    'stores an empty array as null',
    ['values/arrays'],
    keeping((value) => (Array.isArray(value) && value.length === 0 ? null : value)),
  ),
  mutant(
    'stores an object that has only null members as null',
    ['values/objects'],
    keeping((value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((member) => member === null)
        ? null
        : value,
    ),
  ),
  mutant(
    'stores null in the member "address" as an empty object',
    ['values/held', 'time/ready'],
    keeping((value, name) => (value === null && name === 'address' ? {} : value)),
  ),
  mutant('returns its stored values without copying them', ['privacy/handed-out', 'privacy/answered'], LiveReferences),
  mutant('stores the passed values without copying them', ['privacy/given'], KeepsWhatItIsGiven),
  mutant(
    'throws for text that it cannot store',
    ['unstorable/written', 'unstorable/replaced'],
    ThrowsOnUnstorableValues,
  ),
  mutant('throws for conditions with text that it cannot store', ['unstorable/list'], ThrowsOnUnstorableConditions),
  mutant('throws for keys with text that it cannot store', ['unstorable/key'], ThrowsOnUnstorableKeys),
  mutant('ignores the case of keys', ['reads/key-exact', 'reads/composite'], CaseBlindKeys),
  mutant('distinguishes composite keys by the order of their members', ['reads/composite'], PartsInTheirOrder),
  {
    name: 'has a peer that reads from a cache',
    caughtBy: ['races/increments', 'versions/answered'],
    make: withPeers(CachesReads),
  },
  altered('returns the records of a batch in a wrong order', ['reads/order', 'reads/far-keys'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        const found = await read(keys, call)
        return [...found].sort((a, b) => (JSON.stringify(a ?? null) < JSON.stringify(b ?? null) ? -1 : 1))
      },
    }
  }),
  altered('omits absent records from a batch', ['reads/composite', 'reads/key-exact'], (base) => {
    const read = base.read.bind(base)
    return {
      read: async (keys: readonly unknown[], call: AdapterCall) =>
        (await read(keys, call)).filter((item) => item !== undefined),
    }
  }),
  altered('returns the record of a repeated key only once', ['reads/duplicates', 'reads/order'], (base) => {
    const read = base.read.bind(base)
    return { read: (keys: readonly unknown[], call: AdapterCall) => read([...new Set(keys)], call) }
  }),
  altered('reads only the first fifty keys of a batch', ['reads/many'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        const found = await read(keys.slice(0, 50), call)
        return keys.map((_, i) => found[i])
      },
    }
  }),
  altered('reads at most fifty different keys of a batch', ['reads/many'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        const some = new Set([...new Set(keys)].slice(0, 50))
        const found = await read(keys, call)
        return found.map((item, i) => (some.has(keys[i]) ? item : undefined))
      },
    }
  }),
  altered('throws for an empty batch', ['reads/none'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        if (keys.length === 0) throw new Error('syntax error at or near ")"')
        return read(keys, call)
      },
    }
  }),
  altered('throws for a key that is out of range', ['reads/far-keys'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: readonly unknown[], call: AdapterCall) {
        if (keys.some((key) => typeof key === 'number' && Math.abs(key) > 2 ** 31))
          throw new Error('integer out of range')
        return read(keys, call)
      },
    }
  }),
  altered('hangs if the signal has already been aborted', ['time/aborted'], (base) => {
    const list = base.list.bind(base)
    return {
      list: (request: never, call: AdapterCall) => (call.signal.aborted ? new Promise(() => {}) : list(request, call)),
    }
  }),
  altered('closes its only connection when a call is aborted', ['time/given-up'], (base) => {
    const list = base.list.bind(base)
    let ended = false
    return {
      async list(request: never, call: AdapterCall) {
        if (ended) throw new Error('Connection terminated')
        call.signal.addEventListener('abort', () => {
          ended = true
        })
        return list(request, call)
      },
    }
  }),
  altered('throws if ready() is called twice', ['time/ready'], () => {
    let count = 0
    return {
      async ready() {
        count += 1
        if (count > 1) throw new Error('relation "parcels" already exists')
      },
    }
  }),
]
