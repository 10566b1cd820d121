/**
 * Compares the results of random writes, and the stored records, with a simple model of a store.
 */

import { type Created, isRefused, type ParentKey, type Refused, type Repeated } from '../../adapters/contract.js'
import { isContainer } from '../../definition/json.js'
import { Random } from '../../random.js'
import { type Check, upTo } from '../check.js'
import { ContractError, expectEqual, expectThat, expectTotal } from '../contract-error.js'
import { associations, client } from '../fixtures.js'
import { isWithin, Model, type Scope } from '../model.js'
import type { Row } from '../row.js'
import type { By, Item, Stage } from '../stage.js'

const steps = 240
const parents: readonly ParentKey[] = associations.flatMap((as) => ['ann', 'bob'].map((key) => client(as, key)))
const scopes: readonly Scope[] = [
  {},
  {},
  {},
  { depot: 'north' },
  { depot: '' },
  { rank: 0 },
  { rank: 1, depot: 'south' },
  { holder: 'ann' },
]
const codes = upTo(10).map((i) => `C-${i}`)
const ids = ['one', 'two', 'three']

/** The result of a write. `refused` means any refusal except `duplicate`. */
type Verdict = 'absent' | 'stale' | 'done' | 'duplicate' | 'refused' | 'mismatched'

/** A write to the record with the key `code`, by a caller with this scope. */
interface Write {
  readonly code: string
  readonly expected: string | undefined
  readonly by: By
  readonly scope: Scope
}

/** A sequence of writes and the expected state of the store. */
class Sequence {
  readonly #stage: Stage
  readonly #random: Random
  readonly #model: Model
  readonly #versions = new Map<string, string>()
  /** All versions that each key has had. */
  readonly #past = new Map<string, Set<string>>(codes.map((code) => [code, new Set()]))
  readonly #kept = new Map<string, { readonly fingerprint: string; readonly item: Item }>()
  readonly #methods: readonly ('create' | 'repeat' | 'recall' | 'replace' | 'remove' | 'attach' | 'detach')[]
  /** The latest call, for error messages. */
  asked = 'before any write'

  constructor(stage: Stage) {
    this.#stage = stage
    this.#random = new Random(stage.seed)
    this.#model = new Model(stage.definition, stage.held)
    const single = (['create', 'recall', 'replace', 'remove', 'attach', 'detach'] as const).filter((method) =>
      stage.offers(method),
    )
    this.#methods = stage.offers('create') && stage.offers('recall') ? [...single, 'repeat'] : single
  }

