/**
 * Wrong adapters. Most of their errors occur during concurrent calls, depend on the clock, or
 * become visible only later.
 */
import type { AdapterCall, ListRequest, ParentKey } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import { type Item, Store } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/**
 * Keeps records in one document if their keys have the same first part. The document is read,
 * changed and written as a whole.
 */
class OneDocument extends PlainAdapter {
  #document(key: unknown): Map<string, Item> {
    const { order } = key as Row
    return new Map([...this.store.rows].filter(([, { value }]) => value.order === order))
  }
  override async replace(...[key, value, expected, call]: Parameters<PlainAdapter['replace']>) {
    const document = this.#document(key)
    const answer = await super.replace(key, value, expected, call)
    if (typeof answer !== 'object' || this.definition.collection !== 'lines') return answer
    for (const [text, item] of document)
      if (text !== this.text(key) && this.store.rows.has(text)) this.store.rows.set(text, item)
    return answer
  }
}

class MovesWhatItRead extends PlainAdapter {
  override async attach(...[parent, key, expected, call]: Parameters<PlainAdapter['attach']>) {
    const seen = this.visible(key, call, 'attach')
    const answer = await super.attach(parent, key, expected, call)
    if (
      answer === 'attached' &&
      seen !== undefined &&
      this.by(parent) !== undefined &&
      this.store.rows.has(this.text(key))
    )
      this.write(this.text(key), { ...seen.value, ...this.holding(parent) })
    return answer
  }
}

class DetachesWhatItSaw extends PlainAdapter {
  override async detach(...[parent, key, expected, call]: Parameters<PlainAdapter['detach']>) {
    await this.pause()
    const item = this.visible(key, call, 'detach')
    if (item === undefined || !this.isAttached(parent, item)) return 'absent' as const
    if (this.isStale(item, expected)) return 'stale' as const
    await this.pause()
    return (await super.detach(parent, key, undefined, call)) === 'stale' ? 'stale' : ('detached' as const)
  }
}

class LooksThenCreatesNumbers extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const { number } = value as Row
    if (typeof number !== 'number') return super.create(value, call)
    if (this.store.rows.has(String(number))) return { refused: 'duplicate', members: ['number'] } as const
    await this.pause()
    return { created: this.given(this.write(String(number), value as Row)) }
  }
}

/**
 * Has four connections. Each call of `list` takes one, waits, and takes another, so concurrent
 * calls can wait for each other forever.
 */
class RunsOutOfConnections extends PlainAdapter {
  #free = 4
  readonly #waiting: (() => void)[] = []
  async #take(): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free -= 1
  }
  #give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
  override async list(request: ListRequest, call: AdapterCall) {
    await this.#take()
    await this.pause()
    await this.#take()
    try {
      return await super.list(request, call)
    } finally {
      this.#give()
      this.#give()
    }
  }
}

class ClockAsVersion extends PlainAdapter {
  override version(): string {
    return String(Date.now())
  }
}

/**
 * The version is the time with a counter that starts again in each millisecond, as in many id
 * generators.
 */
class ClockAndCount extends PlainAdapter {
  last = ''
  override version(): string {
    const now = this.now()
    this.store.versions = now === this.last ? this.store.versions + 1 : 0
    this.last = now
    return `${now}/${this.store.versions}`
  }
  now(): string {
    return String(Date.now())
  }
}

class DateAndCount extends ClockAndCount {
  override now(): string {
    return new Date().toISOString()
  }
}

/**
 * The first version of a record is derived from the time of the create. Each write increments the
 * version.
 */
class CountsFromTheClock extends PlainAdapter {
  override version(text: string): string {
    return String(Number(this.store.rows.get(text)?.version ?? Math.floor(Date.now() / 1000)) + 1)
  }
}

class CountsInAByte extends PlainAdapter {
  override version(): string {
    this.store.versions = (this.store.versions + 1) % 256
    return `v${this.store.versions}`
  }
}

/** Reads from a copy that lags behind, even if the call requires fresh data. */
class LagsBehind extends PlainAdapter {
  override async read(keys: readonly unknown[], call: AdapterCall) {
    const copy = new Map(this.store.rows)
    const found = await super.read(keys, call)
    return found.map((item, i) => {
      const text = this.text(keys[i])
      const lagging = this.#copy.get(text)
      this.#copy = new Map(copy)
      return lagging === undefined || item === undefined ? item : this.given(lagging)
    })
  }
  #copy = new Map<string, Item>()
}

