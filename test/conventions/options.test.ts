import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { modedClauses } from '../../src/conventions/clauses.js'
import { legacyOf, modesOf } from '../../src/conventions/modes.js'
import { resolveConventions } from '../../src/conventions/options.js'
import { api, ConfigurationError, problems, resourceRouter } from '../../src/index.js'
import { ifMatch, listQuery, methodRules, negotiate, recordBody, totalCount } from '../../src/middleware/index.js'
import { majors } from '../middleware/majors.js'
import { apiOptions, customers, orders, serve } from './fixture.js'

const refused = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return 'nothing'
}

const build = (conventions: unknown, more: object = {}) =>
  refused(() => api({ ...apiOptions(), ...more, conventions: conventions as never }))

describe('conventions: options that are refused when a service is built', () => {
  it.each<readonly [string, string]>([
    ...['AUTH-1', 'AUTH-4', 'AUTH-6', 'VERB-13', 'HDR-8', 'HDR-2', 'LIMIT-1'].map(
      (clause) => [clause, 'protects data and callers'] as const,
    ),
    ['QUERY-4', 'parameters: { offest: ["page"] }'],
    ['QUERY-1', 'For repeated parameters, set QUERY-8.'],
    ['VER-2', 'entry in "versions"'],
    ['PATH-2', 'always enforced'],
    ['QUERY8', 'Did you mean "QUERY-8"?'],
    ['query-8', 'Did you mean "QUERY-8"?'],
    ['ERR3', 'Did you mean "ERR-3"?'],
    ['__proto__x', 'which is not a clause'],
    ['constructor', 'which is not a clause'],
  ])('a mode for %s: the message contains %j', (clause, message) => {
    expect(build({ [clause]: 'report' })).toContain(message)
    expect(build({ [clause]: 'report' })).toContain('This option accepts modes for: QUERY-8, QUERY-5')
  })

  it.each([
    [{ 'QUERY-8': 'raport' }, 'Give "off", "report", "enforce"'],
    [{ 'QUERY-8': true }, 'neither a mode nor an object'],
    [{ 'QUERY-8': null }, 'neither a mode nor an object'],
    [{ 'QUERY-8': {} }, '"mode" of the entry "conventions.QUERY-8" of the service is missing'],
    [{ 'QUERY-8': { mode: 'report', until: '2027-02-30' } }, 'a day such as "2027-03-01"'],
    [{ 'QUERY-8': { mode: 'report', until: '2027-3-1' } }, 'a day such as "2027-03-01"'],
    [{ 'QUERY-8': { mode: 'report', until: 'soon' } }, 'a day such as "2027-03-01"'],
    [{ 'QUERY-8': { mode: 'report', untl: '2027-03-01' } }, 'Did you mean "until"?'],
    [{ 'QUERY-8': { mode: 'report', onExpired: 'refuse' } }, 'never expires'],
    [{ 'QUERY-8': { mode: 'report', share: 0.5 } }, 'Set "mode" to "enforce"'],
    [{ 'QUERY-8': { mode: 'enforce', share: 0 } }, 'share'],
    [{ 'QUERY-8': { mode: 'enforce', share: 1.5 } }, 'share'],
    [{ 'QUERY-8': { mode: 'report', repeated: 'all' } }, "Give 'first' or 'last'"],
    [{ 'QUERY-8': { mode: 'report', routes: [] } }, 'routes'],
    [{ 'QUERY-8': { mode: 'report', routes: ['orders'] } }, 'a template such as'],
    [{ 'QUERY-8': { mode: 'report', routes: ['/v1/ordres'] } }, 'Did you mean "/v1/orders"?'],
    [{ 'QUERY-8': { mode: 'report', routes: ['/v3/orders'] } }, 'which no version serves'],
    [{ 'QUERY-8': { mode: 'report', routes: ['/v1/orders/:numero'] } }, 'which no version serves'],
    [{ 'QUERY-5': 'report' }, 'such as upTo: 500'],
    [{ 'QUERY-5': { mode: 'enforce', share: 0.1 } }, 'such as upTo: 500'],
    [{ 'QUERY-5': { mode: 'report', upTo: 0 } }, 'upTo'],
    [{ 'HDR-1': 'off' }, 'Set "as" to 406 or "json"'],
    [{ 'HDR-3': 'report' }, 'requireIfMatch: true'],
    [{ 'HDR-5': 'report' }, 'Give types: ["text/plain"]'],
    [{ 'HDR-5': { mode: 'report', types: ['text'] } }, 'a media type such as'],
    [{ 'VERB-6': 'report' }, 'Give status: 200'],
    [{ 'VERB-6': { mode: 'report', status: 204, body: {} } }, "a 204 can't have one"],
    [{ 'VERB-6': { mode: 'report', status: 302 } }, 'status'],
    [{ 'ERR-3': 'report' }, 'Give the option shape'],
    [[], 'conventions'],
    ['report', 'conventions'],
  ])('%j: the message contains %j', (conventions, message) => {
    expect(build(conventions)).toContain(message)
  })

  it('a middleware accepts modes only for its own clauses, and only with the settings that they need', () => {
    expect(refused(() => listQuery(orders, { conventions: { 'HDR-1': 'report' } as never }))).toContain(
      'names "HDR-1", which does not apply to listQuery(). This option accepts modes for: QUERY-5, QUERY-8.',
    )
    expect(refused(() => problems({ conventions: { 'ERR-3': 'report' } }))).toContain('shape')
    expect(refused(() => ifMatch({ conventions: { 'HDR-3': 'report' } }))).toContain('ifMatch({ required: true })')
    expect(refused(() => negotiate({ conventions: { 'HDR-1': 'report' } }))).toContain('"as" to 406')
    expect(refused(() => totalCount({ conventions: { 'AUTH-1': 'off' } as never }))).toContain('protects data')
    expect(refused(() => recordBody(customers, { conventions: { 'HDR-5': 'off' } }))).toContain('types')
    const rules = { on: 'item', allow: ['DELETE'] } as const
    expect(refused(() => methodRules({ ...rules, conventions: { 'VERB-6': { mode: 'off', status: 200 } } }))).toContain(
      'your handler writes the response',
    )
    expect(refused(() => methodRules({ ...rules, conventions: { 'VERB-6': 'off' } }))).toBe('nothing')
  })

  it('resourceRouter() accepts only route templates of its resource, without a version', () => {
    const router = (routes: readonly string[]) =>
      refused(() =>
        resourceRouter(customers, memoryAdapter(customers), { conventions: { 'QUERY-8': { mode: 'off', routes } } }),
      )
    expect(router(['/customers', '/customers/{id}/'])).toBe('nothing')
    expect(router(['/v1/customers'])).toContain('Did you mean "/customers"?')
  })
})

