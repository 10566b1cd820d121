import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdapterCall, Idempotency } from '../../../src/adapters/contract.js'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { callOf } from './requests.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  assigned: true,
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, texto: { type: 'string' } } },
})
const keyed = (id: string, fingerprint = 'f'): AdapterCall & { readonly idempotency: Idempotency } =>
  ({ ...callOf(), idempotency: { id, fingerprint } }) as never
const value = { texto: 'a' } as never

describe('VERB-12: the results of creates with an idempotency key, in the memory adapter', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('are not stored by default', () => {
    const adapter = memoryAdapter(notas)
    expect(adapter.recall).toBeUndefined()
    expect(adapter.create(value, keyed('a'))).not.toEqual(adapter.create(value, keyed('a')))
  })

  it('expire after a day, or after `ttl` seconds if that option is set', () => {
    for (const [idempotency, seconds] of [
      [true, 86_400],
      [{ ttl: 2 }, 2],
      [{ ttl: 0.5 }, 0.5],
    ] as const) {
      const adapter = memoryAdapter(notas, { idempotency })
      const first = adapter.create(value, keyed('a'))
      vi.advanceTimersByTime(seconds * 1_000 - 1)
      expect(adapter.create(value, keyed('a'))).toEqual(first)
      expect(adapter.recall?.(keyed('a', 'g'))).toBe('mismatched')
      // A retry of the create does not extend the lifetime of the stored result.
      vi.advanceTimersByTime(1)
      expect(adapter.recall?.(keyed('a'))).toBeUndefined()
      expect(adapter.create(value, keyed('a', 'g'))).not.toEqual(first)
      expect(adapter.recall?.(keyed('a', 'g'))).toMatchObject({ value: { id: 2 } })
    }
  })

  it('are evicted, oldest first, if there are more than `max`', () => {
    const adapter = memoryAdapter(notas, { idempotency: { max: 2 } })
    for (const id of ['a', 'b', 'c']) adapter.create(value, keyed(id))
    expect(['a', 'b', 'c'].map((id) => adapter.recall?.(keyed(id)) !== undefined)).toEqual([false, true, true])
  })

  it('a create without an idempotency key stores no result', () => {
    const adapter = memoryAdapter(notas, { idempotency: true })
    adapter.create(value, callOf())
    expect(adapter.recall?.(callOf())).toBeUndefined()
  })

  it.each([{ ttl: 0 }, { ttl: Number.NaN }, { ttl: '5' }, { max: 0 }, { max: 1.5 }, { tll: 1 }, 'yes', false])(
    'memoryAdapter() throws if its option `idempotency` is %o',
    (idempotency) => {
      expect(() => memoryAdapter(notas, { idempotency: idempotency as never })).toThrow(/idempotency/)
    },
  )
})