  async start(): Promise<void> {
    for (const record of this.#stage.held) this.#saw(record.code as string, await this.#stage.mustRead(record.code))
  }

  async step(): Promise<void> {
    const random = this.#random
    if (this.#methods.length === 0) return
    const method = random.one(this.#methods)
    const code = random.one(codes)
    const scope = random.one(scopes)
    const by: By = { call: { scope }, peer: random.below(4) }
    const record = this.#model.records.get(code)
    const own = record === undefined ? [] : parents.filter((one) => this.#model.isAttached(one, record))
    const parent = random.one(own.length > 0 && random.chance(0.4) ? own : parents)
    const current = this.#versions.get(code)
    const expected = random.one([undefined, undefined, current, current, ...(this.#past.get(code) ?? []), 'other'])
    this.asked = `${method}(${JSON.stringify({ code, expected, scope })})`
    const attachTo = this.#stage.offers('attach') && random.chance(0.4) ? parent : undefined
    if (method === 'create') return this.#create(this.#row(code), by, attachTo)
    if (method === 'repeat') return this.#create(this.#row(code), by, attachTo, random.one(ids))
    if (method === 'recall') return this.#recall(random.one(ids), by)
    const write: Write = { code, expected, by, scope }
    return method === 'replace' || method === 'remove' ? this.#change(method, write) : this.#move(method, parent, write)
  }

  async #change(method: 'replace' | 'remove', { code, expected, by, scope }: Write): Promise<void> {
    const model = this.#model
    const before = model.records.get(code)
    const isVisible = before !== undefined && isWithin(before, scope)
    const isStale = expected !== undefined && expected !== this.#versions.get(code)
    const verdict: Verdict = !isVisible ? 'absent' : isStale ? 'stale' : 'done'
    const next = method === 'replace' ? this.#row(code) : undefined
    const answer = await (next === undefined
      ? this.#stage.remove(code, expected, by)
      : this.#stage.replace(code, next, expected, by))
    this.#expect(answer, verdict)
    if (verdict === 'done' && next === undefined) model.remove(code)
    else if (verdict === 'done') model.records.set(code, { ...next, ...scope, code })
    await this.#look(code, before, verdict === 'done', answer)
  }

  async #move(method: 'attach' | 'detach', parent: ParentKey, { code, expected, by, scope }: Write): Promise<void> {
    const model = this.#model
    this.asked = `${method}(${JSON.stringify(parent)}, ${JSON.stringify({ code, expected, scope })})`
    const before = model.records.get(code)
    const visible = before !== undefined && isWithin(before, scope) ? before : undefined
    const isIn = visible !== undefined && model.isAttached(parent, visible)
    const member = model.parentMember(parent)
    const isFixed = member !== undefined && Object.hasOwn(scope, member)
    const isAbsent = visible === undefined || (method === 'detach' && (!isIn || isFixed))
    const isStale = expected !== undefined && expected !== this.#versions.get(code)
    const leaves = method === 'attach' && !isIn && isFixed && scope[member] !== parent.key
    const verdict: Verdict = isAbsent ? 'absent' : isStale ? 'stale' : leaves ? 'refused' : 'done'
    this.#expect(await this.#stage[method](parent, code, expected, by), verdict)
    if (verdict === 'done' && before !== undefined) {
      if (member !== undefined)
        model.records.set(code, { ...before, [member]: method === 'attach' ? parent.key : null })
      else if (method === 'attach') model.setOf(parent).add(code)
      else model.setOf(parent).delete(code)
    }
    await this.#look(code, before, verdict === 'done')
  }

  async #create(value: Row, by: By, attachTo?: ParentKey, id?: string): Promise<void> {
    const scope = by.call?.scope ?? {}
    const code = value.code as string
    const fingerprint = this.#random.one(['x', 'x', 'y'])
    const kept = id === undefined ? undefined : this.#kept.get(id)
    const before = this.#model.records.get(code)
    const member = attachTo && this.#model.parentMember(attachTo)
    const leaves = member !== undefined && Object.hasOwn(scope, member) && scope[member] !== attachTo?.key
    this.asked = `create(${JSON.stringify({ value, attachTo, scope, id, fingerprint })})`
    const call = {
      ...by.call,
      ...(attachTo && { attachTo }),
      ...(id !== undefined && { idempotency: { id, fingerprint } }),
    }
    const answer: Created<Row, unknown> | Repeated = await this.#stage.create(value, { ...by, call })
    if (kept !== undefined) {
      this.#expect(answer, kept.fingerprint === fingerprint ? 'done' : 'mismatched')
      if (kept.fingerprint === fingerprint) this.#expectKept((answer as { created: Item }).created, kept.item)
      return this.#look(code, before, false)
    }
    if (leaves && before !== undefined) expectThat(isRefused(answer), 'a refusal', answer)
    else this.#expect(answer, leaves ? 'refused' : before !== undefined ? 'duplicate' : 'done')
    if (!(typeof answer === 'object' && 'created' in answer)) return this.#look(code, before, false)
    this.#model.records.set(code, { ...value, ...(member === undefined ? {} : { [member]: attachTo?.key }), ...scope })
    if (attachTo !== undefined && member === undefined) this.#model.setOf(attachTo).add(code)
    await this.#look(code, before, true, answer.created)
    if (id !== undefined) this.#kept.set(id, { fingerprint, item: structuredClone(answer.created) })
  }

  async #recall(id: string, by: By): Promise<void> {
    const fingerprint = this.#random.one(['x', 'y'])
    this.asked = `recall(${JSON.stringify({ id, fingerprint })})`
    const kept = this.#kept.get(id)
    const found = await this.#stage.recall({ id, fingerprint }, { peer: by.peer ?? 0 })
    if (kept === undefined) expectThat(found === undefined, 'no record for the idempotency id', found)
    else if (kept.fingerprint !== fingerprint)
      expectThat(found === 'mismatched', "'mismatched' for another fingerprint", found)
    else this.#expectKept(found, kept.item)
  }

  #expectKept(came: unknown, item: Item): void {
    expectThat(isContainer(came), 'the record as it was created', came)
    this.#stage.expectValue(came as Item, item.value, 'the record returned for the idempotency id')
    expectEqual((came as Item).version, item.version, 'the version returned for the idempotency id')
  }

  #row(code: string): Row {
    const random = this.#random
    const holder = () => random.one(['ann', 'bob', null, null])
    return {
      code,
      label: random.one(['', 'a', null]),
      rank: random.below(3),
      holder: holder(),
      payer: holder(),
      depot: random.one(['north', 'south', '', null]),
    }
  }

  #expect(answer: Created<Row, unknown> | Item | Refused | string, verdict: Verdict): void {
    const refusal = isRefused(answer) ? (answer.refused === 'duplicate' ? 'duplicate' : 'refused') : undefined
    const isDone = typeof answer === 'object' || ['removed', 'attached', 'detached'].includes(answer)
    const came = refusal ?? (isDone ? 'done' : answer)
    const meaning = {
      done: 'the write to succeed',
      duplicate: "a refusal as 'duplicate'",
      refused: "a refusal other than 'duplicate'",
    } as const
    expectThat(came === verdict, meaning[verdict as keyof typeof meaning] ?? `'${verdict}'`, answer)
  }

  /**
   * Checks that the store and the model have the same record under a key. A changed record must
   * have a version that its key never had. If the write failed, the version must be unchanged. If
   * the write returned a record, it must be the stored record with its version.
   */
  async #look(code: string, before: Row | undefined, isDone: boolean, answer?: unknown): Promise<void> {
    const now = this.#model.records.get(code)
    const found = await this.#stage.read(code, { peer: this.#random.below(4) })
    if (now === undefined) {
      expectThat(found === undefined, 'no record stored afterwards', found)
      this.#versions.delete(code)
      return
    }
    this.#stage.expectValue(found, now, 'the stored record afterwards')
    const { version } = found as Item
    const isChanged = before === undefined || this.#stage.identity(before) !== this.#stage.identity(now)
    if (isChanged) expectThat(!this.#past.get(code)?.has(version), 'a version that this key never had', version)
    if (!isDone) expectEqual(version, this.#versions.get(code), 'the version of a record that was not changed')
    if (isDone && typeof answer === 'object') {
      this.#stage.expectValue(answer as Item, now, 'the record returned by the write')
      expectEqual((answer as Item).version, version, 'the version returned by the write')
    }
    this.#saw(code, found as Item)
  }

  #saw(code: string, { version }: Item): void {
    this.#versions.set(code, version)
    this.#past.get(code)?.add(version)
  }

  /**
   * Checks all stored records: by key, in the list of all records, and in the list of each parent.
   */
  async lookAtAll(): Promise<void> {
    const model = this.#model
    const found = await this.#stage.readAll(codes)
    for (const [i, code] of codes.entries()) {
      const record = model.records.get(code)
      if (record === undefined) expectThat(found[i] === undefined, `no record under the key ${code}`, found[i])
      else this.#stage.expectValue(found[i], record, `the record of the key ${code}`)
    }
    const under = this.#stage.offers('attach')
      ? parents
      : parents.filter((parent) => model.parentMember(parent) !== undefined)
    for (const parent of [undefined, ...under]) {
      const page = await this.#stage.list(parent === undefined ? {} : { parent })
      const expected = [...model.records.values()].filter(
        (record) => parent === undefined || model.isAttached(parent, record),
      )
      const where = parent === undefined ? 'the list of all records' : `the list under ${JSON.stringify(parent)}`
      expectEqual(page.items.map(({ value }) => value.code).sort(), expected.map((record) => record.code).sort(), where)
      expectTotal(page, expected.length, `the total of ${where}`)
    }
  }
}

export const randomWrites: readonly Check[] = [
  {
    id: 'random/writes',
    title: 'After any sequence of writes, all results and all stored records are as the contract requires.',
    on: 'contracts',
    async run(stage) {
      const sequence = new Sequence(stage)
      await sequence.start()
      for (const n of upTo(steps)) {
        try {
          await sequence.step()
          if (n % 12 === 11) await sequence.lookAtAll()
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error)
          const text = `${sequence.asked}: ${why} Seed ${stage.seed}, write ${n + 1}.`
          throw error instanceof ContractError ? new ContractError(text) : new Error(text, { cause: error })
        }
      }
    },
  },
]