class UpdatesInPlace extends PlainAdapter {
  override given(item: Item): Item {
    const shown = super.given(item)
    this.#shown.set(this.text(this.definition.key.of(shown.value)), shown)
    return shown
  }
  readonly #shown = new Map<string, Item>()
  override write(text: string, row: Row): Item {
    const shown = this.#shown.get(text)
    const item = super.write(text, row)
    if (shown !== undefined) Object.assign(shown, structuredClone(item))
    return item
  }
}

class CachesPages extends PlainAdapter {
  readonly #pages = new Map<string, Awaited<ReturnType<PlainAdapter['list']>>>()
  override async list(request: ListRequest, call: AdapterCall) {
    const name = JSON.stringify([request, call.scope, this.store.versions, this.store.rows.size])
    const page = this.#pages.get(name) ?? (await super.list(request, call))
    this.#pages.set(name, page)
    return { ...page, items: page.items }
  }
}

class RepeatsWhatWasGiven extends PlainAdapter {
  override keep({ idempotency }: AdapterCall, item: Item): void {
    if (idempotency !== undefined) this.store.kept.set(idempotency.id, { fingerprint: idempotency.fingerprint, item })
  }
  override known({ idempotency }: AdapterCall) {
    const kept = idempotency && this.store.kept.get(idempotency.id)
    return kept === undefined
      ? undefined
      : kept.fingerprint === idempotency?.fingerprint
        ? kept.item
        : ('mismatched' as const)
  }
}

class ForgetsFingerprintsOfTheRemoved extends PlainAdapter {
  override known(call: AdapterCall) {
    const known = super.known(call)
    const kept = call.idempotency && this.store.kept.get(call.idempotency.id)
    if (known !== 'mismatched' || kept === undefined) return known
    return this.store.rows.has(this.text(this.definition.key.of(kept.item.value))) ? known : this.given(kept.item)
  }
}

class KeepsTheLastFingerprint extends PlainAdapter {
  override known(call: AdapterCall) {
    const known = super.known(call)
    const kept = call.idempotency && this.store.kept.get(call.idempotency.id)
    if (known !== 'mismatched' || kept === undefined) return known
    return this.store.rows.get(this.text(this.definition.key.of(kept.item.value)))?.version === kept.item.version
      ? known
      : undefined
  }
}

/** Checks first whether the record would leave the scope, and only then the version. */
class RefusesBeforeStale extends PlainAdapter {
  override async attach(...[parent, key, expected, call]: Parameters<PlainAdapter['attach']>) {
    const leaving = this.leaving(parent, call)
    const item = this.visible(key, call, 'attach')
    if (item !== undefined && leaving.length > 0 && !this.isAttached(parent, item))
      return { refused: 'rule', members: leaving } as const
    return super.attach(parent, key, expected, call)
  }
}

class AttachedBeforeStale extends PlainAdapter {
  override async attach(...[parent, key, expected, call]: Parameters<PlainAdapter['attach']>) {
    const item = this.visible(key, call, 'attach')
    return item !== undefined && this.isAttached(parent, item)
      ? ('attached' as const)
      : super.attach(parent, key, expected, call)
  }
}

