/**
 * Wrong adapters, with errors in three areas: records with several associations, creates that also
 * attach the new record, and text that cannot be stored.
 */
import type { AdapterCall, Condition, ListRequest, ParentKey } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

const unstorable = (value: unknown): boolean => /\\u0000|\\ud[89a-f]/.test(JSON.stringify(value))

class SetsInAnyCase extends PlainAdapter {
  override setName(parent: ParentKey): string {
    return super.setName(parent).toLowerCase()
  }
}

class HoldersInAnyCase extends PlainAdapter {
  override isAttached(parent: ParentKey, item: Item): boolean {
    const by = this.by(parent)
    if (by === undefined) return super.isAttached(parent, item)
    return String(item.value[by]).toLowerCase() === String(parent.key).toLowerCase()
  }
}

class DetachesFromAllParents extends PlainAdapter {
  override async detach(...[parent, key, expected, call]: Parameters<PlainAdapter['detach']>) {
    const answer = await super.detach(parent, key, expected, call)
    if (answer !== 'detached') return answer
    for (const [name, set] of this.store.sets)
      if (name.endsWith(`${JSON.stringify(parent.as)}]`)) set.delete(this.text(key))
    return answer
  }
}

class DetachesEveryMember extends PlainAdapter {
  override async detach(...[parent, key, expected, call]: Parameters<PlainAdapter['detach']>) {
    const answer = await super.detach(parent, key, expected, call)
    const item = this.store.rows.get(this.text(key))
    if (answer === 'detached' && item !== undefined)
      this.write(this.text(key), { ...item.value, holder: null, payer: null })
    return answer
  }
}

class HoldsOneParent extends PlainAdapter {
  override holding(parent: ParentKey): Record<string, unknown> {
    const held = super.holding(parent)
    return 'holder' in held ? { ...held, payer: null } : held
  }
}

/** Creates the record first, and attaches it in a second step. */
class AttachesLater extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const { attachTo, ...rest } = call
    const answer = await super.create(value, rest)
    if (attachTo === undefined || !(typeof answer === 'object' && 'created' in answer)) return answer
    return this.attachedLater(answer.created as Item, attachTo, rest)
  }
  async attachedLater({ value }: Item, attachTo: ParentKey, call: AdapterCall) {
    await this.attach(attachTo, this.definition.key.of(value), undefined, call)
    return { created: this.given(this.store.rows.get(this.text(this.definition.key.of(value))) as Item) }
  }
}

class AnswersTheVersionBeforeTheAttach extends AttachesLater {
  override async attachedLater(item: Item, attachTo: ParentKey, call: AdapterCall) {
    const { created } = await super.attachedLater(item, attachTo, call)
    return { created: { ...created, version: item.version } }
  }
}

class LeavesTheOrphan extends AttachesLater {
  override async attachedLater(item: Item, attachTo: ParentKey, call: AdapterCall) {
    if (unstorable(attachTo)) return { refused: 'reference', members: [] } as never
    return super.attachedLater(item, attachTo, call)
  }
}

class WellFormsParents extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const { attachTo } = call
    if (attachTo === undefined || typeof attachTo.key !== 'string') return super.create(value, call)
    return super.create(value, {
      ...call,
      attachTo: { ...attachTo, key: attachTo.key.replace(/\p{Surrogate}/gu, '\ufffd') },
    })
  }
}

const withoutNul = <T>(value: T): T => (typeof value === 'string' ? (value.replaceAll('\0', '') as T) : value)

class StripsParents extends PlainAdapter {
  override isAttached(parent: ParentKey, item: Item): boolean {
    return super.isAttached({ ...parent, key: withoutNul(parent.key) }, item)
  }
}

class StripsKeys extends PlainAdapter {
  override visible(...[key, call, method]: Parameters<PlainAdapter['visible']>) {
    return super.visible(withoutNul(key), call, method)
  }
}

class StripsConditions extends PlainAdapter {
  override holds(condition: Condition, row: Row): boolean {
    return super.holds({ ...condition, value: withoutNul(condition.value) } as Condition, row)
  }
}

export const attachmentMutants: readonly Mutant[] = [
  mutant("ignores the case of parents' keys in sets of attached records", ['associations/exact'], SetsInAnyCase),
  mutant(
    "ignores the case of parents' keys in the members that name the parents",
    ['associations/exact'],
    HoldersInAnyCase,
  ),
  mutant('detaches from all parents instead of one', ['associations/detached-one'], DetachesFromAllParents),
  mutant(
    'clears the members that name other parents when it detaches from one parent',
    ['associations/detached-one'],
    DetachesEveryMember,
  ),
  mutant('clears the member "payer" when it sets the member "holder"', ['associations/together'], HoldsOneParent),
  mutant('creates the record first, and attaches it in a second step', ['races/create-attached'], AttachesLater),
  mutant(
    'creates and attaches a record, but returns the version before the attach',
    ['create/attached-version'],
    AnswersTheVersionBeforeTheAttach,
  ),
  mutant('keeps the created record if it cannot attach the record', ['create/attached-whole'], LeavesTheOrphan),
  mutant(
    'replaces lone surrogates in the key of the parent when it creates a record',
    ['create/attached-whole'],
    WellFormsParents,
  ),
  mutant("drops U+0000 from parents' keys", ['unstorable/parent'], StripsParents),
  mutant('drops U+0000 from keys', ['unstorable/key', 'unstorable/parent'], StripsKeys),
  mutant('drops U+0000 from conditions', ['unstorable/list'], StripsConditions),
  altered('throws for a seek position with text that it cannot store', ['unstorable/seek'], (base) => {
    const list = base.list.bind(base)
    return {
      async list(request: ListRequest, call: AdapterCall) {
        if (unstorable(request.seek?.values ?? [])) throw new Error('invalid byte sequence for encoding')
        return list(request, call)
      },
    }
  }),
]
