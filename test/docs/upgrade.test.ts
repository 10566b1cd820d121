/** The page that guides clients of a version to its successor. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate } from '../../src/auth/index.js'
import { docsPages } from '../../src/docs/index.js'
import { type ApiOptions, api, defineResource, mount } from '../../src/index.js'
import { frameworks, listen } from '../clauses/fixture.js'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

const noteOf = (properties: object) =>
  defineResource({
    collection: 'notas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...properties } } as never,
  })
const old = noteOf({ titulo: { type: 'string' } })
const young = noteOf({ texto: { type: 'string' } })
const secret = defineResource({
  collection: 'secretos',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

const optionsOf = (more: Partial<ApiOptions> = {}): ApiOptions => ({
  describe: { pages: docsPages() },
  versions: {
    v1: {
      resources: [mount(old, memoryAdapter(old) as never)],
      deprecated: '2026-01-01',
      sunset: '2027-01-01',
      successor: 'v2',
    },
    v2: [mount(young, memoryAdapter(young) as never), mount(secret, memoryAdapter(secret))],
  },
  ...more,
})

describe.each(frameworks)('the upgrade page over %s', (_name, express) => {
  const start = async (more: Partial<ApiOptions> = {}) => {
    const served = await listen(express().use(api(optionsOf(more))) as never)
    closers.push(served.close)
    return served
  }

  it('VER-3: is HTML, is linked in the index, is found by the search, and is absent from v2', async () => {
    const { send } = await start()
    const { status, text, headers } = await send('GET', '/v1/docs/upgrade')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<h1>From v1 to v2</h1>')
    expect(text).toMatch(/<h2>notas<\/h2>[\s\S]*<h3>Changes in requests<\/h3>[\s\S]*<code>titulo<\/code> was removed/)
    expect(text).toContain('<code>texto</code> is new and has the same type')
    const index = (await send('GET', '/v1/docs')).text
    expect(index).toContain('What clients must change: <a href="docs/upgrade">From v1 to v2</a>')
    expect((await send('GET', '/v1/docs/search-entries.js')).text).toContain('From v1 to v2')
    for (const path of ['/v2/docs/upgrade', '/v1/docs/upgrade~2', '/v1/docs/upgrade~1'])
      expect((await send('GET', path)).status).toBe(404)
    expect((await send('GET', '/v2/docs')).text).not.toContain('upgrade')
  })

  it('AUTH-4: omits the operations that the caller must not use, if "reduced" is true', async () => {
    const who = authenticate({ field: 'x-user', challenge: 'User', identify: (name) => ({ sub: name }) })
    const { send } = await start({
      authenticate: who,
      permission: (principal, _action, resource) =>
        (principal as { sub: string }).sub === 'eva' && resource === 'secretos' ? 'forbidden' : 'allow',
      describe: { pages: docsPages(), reduced: true },
    } as Partial<ApiOptions>)
    expect((await send('GET', '/v1/docs/upgrade', { 'x-user': 'ana' })).text).toContain('secretos')
    expect((await send('GET', '/v1/docs/upgrade', { 'x-user': 'eva' })).text).not.toContain('secretos')
    expect((await send('GET', '/v1/docs/upgrade')).status).toBe(401)
  })

  it('VER-2: is absent after the successor has retired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-12-01') })
    const { v1, v2 } = optionsOf().versions
    const { send } = await start({
      versions: {
        v1: { ...(v1 as object), resources: (v1 as { resources: never[] }).resources },
        v2: { resources: v2 as never[], sunset: '2026-12-31', retireAtSunset: true },
      },
    })
    expect((await send('GET', '/v1/docs/upgrade')).status).toBe(200)
    vi.setSystemTime(new Date('2026-12-31'))
    expect((await send('GET', '/v1/docs/upgrade')).status).toBe(404)
  })

  it('VER-3: many changes are split into pages of at most 60 KB, and no change is missing', async () => {
    const many = (prefix: string) =>
      noteOf(
        Object.fromEntries(
          Array.from({ length: 700 }, (_, i) => [`${prefix}Member${i}`, { type: 'string', maxLength: i + 1 }]),
        ),
      )
    const [a, b] = [many('old'), many('young')]
    const { send } = await start({
      versions: {
        v1: { resources: [mount(a, memoryAdapter(a) as never)], deprecated: '2026-01-01', successor: 'v2' },
        v2: [mount(b, memoryAdapter(b) as never)],
      },
    })
    const texts: string[] = []
    for (let page = 1; ; page += 1) {
      const { status, text } = await send('GET', `/v1/docs/upgrade${page === 1 ? '' : `~${page}`}`)
      if (status === 404) break
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000)
      texts.push(text)
    }
    expect(texts.length).toBeGreaterThan(2)
    const all = texts.join('')
    for (let i = 0; i < 700; i += 1) expect(all).toContain(`<code>youngMember${i}</code>`)
  })
})
