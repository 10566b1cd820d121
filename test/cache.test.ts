import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Cache, Caches, cachesOf, owning } from '../src/cache.js'
import { itWithCaches } from './with-caches.js'

const one = (): number => 1
const cacheOf = <V>(bound: number, sizeOf: (value: V) => number = one) => new Cache<number, V>('items', bound, sizeOf)

describe('Cache', () => {
  it('returns the latest value of a key or undefined, counts its entries, and never exceeds its bound', () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('get' as const), key: fc.nat(20) }),
      fc.record({ kind: fc.constant('set' as const), key: fc.nat(20), size: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ kind: fc.constant('delete' as const), key: fc.nat(20) }),
    )
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 300 }), (sequence) => {
        const cache = cacheOf<{ size: number }>(10, ({ size }) => size)
        const all = new Map<number, { size: number }>()
        let [hits, misses] = [0, 0]
        for (const step of sequence) {
          if (step.kind === 'set') {
            all.set(step.key, { size: step.size })
            cache.set(step.key, all.get(step.key) as { size: number })
          } else if (step.kind === 'delete') {
            all.delete(step.key)
            cache.delete(step.key)
            expect(cache.get(step.key)).toBeUndefined()
            misses += 1
          } else {
            const found = cache.get(step.key)
            if (found === undefined) misses += 1
            else hits += 1
            if (found !== undefined) expect(found).toBe(all.get(step.key))
          }
          expect(cache.count().size).toBeLessThanOrEqual(10)
        }
        expect(cache.count()).toMatchObject({ hits, misses })
        const left = [...all].filter(([key]) => cache.get(key) !== undefined)
        expect(cache.count()).toMatchObject({
          entries: left.length,
          size: left.reduce((sum, [, { size }]) => sum + size, 0),
        })
      }),
    )
  })

  it('keeps an entry that is used while other entries are added', () => {
    const cache = cacheOf<string>(100)
    cache.set(-1, 'used')
    for (let key = 0; key < 10_000; key += 1) {
      cache.set(key, `v${key}`)
      expect(cache.get(-1)).toBe('used')
    }
    expect(cache.count()).toMatchObject({ entries: 100, evictions: 9_901, hits: 10_000, misses: 0 })
  })

  it('evicts nothing if all entries fit', () => {
    const cache = cacheOf<number>(100)
    for (let round = 0; round < 5; round += 1) {
      for (let key = 0; key < 100; key += 1) if (cache.get(key) === undefined) cache.set(key, key)
    }
    expect(cache.count()).toMatchObject({ hits: 400, misses: 100, evictions: 0 })
  })

  it('does not keep a value larger than the bound, and removes the earlier value of its key', () => {
    const cache = cacheOf<string>(10, ({ length }) => length)
    cache.set(1, 'short')
    cache.set(2, 'other')
    cache.set(1, 'longer than ten')
    expect([cache.get(1), cache.get(2)]).toEqual([undefined, 'other'])
  })
})

describe('Caches', () => {
  itWithCaches('adds up the counts of caches with the same name, and includes the caches of middlewares', () => {
    const [owner, part] = [new Caches(), new Caches()]
    const made = [
      owner.make<string, number>('views'),
      owner.make<string, number>('views'),
      part.make<string, number>('tokens', { bound: 2 }),
    ]
    for (const cache of made) {
      cache.set('a', 1)
      cache.get('a')
      cache.get('b')
    }
    owner.include(cachesOf(owning(() => {}, part)))
    owner.include(cachesOf(() => {}))
    const used = { hits: 1, misses: 1, evictions: 0 }
    expect(owner.counts()).toEqual([
      { name: 'views', entries: 2, size: 2, bound: 200, hits: 2, misses: 2, evictions: 0 },
      { name: 'tokens', entries: 1, size: 1, bound: 2, ...used },
    ])
  })

  it('stores nothing if caches are off, and turns off the caches of included middlewares too', () => {
    const part = new Caches()
    const tokens = part.make<string, number>('tokens')
    tokens.set('a', 1)
    const off = new Caches(false)
    off.include(part)
    const views = off.make<string, number>('views')
    for (const cache of [tokens, views, part.make<string, number>('keys')]) {
      expect(cache.get('a')).toBeUndefined()
      cache.set('a', 1)
      expect(cache.get('a')).toBeUndefined()
      expect(cache.count()).toMatchObject({ entries: 0, size: 0, bound: 0 })
    }
  })
})