export const momentMutants: readonly Mutant[] = [
  mutant(
    'keeps all lines of one order in a document, and writes the document as a whole',
    ['races/neighbours'],
    OneDocument,
  ),
  mutant('overwrites a concurrent replace when it attaches a record', ['races/attach-replace'], MovesWhatItRead),
  mutant('checks the version, waits, and then detaches', ['races/one-version'], DetachesWhatItSaw),
  mutant(
    'checks whether a given number is free, waits, and then creates the record',
    ['races/create-given'],
    LooksThenCreatesNumbers,
  ),
  mutant('waits for a second connection while it holds one', ['races/crowd'], RunsOutOfConnections),
  mutant('uses the time as the version', ['versions/burst', 'versions/change'], ClockAsVersion),
  mutant('uses the time and a counter as the version', ['versions/clock'], ClockAndCount),
  mutant('uses the time in ISO 8601 and a counter as the version', ['versions/clock'], DateAndCount),
  mutant(
    'uses the Unix time of the create as the first version, and increments the version with each write',
    ['versions/recreated', 'random/writes'],
    CountsFromTheClock,
  ),
  mutant('counts versions in one byte', ['versions/burst'], CountsInAByte),
  mutant('reads from a lagging replica', ['versions/answered'], LagsBehind),
  mutant('modifies records that it has returned', ['privacy/steady'], UpdatesInPlace),
  mutant('returns the items of a cached page without a copy', ['privacy/handed-out'], CachesPages),
  mutant('returns its stored record instead of a copy for a repeated create', ['privacy/kept'], RepeatsWhatWasGiven),
  mutant(
    'accepts any fingerprint after the record was removed',
    ['keys/removed-mismatched'],
    ForgetsFingerprintsOfTheRemoved,
  ),
  mutant(
    'runs a repeated create with a different fingerprint if the record has changed',
    ['keys/removed-mismatched'],
    KeepsTheLastFingerprint,
  ),
  mutant('checks the scope before the version', ['scope/moved-stale'], RefusesBeforeStale),
  mutant(
    'does not check the version if the record is already attached',
    ['scope/moved-stale', 'random/writes'],
    AttachedBeforeStale,
  ),
  altered('adds the scope to the passed conditions', ['privacy/inputs'], (base) => {
    const list = base.list.bind(base)
    return {
      list(request: ListRequest, call: AdapterCall) {
        const where = request.where as object[]
        for (const [field, value] of Object.entries(call.scope)) where.push({ field, path: [field], op: 'eq', value })
        return list(request, { ...call, scope: {} })
      },
    }
  }),
  altered('sorts the passed keys in place', ['privacy/inputs'], (base) => {
    const read = base.read.bind(base)
    return {
      async read(keys: unknown[], call: AdapterCall) {
        const asked = [...keys]
        keys.sort((a, b) => (base.text(a) < base.text(b) ? -1 : 1))
        return read(asked, call)
      },
    }
  }),
  altered('sets the key in the passed value', ['privacy/inputs'], (base) => {
    const replace = base.replace.bind(base)
    return {
      replace: (key: unknown, value: object, expected: string | undefined, call: AdapterCall) =>
        replace(key, Object.assign(value, base.keyMembers(key)), expected, call),
    }
  }),
  altered('deletes a member of the passed parent', ['privacy/parents'], (base) => {
    const attach = base.attach.bind(base)
    return {
      attach(parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) {
        const copy = { ...parent }
        delete (parent as { as?: string }).as
        return attach(copy, key, expected, call)
      },
    }
  }),
  altered('treats the remaining time of a call as a point in time', ['time/left'], (base) => {
    const list = base.list.bind(base)
    return {
      async list(request: ListRequest, call: AdapterCall) {
        if ((call.left?.() ?? Number.POSITIVE_INFINITY) < Date.now()) throw new Error('too late')
        return list(request, call)
      },
    }
  }),
  altered('hangs if no time is left', ['time/left'], (base) => {
    const read = base.read.bind(base)
    return {
      read: (keys: never, call: AdapterCall) => ((call.left?.() ?? 1) <= 0 ? new Promise(() => {}) : read(keys, call)),
    }
  }),
  altered('writes the value without a new version if the call is aborted', ['time/given-up-write'], (base) => {
    const replace = base.replace.bind(base)
    return {
      async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
        const before = base.store.rows.get(base.text(key))
        const answer = await replace(key, value, expected, call)
        if (!call.signal.aborted || before === undefined) return answer
        base.store.rows.set(base.text(key), { value: value as Row, version: before.version })
        throw new Error('given up')
      },
    }
  }),
  {
    name: 'has a peer with its own counter for versions',
    caughtBy: ['versions/burst', 'versions/change'],
    make(fixture) {
      const store = new Store()
      const counting = () => {
        let count = 0
        return class extends PlainAdapter {
          override version(): string {
            count += 1
            return `v${count}`
          }
        }
      }
      const [first, second] = [counting(), counting()]
      return { adapter: new first(fixture, store), peers: [new second({ ...fixture, records: [] }, store)] }
    },
  },
]