describe('conventions: expiry', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-02-28T12:00:00Z') })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const at = (time: string) => vi.setSystemTime(new Date(time))

  describe.each(majors)('on %s', (_, express) => {
    const start = (onExpired?: 'refuse') => {
      const events: unknown[] = []
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      const entry = {
        mode: 'report',
        until: '2027-03-01',
        routes: ['/v1/orders'],
        ...(onExpired === undefined ? {} : { onExpired }),
      } as const
      const { call } = serve(express, {
        conventions: { 'QUERY-8': entry },
        onConventionExpired: (event) => void events.push(event),
      })
      const status = async () => (await call.get('/v1/orders?foo=1')).status
      return { status, events, log }
    }

    it('an entry still applies after its last day, but is then reported once a day', async () => {
      const { status, events, log } = start()
      at('2027-03-01T23:59:59.999Z')
      expect([await status(), events]).toEqual([200, []])
      at('2027-03-02T00:00:00Z')
      expect([await status(), await status(), events]).toEqual([
        200,
        200,
        [{ clause: 'QUERY-8', mode: 'report', until: '2027-03-01', routes: ['/v1/orders'], enforced: false }],
      ])
      at('2027-03-02T23:59:59Z')
      await status()
      expect(events).toHaveLength(1)
      at('2027-03-03T00:00:00Z')
      await status()
      expect([events.length, log.mock.calls.map(([text]) => text)]).toEqual([
        2,
        Array.from(
          { length: 2 },
          () =>
            'The entry "conventions.QUERY-8" for /v1/orders expired after 2027-03-01. ' +
            'Its mode is still "report". Remove the entry, or set "until" to a later day.',
        ),
      ])
    })

    it('if "onExpired" is "refuse", the clause is enforced after the last day', async () => {
      const { status, events } = start('refuse')
      expect(await status()).toBe(200)
      at('2027-03-02T00:00:00Z')
      expect([await status(), events]).toEqual([400, [expect.objectContaining({ enforced: true })]])
    })

    it('an entry whose last day is over is reported as soon as the service starts', () => {
      at('2028-01-01T00:00:00Z')
      const { events, log } = start()
      expect([events.length, log.mock.calls.length]).toEqual([1, 1])
    })
  })
})

