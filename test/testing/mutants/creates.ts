/** Wrong adapters whose errors concern the method `create()`. */
import { type AdapterCall, isRefused } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import { altered, type Mutant, mutant } from './mutant.js'

class LooksThenCreates extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    await this.pause()
    const text = this.text(this.definition.key.of({ number: 0, ...(value as Row) }))
    if (this.store.rows.has(text)) return { refused: 'duplicate', members: this.definition.key.members } as const
    await this.pause()
    return { created: this.given(this.write(text, this.scoped({ ...(value as Row) }, call))) }
  }
}

class NumbersThenCreates extends PlainAdapter {
  override async create(value: unknown, call: AdapterCall) {
    const number = this.store.lastNumber + 1
    await this.pause()
    if ((value as Row).number !== undefined) return super.create(value, call)
    this.store.lastNumber = number
    const row = { ...(value as Row), number }
    return { created: this.given(this.write(String(number), row)) }
  }
}

class ReusesNumbers extends PlainAdapter {
  override number(): number {
    return Math.max(0, ...[...this.store.rows.values()].map(({ value }) => Number(value.number))) + 1
  }
}

class NumbersWithoutLooking extends PlainAdapter {
  override number(): number {
    this.store.lastNumber += 1
    return this.store.lastNumber
  }
}

export const createMutants: readonly Mutant[] = [
  mutant(
    'waits between the check for a duplicate and the create',
    ['races/create', 'create/assigned'],
    LooksThenCreates,
  ),
  mutant(
    'computes the next number, waits, and then assigns it',
    ['races/assigned', 'create/assigned-given', 'values/booleans'],
    NumbersThenCreates,
  ),
  mutant('assigns the number of a removed record again', ['create/assigned-not-again'], ReusesNumbers),
  mutant('assigns numbers that are already taken', ['create/assigned-given', 'races/assigned'], NumbersWithoutLooking),
  altered('overwrites an existing record when it creates one with the same key', ['create/duplicate'], (base) => {
    const create = base.create.bind(base)
    return {
      async create(value: unknown, call: AdapterCall) {
        const key = base.definition.key.of(value)
        if (key !== undefined && call.attachTo === undefined) base.store.rows.delete(base.text(key))
        return create(value, call)
      },
    }
  }),
  altered('reports a duplicate without its members', ['create/duplicate', 'races/create'], (base) => {
    const create = base.create.bind(base)
    return {
      async create(value: unknown, call: AdapterCall) {
        const answer = await create(value, call)
        return isRefused(answer) ? { ...answer, members: [] } : answer
      },
    }
  }),
  altered('throws an error for a duplicate', ['create/duplicate', 'create/attached-refused'], (base) => {
    const create = base.create.bind(base)
    return {
      async create(value: unknown, call: AdapterCall) {
        const answer = await create(value, call)
        if (isRefused(answer)) throw new Error('duplicate key value violates unique constraint')
        return answer
      },
    }
  }),
  altered('replaces a given number with an assigned number', ['create/assigned-given'], (base) => {
    const create = base.create.bind(base)
    return {
      create: (value: unknown, call: AdapterCall) =>
        create(base.definition.assigned.size > 0 ? { ...(value as Row), number: undefined } : value, call),
    }
  }),
  altered('does not create the record', ['values/created', 'create/assigned'], (base) => ({
    create: async (value: unknown) => ({ created: { value, version: base.version('', value as Row) } }),
  })),
  altered('has no create method', ['methods/offered'], () => ({ create: undefined })),
]
