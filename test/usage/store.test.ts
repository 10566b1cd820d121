/** The contract of usage stores, and `usage()` over these stores. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryUsageStore, redisUsageStore, type UsageStore, type UsageWrite, usage } from '../../src/usage/index.js'
import { redisUrl } from '../servers/redis-stores.js'

async function redis() {
  const client = createClient({ url: redisUrl() })
  await client.connect()
  const prefix = `erc_test_${randomBytes(6).toString('hex')}:{usage}:`
  onTestFinished(async () => {
    for (const key of await client.keys(`${prefix}*`)) await client.del(key)
    client.destroy()
  })
  return {
    client,
    prefix,
    store: redisUsageStore({ prefix, sendCommand: (...command) => client.sendCommand(command) }),
  }
}

const writeOf = (write: Partial<UsageWrite>): UsageWrite => ({
  writer: 'a',
  sequence: 1,
  age: 1000,
  complete: 1000,
  interval: 10_000,
  closed: false,
  keep: 60_000,
  fields: new Map(),
  removed: [],
  ...write,
})

const stores: Record<string, () => Promise<UsageStore>> = {
  memory: async () => memoryUsageStore(),
  Redis: async () => (await redis()).store,
}

describe.each(Object.entries(stores))('the usage store in %s', (_, make) => {
  it('is empty at first', async () => {
    expect(await (await make()).read()).toMatchObject({ since: undefined, writers: [] })
  })

  it('sets and removes fields, and returns the previous sequence number', async () => {
    const store = await make()
    const fields = new Map([
      ['x', '1'],
      ['ñ "y"', '2'],
    ])
    expect(await store.write(writeOf({ fields }))).toBeUndefined()
    expect(await store.write(writeOf({ sequence: 3, fields: new Map([['z', '3']]), removed: ['x', 'none'] }))).toBe(1)
    expect(await store.write(writeOf({ sequence: 4, closed: true }))).toBe(3)
    const { now, since, writers } = await store.read()
    const [writer] = writers
    expect(writers).toHaveLength(1)
    expect(writer).toMatchObject({ writer: 'a', interval: 10_000, closed: true })
    expect(writer?.fields).toEqual(
      new Map([
        ['ñ "y"', '2'],
        ['z', '3'],
      ]),
    )
    expect(since).toBeGreaterThan(now - 30_000)
    expect(since).toBeLessThanOrEqual(now - 1000)
    expect(writer?.started).toBe(since)
  })

  it('ignores a write whose sequence number is not above that of the last write', async () => {
    const store = await make()
    await store.write(writeOf({ sequence: 2, fields: new Map([['x', '2']]) }))
    expect(await store.write(writeOf({ sequence: 1, fields: new Map([['x', '1']]) }))).toBe(2)
    expect(await store.write(writeOf({ sequence: 2, fields: new Map([['x', '9']]) }))).toBe(2)
    expect([...((await store.read()).writers[0]?.fields ?? [])]).toEqual([['x', '2']])
  })

  it('keeps the fields of processes separate, and accepts a write of many fields', async () => {
    const store = await make()
    const fields = new Map(Array.from({ length: 20_000 }, (_, at) => [`field ${at}`, String(at)]))
    await store.write(writeOf({ fields }))
    await store.write(writeOf({ writer: 'b', fields: new Map([['x', '1']]) }))
    const { writers } = await store.read()
    expect(writers.map(({ writer, fields: held }) => [writer, held?.size]).sort()).toEqual([
      ['a', 20_000],
      ['b', 1],
    ])
  })

  it('keeps the counts of several usage() objects, and read() returns exact sums', async () => {
    const store = await make()
    const all = [1, 2, 3].map(() => usage({ store }))
    for (let round = 0; round < 3; round++) {
      for (const one of all)
        for (let at = 0; at < 100; at++)
          one.countCall({ version: 'v1', method: 'GET', route: '/orders', client: at % 4 ? 'billing' : 'web' })
      await Promise.all(all.map((one) => one.flush()))
    }
    const { calls } = await (all[0] as (typeof all)[0]).read()
    expect(calls.map(({ client, count }) => [client, count])).toEqual([
      ['billing', 675],
      ['web', 225],
    ])
    await Promise.all(all.map((one) => one.close()))
  })
})

describe('the Redis usage store', () => {
  it('after a loss of data, gets the counts again from usage(), but the report has a later "since"', async () => {
    const { client, prefix, store } = await redis()
    const counts = usage({ store })
    counts.countCall({ version: 'v1', method: 'GET', route: '/orders', client: '' })
    counts.countCall({ version: 'v1', method: 'GET', route: '/items', client: '' })
    const before = await counts.read()
    // Times have a resolution of one millisecond. The following counts must come in a later
    // millisecond than the previous read.
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(before.at)), { interval: 1 })
    for (const key of await client.keys(`${prefix}*`)) await client.del(key)
    counts.countCall({ version: 'v1', method: 'GET', route: '/orders', client: '' })
    const after = await counts.read()
    expect(after.calls.map(({ route, count }) => [route, count])).toEqual([
      ['/orders', 2],
      ['/items', 1],
    ])
    expect(Date.parse(after.since ?? '')).toBeGreaterThan(Date.parse(before.since ?? ''))
    await counts.close()
  })

  it('returns undefined instead of the fields of a process if Redis has evicted them', async () => {
    const { client, prefix, store } = await redis()
    await store.write(writeOf({ closed: true, fields: new Map([['x', '1']]) }))
    await client.del(`${prefix}writer:a`)
    expect((await store.read()).writers.map(({ fields }) => fields)).toEqual([undefined])
  })

  it('gives every key an expiry', async () => {
    const { client, prefix, store } = await redis()
    await store.write(writeOf({}))
    const keys = await client.keys(`${prefix}*`)
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(await client.pTTL(key)).toBeGreaterThan(0)
  })
})

describe('usage() over a store that fails', () => {
  const failing = (store: UsageStore) => {
    let fails = false
    const writes: UsageWrite[] = []
    return {
      writes,
      fail: (now: boolean) => {
        fails = now
      },
      store: {
        ...store,
        write: async (write: UsageWrite) => {
          writes.push(write)
          // The write arrives, but its response is lost.
          const before = await store.write(write)
          if (fails) throw new Error('lost')
          return before
        },
      } satisfies UsageStore,
    }
  }

  it('keeps counts, counts nothing twice, and reports one failure and one recovery', async () => {
    const reported: string[] = []
    const { store, fail, writes } = failing(memoryUsageStore())
    const counts = usage({
      store,
      onStoreFailure: () => reported.push('failed'),
      onStoreRecovery: () => reported.push('recovered'),
    })
    const call = (client: string) => counts.countCall({ version: 'v1', method: 'GET', route: '/orders', client })
    call('billing')
    await counts.flush()
    fail(true)
    for (let at = 0; at < 3; at++) {
      call('billing')
      await counts.flush()
    }
    // After a failed write, each flush first sends a write without fields, and sends the counts
    // only if that write succeeds.
    expect(writes.slice(2).map(({ fields }) => fields.size)).toEqual([0, 0])
    fail(false)
    call('web')
    const { calls } = await counts.read()
    expect(calls.map(({ client, count }) => [client, count])).toEqual([
      ['billing', 4],
      ['web', 1],
    ])
    expect(reported).toEqual(['failed', 'recovered'])
    await counts.close()
  })

  it('if there are too many clients, some are merged; each call is counted once despite lost responses', async () => {
    const { store, fail } = failing(memoryUsageStore())
    const counts = usage({ store, clients: 2, onStoreFailure: () => {}, onStoreRecovery: () => {} })
    const call = (client: string) => counts.countCall({ version: 'v1', method: 'GET', route: '/orders', client })
    for (let round = 0; round < 40; round++) {
      fail(round % 3 === 1)
      for (let at = 0; at < 5; at++) call(`client ${round % 7} ${at}`)
      await counts.flush()
    }
    fail(false)
    const { calls } = await counts.read()
    expect(calls.reduce((sum, { count }) => sum + count, 0)).toBe(200)
    expect(calls.length).toBeLessThanOrEqual(3)
    await counts.close()
  })

  it('a store that lost its data while it was down gets all counts again', async () => {
    const inner = [memoryUsageStore()]
    const current = () => inner.at(-1) as UsageStore
    const switched: UsageStore = { write: (write) => current().write(write), read: () => current().read() }
    const { store, fail } = failing(switched)
    const counts = usage({ store, onStoreFailure: () => {}, onStoreRecovery: () => {} })
    const call = (route: string) => counts.countCall({ version: 'v1', method: 'GET', route, client: '' })
    call('/a')
    await counts.flush()
    fail(true)
    await counts.flush()
    inner.push(memoryUsageStore())
    fail(false)
    call('/b')
    expect((await counts.read()).calls.map(({ route, count }) => [route, count])).toEqual([
      ['/a', 1],
      ['/b', 1],
    ])
    await counts.close()
  })
})

describe('usage() and concurrent reads', () => {
  it('reads that start during a write all wait for the same next write', async () => {
    const inner = memoryUsageStore()
    const sequences: number[] = []
    const store: UsageStore = {
      async write(write) {
        sequences.push(write.sequence)
        return inner.write(write)
      },
      read: () => inner.read(),
    }
    const counts = usage({ store })
    onTestFinished(() => counts.close())
    counts.countCall({ version: 'v1', method: 'GET', route: '/x', client: '' })
    const snapshots = await Promise.all(Array.from({ length: 50 }, () => counts.read()))
    expect(snapshots.map(({ calls }) => calls[0]?.count)).toEqual(Array(50).fill(1))
    expect(sequences).toEqual([1, 2])
  })
})

describe('usage() and invalid input', () => {
  it('unknown and malformed fields in the store do not change the report', async () => {
    const fields = new Map([
      ['nonsense', '1'],
      ['["calls","v1","GET","/a","","x"]', '[1,2]'],
      ['["calls","v1","GET","/b","","x"]', '[1e300,2,[]]'],
      ['["calls","v1","GET","/c","","x"]', '[1,2,{}]'],
      ['["calls","v1","GET","/d","","x"]', '[1,2,[[1]]]'],
      ['["calls",1,"GET","/e","","x"]', '[1,2,[]]'],
    ])
    const store: UsageStore = {
      write: () => undefined,
      read: () => ({
        now: Date.now(),
        since: 1,
        writers: [{ writer: 'a', started: 1, seen: 2, interval: 1, closed: true, fields }],
      }),
    }
    expect(await usage({ store }).read()).toMatchObject({ calls: [], wouldBreak: [] })
  })

  it('if "client" throws or returns no name, the client is "(unnamed)"; a long name is truncated', async () => {
    const functions = [
      () => {
        throw new Error('no')
      },
      () => Promise.reject(new Error('no')) as never,
      () => 7 as never,
      () => '',
    ]
    for (const client of functions) expect(usage({ client }).clientOf({ sub: 'ana' }, {} as never)).toBe('(unnamed)')
    expect(usage({ client: () => `a\u001b[2J${'x'.repeat(1000)}` }).clientOf(undefined, {} as never)).toMatch(
      /^a\?\[2Jx{95}$/,
    )
  })

  it('the hash of a caller is the same for the same secret, and different for another secret', () => {
    const [one, two, other] = ['a secret of these tests', 'a secret of these tests', 'another secret, longer'].map(
      (secret) => usage({ client: 'hash', secret }),
    )
    const ana = { sub: 'ana', azp: 'web' }
    expect(one?.clientOf(ana, {} as never)).toMatch(/^hmac:[0-9a-f]{16}$/)
    expect(two?.clientOf({ ...ana }, {} as never)).toBe(one?.clientOf(ana, {} as never))
    expect(other?.clientOf(ana, {} as never)).not.toBe(one?.clientOf(ana, {} as never))
  })

  it('missing labels, which JavaScript allows, are reported once and cause no exception', () => {
    const printed: unknown[] = []
    const { error } = console
    console.error = (problem) => void printed.push(problem)
    try {
      const counts = usage()
      for (let at = 0; at < 3; at++)
        counts.countCall({ version: undefined, method: 'GET', route: '/a', client: undefined } as never)
      counts.countBreak({} as never)
    } finally {
      console.error = error
    }
    expect(printed).toHaveLength(1)
  })
})

it('the scheduled writes of usage() do not run in the async context of the first counted request', async () => {
  const requests = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const inner = memoryUsageStore()
  const store: UsageStore = {
    read: () => inner.read(),
    write(write) {
      seen.push(requests.getStore())
      return inner.write(write)
    },
  }
  const counts = usage({ store, interval: 5 })
  requests.run('a request', () => counts.countCall({ version: 'v1', method: 'GET', route: '/a', client: '' }))
  await expect.poll(() => seen.length).toBeGreaterThan(1)
  expect(new Set(seen)).toEqual(new Set([undefined]))
  await counts.close()
})

it('usage() calls onCount for each count, with labels of bounded length', () => {
  const counted: unknown[] = []
  const counts = usage({ onCount: (event) => void counted.push(event) })
  counts.countCall({ version: 'v1', method: 'MADE-UP', route: undefined, client: '' })
  counts.countBreak({
    clause: 'QUERY-8',
    method: 'GET',
    route: '/a',
    detail: 'x'.repeat(500),
    client: 'web',
    amount: 100,
  })
  expect(counted).toEqual([
    { kind: 'calls', subject: 'v1', method: '(other)', route: '(unknown)', detail: '', client: '', amount: 1 },
    {
      kind: 'would_break',
      subject: 'QUERY-8',
      method: 'GET',
      route: '/a',
      detail: 'x'.repeat(100),
      client: 'web',
      amount: 100,
    },
  ])
})