describe('conventions: share', () => {
  const [convention] = resolveConventions(
    { 'QUERY-8': { mode: 'enforce', share: 0.25 } },
    { what: 'x', clauses: modedClauses, handWritten: true },
  )
  const modes = (share: number) =>
    modesOf(
      resolveConventions(
        { 'QUERY-8': { mode: 'enforce', share } },
        { what: 'x', clauses: modedClauses, handWritten: true },
      ),
      '',
      '/',
    )
  const isEnforced = (share: number, principal: unknown, remoteAddress = '10.0.0.1') => {
    const req = { socket: { remoteAddress }, headers: {} } as never
    return (
      legacyOf(modes(share), 'QUERY-8', { req, principal, finding: () => {}, onConventionExpired: undefined }) ===
      undefined
    )
  }

  it('selects about the given share of clients, by "azp" or "client_id", else by "sub", else by IP address', () => {
    expect(convention?.share).toBe(0.25)
    const clients = Array.from({ length: 4_000 }, (_, at) => `client-${at}`)
    const enforced = clients.filter((azp) => isEnforced(0.25, { azp, sub: 'x' }))
    expect(enforced.length).toBeGreaterThan(850)
    expect(enforced.length).toBeLessThan(1_150)
    for (const name of clients.slice(0, 200)) {
      expect(isEnforced(0.25, { azp: name, sub: String(Math.random()) })).toBe(enforced.includes(name))
      expect(isEnforced(0.25, { client_id: name })).toBe(enforced.includes(name))
      // Without a client id, the subject decides, and the IP address does not.
      expect(isEnforced(0.25, { sub: name }, String(Math.random()))).toBe(isEnforced(0.25, { sub: name }))
      // A larger share includes every client of a smaller share.
      if (enforced.includes(name)) expect(isEnforced(0.5, { azp: name })).toBe(true)
    }
    const subjects = clients.filter((sub) => isEnforced(0.25, { sub }))
    expect(subjects.length).toBeGreaterThan(850)
    expect(subjects.length).toBeLessThan(1_150)
    const addresses = Array.from({ length: 250 }, (_, at) => `10.0.1.${at}`).filter((address) =>
      isEnforced(0.5, undefined, address),
    )
    expect(addresses.length).toBeGreaterThan(80)
    expect(addresses.length).toBeLessThan(170)
    expect(isEnforced(1e-9, { azp: 'a' })).toBe(false)
  })

  it.each(majors)('on %s: clients outside the share have the mode "report"', async (_, express) => {
    const { call, reported } = serve(express, {
      principal: (req) => ({ sub: 'x', client_id: req.headers['x-client'] }),
      conventions: {
        'QUERY-8': { mode: 'enforce', share: 0.5 },
        'REP-1': { mode: 'enforce', share: 0.5 },
        'VERB-8': { mode: 'enforce', share: 0.5 },
      },
    })
    const names = Array.from({ length: 30 }, (_unused, at) => `c${at}`)
    const seen = []
    for (const name of names) {
      const { status } = await call.get('/v1/orders?foo=1').set('X-Client', name)
      const { body } = await call.get('/v1/orders/2').set('X-Client', name)
      const head = await call.head('/v1/orders/2').set('X-Client', name)
      seen.push(`${status} ${typeof body.customer} ${head.status}`)
    }
    expect(new Set(seen)).toEqual(new Set(['200 string 200', '400 object 302']))
    expect(reported().filter((one) => one === 'QUERY-8 foo')).toHaveLength(
      seen.filter((one) => one.startsWith('200')).length,
    )
  })
})
