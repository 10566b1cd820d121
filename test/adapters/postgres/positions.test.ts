/**
 * Each client of the service has a position: the point in the write-ahead log that its writes have
 * reached. A replica may serve reads of the client only after it has replayed the log up to this
 * point. The highest position, `unknownPosition`, stands for a write whose position is unknown. No
 * replica reaches it. Positions are stored in the process or in Redis. The tests use a real Redis.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { redisReplicaPositions } from '../../../src/adapters/postgres/index.js'
import { compare, ProcessPositions, unknownPosition } from '../../../src/adapters/postgres/transactions/positions.js'
import { redisStores, redisUrl } from '../../servers/redis-stores.js'

const at = (position: number): string => `${Math.floor(position / 2 ** 32).toString(16)}/${position.toString(16)}`
const minute = 60_000

/** The position that a replica must have reached before it may serve reads of the client. */
const needed = (store: ProcessPositions, client: string): string | undefined => {
  const [own, floor] = [store.get(client), store.floor()]
  return own === undefined || (floor !== undefined && compare(floor, own) > 0) ? floor : own
}

describe('positions in the process', () => {
  it('are compared as numbers', () => {
    expect(compare('9/0', '10/0')).toBeLessThan(0)
    expect(compare('0/A', '0/a')).toBe(0)
    expect(compare('0/100', '0/FF')).toBeGreaterThan(0)
  })

  it('only increase', () => {
    const store = new ProcessPositions(() => 0)
    store.raise('ana', at(20))
    store.raise('ana', at(10))
    expect(store.get('ana')).toBe(at(20))
    expect(store.get('luis')).toBeUndefined()
    expect(store.floor()).toBeUndefined()
  })

  it('remain in effect for a client, however many other clients write, and however long ago the client wrote', () => {
    const steps = fc.array(
      fc.record({
        client: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        wait: fc.constantFrom(0, 1, minute / 2, minute, 5 * minute),
      }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(steps, (all) => {
        let now = 0
        const store = new ProcessPositions(() => now, 2)
        const written = new Map<string, string>()
        for (const [i, { client, wait }] of all.entries()) {
          now += wait
          store.raise(client, at(i + 1))
          written.set(client, at(i + 1))
          now += wait
          for (const [name, position] of written) {
            const least = needed(store, name)
            expect(least).toBeDefined()
            expect(compare(least as string, position)).toBeGreaterThanOrEqual(0)
          }
        }
      }),
    )
  })

  it('the minimum position for clients without recent writes is at least a minute old', () => {
    let now = 0
    const store = new ProcessPositions(() => now)
    store.raise('ana', at(1))
    now = 2 * minute
    store.raise('ana', at(2))
    expect(store.floor()).toBe(at(1))
    expect(store.get('luis')).toBeUndefined()
  })

  it('an unknown position remains in effect for a minute, even if the entry of the client was evicted', () => {
    let now = 0
    const store = new ProcessPositions(() => now, 1)
    store.raise('ana', at(1))
    store.raise('ana', unknownPosition)
    store.raise('ana', at(2))
    expect(store.get('ana')).toBe(unknownPosition)
    store.raise('luis', at(3))
    expect([store.get('ana'), store.get('luis'), store.get('eva')]).toEqual(Array(3).fill(unknownPosition))
    now = minute
    expect([store.get('luis'), store.get('eva')]).toEqual([at(3), undefined])
  })

  it('are reset if the log was reset, for example by a restore', () => {
    let now = 0
    const store = new ProcessPositions(() => now)
    store.raise('ana', at(1_000))
    now = 3 * minute
    expect(store.floor()).toBe(at(1_000))
    store.raise('luis', at(5))
    expect([store.floor(), store.get('ana'), store.get('luis')]).toEqual([undefined, undefined, at(5)])
  })
})

describe('redisReplicaPositions()', () => {
  const { client, prefix, close } = redisStores(redisUrl())
  afterAll(async () => {
    // SCAN may return batches without keys, and DEL needs at least one key.
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*` })) if (keys.length > 0) await client.del(keys)
    close()
  })
  const storeOf = (name: string) =>
    redisReplicaPositions({ prefix: `${prefix}${name}:`, sendCommand: (...command) => client.sendCommand(command) })
  /** Makes the stored positions older by the given number of milliseconds. */
  const age = async (name: string, milliseconds: number): Promise<void> => {
    const marks = `${prefix}${name}:marks`
    await client.hIncrBy(marks, 'at', -milliseconds)
  }

  it('shares positions between processes, and ignores a position that is smaller than the stored one', async () => {
    const [one, other] = [storeOf('shared'), storeOf('shared')]
    expect(await one.get('ana')).toBeUndefined()
    await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? one : other).raise('ana', at(i * 7 + 250))))
    const found = await other.get('ana')
    expect(compare(found as string, at(49 * 7 + 250))).toBe(0)
    await one.raise('ana', 'A/0')
    await one.raise('ana', '9/FFFFFFFF')
    expect(compare((await other.get('ana')) as string, 'A/0')).toBe(0)
    expect(await other.get('luis')).toBeUndefined()
    expect(await client.pTTL(`${prefix}shared:client:ana`)).toBeGreaterThan(minute)
  })

  it('raises the minimum position for all clients to a position that is at least a minute old', async () => {
    const store = storeOf('floor')
    await store.raise('ana', at(100))
    await age('floor', minute)
    await store.raise('luis', at(200))
    await age('floor', minute)
    await store.get('eva')
    expect(compare(store.floor?.() as string, at(100))).toBeGreaterThanOrEqual(0)
    await age('floor', 2 * minute)
    await store.get('eva')
    expect(compare(store.floor?.() as string, at(200))).toBe(0)
    await store.raise('eva', at(7))
    expect(store.floor?.()).toBeUndefined()
  })

  it('keeps an unknown position for a minute', async () => {
    const store = storeOf('unknown')
    await store.raise('ana', unknownPosition)
    await store.raise('ana', at(9))
    expect(await store.get('ana')).toBe(unknownPosition)
    await client.hIncrBy(`${prefix}unknown:client:ana`, 'unknown', -minute)
    expect(compare((await store.get('ana')) as string, at(9))).toBe(0)
  })

  it('throws an error that names the option if an option is missing or misspelt', () => {
    expect(() => redisReplicaPositions({} as never)).toThrow(/"sendCommand" of redisReplicaPositions\(\) is missing/)
    expect(() => redisReplicaPositions({ sendCommand: async () => undefined, prefx: 'a' } as never)).toThrow(/prefix/)
  })
})
