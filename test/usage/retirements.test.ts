import { afterEach, describe, expect, it, vi } from 'vitest'
import { dueEnds, scheduledEnds, type UsageSnapshot, usage } from '../../src/usage/index.js'
import { frameworks, listen } from '../clauses/fixture.js'
import { type Lives, resourcesOf, serviceOf, stores } from '../clauses/retired-fixture.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

const now = '2027-06-01T00:00:00Z'
const at = (time: string): void => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) })

const service = (lives: Lives, life: object = {}) =>
  serviceOf(
    stores(),
    {},
    {
      versions: {
        v1: { resources: resourcesOf(stores(), lives), deprecated: '2026-01-01', ...life },
        v2: resourcesOf(stores(), {}),
        v0: 'retired',
      },
    },
  )

const snapshot = (given: Partial<UsageSnapshot> = {}): UsageSnapshot => ({
  at: '2027-06-01T00:00:00.000Z',
  days: 30,
  since: '2027-01-01T00:00:00.000Z',
  gaps: [],
  calls: [],
  wouldBreak: [],
  ...given,
})

const call = (version: string, method: string, route: string, client: string | undefined, count = 1) => ({
  version,
  method,
  route,
  client,
  count,
  first: '2027-05-01T00:00:00.000Z',
  last: '2027-05-20T10:00:00.000Z',
})

describe('VER-2: upcoming ends of versions, operations and routes', () => {
  it('VER-2: scheduledEnds() lists the end of each version, and of each operation or route that ends earlier', () => {
    at(now)
    const lives: Lives = {
      pedidos: {
        retired: { since: '2027-06-20' },
        operations: { remove: { deprecated: { sunset: '2027-06-10' } } },
        below: { urgente: { retired: true } },
      },
      search: { deprecated: { sunset: '2029-01-01' } },
    }
    expect(scheduledEnds(service(lives, { sunset: '2028-01-01' }))).toEqual([
      { version: 'v1', route: undefined, method: undefined, ends: '2028-01-01T00:00:00.000Z' },
      { version: 'v1', route: '/pedidos', method: undefined, ends: '2027-06-20T00:00:00.000Z' },
      { version: 'v1', route: '/clientes/{id}/pedidos', method: undefined, ends: '2027-06-20T00:00:00.000Z' },
      { version: 'v1', route: '/pedidos/{numero}', method: 'DELETE', ends: '2027-06-10T00:00:00.000Z' },
    ])
    expect(scheduledEnds(service({}, { sunset: '2027-01-01', retireAtSunset: true }))).toEqual([])
  })
})

describe('VER-2: callers of versions, operations and routes that end soon', () => {
  const ends = [
    { version: 'v1', route: undefined, method: undefined, ends: '2027-06-13T00:00:00.000Z' },
    { version: 'v2', route: '/pedidos', method: 'GET', ends: '2027-05-31T00:00:00.000Z' },
    { version: 'v2', route: '/search', method: undefined, ends: '2028-05-31T00:00:00.000Z' },
  ]

  it('VER-2: dueEnds() names the callers of everything that ends within 30 days, or should have ended', () => {
    at(now)
    const calls = [
      call('v1', 'GET', '/pedidos/{numero}', 'billing', 1204),
      call('v1', 'POST', '/pedidos', 'shop', 3),
      call('v1', 'GET', '/pedidos', 'billing', 1),
      call('v1', 'GET', '(unknown)', 'scanner', 9),
      call('v1', 'GET', '/docs', 'reader', 9),
      call('v2', 'HEAD', '/pedidos', 'shop'),
      call('v2', 'POST', '/pedidos', 'billing'),
    ]
    const due = dueEnds(ends, snapshot({ calls }))
    expect(
      due.map(({ version, state, daysLeft, callers }) => [
        version,
        state,
        daysLeft,
        callers.map(({ client, calls: n }) => `${client} ${n}`),
      ]),
    ).toEqual([
      ['v2', 'called', -1, ['shop 1']],
      ['v1', 'called', 12, ['billing 1205', 'shop 3']],
    ])
    expect(due.map(({ sentence }) => sentence)).toEqual([
      'GET v2 /pedidos should have ended on 2027-05-31 and is still served: still called in the last 30 days by ' +
        'shop (1 call, last 2027-05-20 10:00 UTC).',
      'v1 ends on 2027-06-13, in 12 days: still called in the last 30 days by billing (1,205 calls, last ' +
        '2027-05-20 10:00 UTC), shop (3 calls, last 2027-05-20 10:00 UTC).',
    ])
    expect(dueEnds(ends, snapshot({ calls }), { within: 400 })).toHaveLength(3)
  })

  it('VER-2: the state of a version without calls is "silent", or "unknown" if counting was incomplete', () => {
    at(now)
    const states = (given: Partial<UsageSnapshot>) => dueEnds(ends, snapshot(given)).map(({ state }) => state)
    expect(states({})).toEqual(['silent', 'silent'])
    expect(states({ since: undefined })).toEqual(['unknown', 'unknown'])
    expect(states({ since: '2027-05-30T00:00:00.000Z' })).toEqual(['unknown', 'unknown'])
    expect(
      states({ gaps: [{ from: '2027-05-10T00:00:00.000Z', to: '2027-05-10T01:00:00.000Z', reason: 'lost-counts' }] }),
    ).toEqual(['unknown', 'unknown'])
    expect(states({ since: '2027-05-30T00:00:00.000Z', calls: [call('v1', 'GET', '/pedidos', undefined)] })).toEqual([
      'unknown',
      'called',
    ])
    const [, young] = dueEnds(ends, snapshot({ since: '2027-05-30T00:00:00.000Z' }))
    expect(young?.sentence).toBe(
      'v1 ends on 2027-06-13, in 12 days: no calls are known, but calls were counted only for 6% of the last 30 ' +
        'days. There may be calls that were not counted.',
    )
  })
})

describe.each(frameworks)('VER-2: dueEnds() on %s', (_name, express) => {
  it('VER-2: the state of a version that ends soon is "called" after its first call', async () => {
    const counts = usage({ client: (_, req) => String(req.headers['x-client']) })
    closers.push(() => counts.close())
    const from = stores()
    const ends = new Date(Date.now() + 12 * 86_400_000).toISOString()
    const api = serviceOf(
      from,
      {},
      {
        usage: counts,
        versions: {
          v1: { resources: resourcesOf(from, {}), deprecated: '2026-01-01', sunset: ends },
          v2: resourcesOf(from, {}),
        },
      },
    )
    const { send, close } = await listen(express().use(api) as never)
    closers.push(close)
    const state = async () =>
      dueEnds(scheduledEnds(api), await counts.read()).map((one) => [
        one.version,
        one.state,
        one.callers.map(({ client }) => client),
      ])
    await send('GET', '/v2/pedidos', { 'x-client': 'billing' })
    expect(await state()).toEqual([['v1', 'unknown', []]])
    await send('GET', '/v1/pedidos/1', { 'x-client': 'shop' })
    await send('GET', '/v1/nothing', { 'x-client': 'scanner' })
    expect(await state()).toEqual([['v1', 'called', ['shop']]])
  })
})
