/** The usage report: the middleware `usagePage()`, and the command `report`. */
import { hash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/auth/index.js'
import { runCommand } from '../../src/cli/commands.js'
import { reportAt, usageOfModule } from '../../src/cli/usage-source.js'
import { problems } from '../../src/index.js'
import { type UsageReport, type UsageStore, usage, usagePage } from '../../src/usage/index.js'
import { listen, majors } from '../middleware/majors.js'

const filled = (store?: UsageStore) => {
  const counts = usage({ client: 'token', ...(store === undefined ? {} : { store }) })
  for (let at = 0; at < 1204; at++)
    counts.countCall({ version: 'v1', method: 'GET', route: '/orders', client: 'billing' })
  counts.countCall({ version: 'v1', method: 'GET', route: '/orders/{id}', client: '<b>web</b>' })
  counts.countBreak({ clause: 'QUERY-8', method: 'GET', route: '/orders', detail: 'page', client: 'billing' })
  counts.countBreak({ clause: 'QUERY-8', method: 'GET', route: '/orders', detail: 'page', client: '<b>web</b>' })
  return counts
}

const authenticated = authenticate({ field: 'X-Key', challenge: 'Key realm="x"', identify: (key) => ({ role: key }) })

const served = (counts = filled()) => ({
  counts,
  mount: usagePage<{ role: string }>(counts, { permission: ({ role }) => (role === 'ops' ? 'allow' : 'forbidden') }),
})

describe.each(majors)('usagePage() (%s)', (_, express) => {
  const start = async () => {
    const { counts, mount } = served()
    const app = express()
    app.use('/ops/usage', authenticated, mount)
    app.use(problems({ onError: () => {} }))
    const port = await listen(app)
    const ask = (headers: Record<string, string>, query = '', method = 'GET') =>
      fetch(`http://127.0.0.1:${port}/ops/usage${query}`, { method, headers })
    return { ask, counts, port }
  }

  it('AUTH-4: refuses callers without the permission, and methods other than GET and HEAD', async () => {
    const { ask } = await start()
    expect((await ask({})).status).toBe(401)
    expect((await ask({ 'x-key': 'dev' })).status).toBe(403)
    expect((await ask({ 'x-key': 'ops' })).status).toBe(200)
    const refused = await ask({ 'x-key': 'ops' }, '', 'POST')
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('HDR-1: responds with JSON or, if Accept asks for HTML, with a page without scripts', async () => {
    const { ask } = await start()
    const report = (await (await ask({ 'x-key': 'ops' })).json()) as UsageReport
    expect(report.clauses).toMatchObject([
      { clause: 'QUERY-8', count: 2, clients: [{ count: 1 }, { count: 1 }], places: [{ detail: 'page', count: 2 }] },
    ])
    expect(report.versions).toMatchObject([
      { version: 'v1', count: 1205, clients: [{ client: 'billing', count: 1204 }, { client: '<b>web</b>' }] },
    ])
    const page = await ask({ 'x-key': 'ops', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    const text = await page.text()
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri/,
    )
    expect([page.headers.get('cache-control'), page.headers.get('vary')]).toEqual([
      'no-store',
      expect.stringContaining('Accept'),
    ])
    expect(text).toContain('&lt;b&gt;web&lt;/b&gt;')
    expect(text).not.toMatch(/<script|<b>/)
    expect(text).toContain('1,204')
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
    expect(page.headers.get('content-security-policy')).toContain(`'sha256-${hash('sha256', style, 'base64')}'`)
    expect((await ask({ 'x-key': 'ops', accept: 'image/png' })).status).toBe(415)
    expect(await (await ask({ 'x-key': 'ops' }, '', 'HEAD')).text()).toBe('')
  })

  it('QUERY-8: accepts the parameter "days" from 1 to 35, and no other parameter', async () => {
    const { ask } = await start()
    const statuses = await Promise.all(
      ['?days=7', '?days=35', '?days=36', '?days=0', '?days=x', '?days=1&days=2', '?day=7', '?days=%E0'].map(
        async (query) => (await ask({ 'x-key': 'ops' }, query)).status,
      ),
    )
    expect(statuses).toEqual([200, 200, 400, 400, 400, 400, 400, 400])
  })

  it.each([new Error('down'), new RangeError('Invalid time value')])(
    'responds with 503 while the store fails: %s',
    async (error) => {
      const down: UsageStore = { write: () => Promise.reject(error), read: () => Promise.reject(error) }
      const counts = usage({ store: down, onStoreFailure: () => {} })
      const app = express()
      app.use(authenticated, usagePage(counts, { permission: () => 'allow' }), problems({ onError: () => {} }))
      const port = await listen(app)
      expect((await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-key': 'a' } })).status).toBe(503)
    },
  )

  it('the command `report` says why it cannot read the report at a URL', async () => {
    const { port, ask } = await start()
    const address = `http://127.0.0.1:${port}/ops/usage`
    await expect(reportAt(address, undefined)).rejects.toThrow(/needs credentials/)
    expect((await ask({ 'x-key': 'ops' })).status).toBe(200)
    await expect(reportAt(`http://127.0.0.1:${port}/else`, undefined)).rejects.toThrow(/responded.*404/)
    await expect(reportAt('http://127.0.0.1:1/', undefined)).rejects.toThrow(/cannot be fetched/)
  })

  it('the command `report` sets "days" in the query of the URL, and keeps other parameters', async () => {
    const queries: string[] = []
    const app = express()
    app.use((req, _res, next) => {
      queries.push(String(req.url).replace(/^[^?]*/, ''))
      req.url = String(req.url).replace('key=ops&', '')
      req.headers['x-key'] = 'ops'
      next()
    })
    app.use(authenticated, served().mount)
    const address = `http://127.0.0.1:${await listen(app)}/`
    for (const [query, sent] of [
      ['', '?days=7'],
      ['?days=3', '?days=7'],
      ['?key=ops', '?key=ops&days=7'],
      ['?key=ops&days=3#top', '?key=ops&days=7'],
    ]) {
      const { code, out, error } = await run(`report ${address}${query} --days 7 --json`)
      expect([code, error, queries.at(-1)]).toEqual([0, '', sent])
      expect(JSON.parse(out)).toMatchObject({ days: 7 })
    }
    expect((await run('report http://: --days 7')).error).toContain('http://: cannot be fetched')
  })
})

async function run(line: string, counts = filled()) {
  let out = ''
  let error = ''
  const code = await runCommand(line.split(' '), {
    cwd: '/',
    out: (text) => {
      out += text
    },
    error: (text) => {
      error += text
    },
    now: () => new Date(),
    documentsOf: () => Promise.reject(new Error('not asked')),
    serviceOf: () => Promise.reject(new Error('not asked')),
    usageOf: async () => counts,
    reportAt: (address) => reportAt(address, undefined),
    ended: async () => {},
  })
  return { code, out, error }
}

describe('report <module>', () => {
  it('prints the violations of each clause, the calls of each version, and how complete the counts are', async () => {
    const { code, out } = await run('report ./usage.js')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^Counting was complete for 0 % of the last 30 days\. Whether other clients called in the remaining time is unknown\.$/m,
    )
    expect(out).toMatch(/^QUERY-8 .+: 2 responses, 2 clients$/m)
    expect(out).toMatch(/^ {2}GET \/orders \[page\] +2 {2}last \d+ s ago$/m)
    expect(out).toMatch(/^v1: 1,205 calls, 2 clients$/m)
    expect(out).toMatch(/^ {2}billing +1,204 {2}last \d+ s ago$/m)
  })

  it('prints the report as JSON with --json', async () => {
    const report = JSON.parse((await run('report ./usage.js --json --days 7')).out) as UsageReport
    expect(report).toMatchObject({
      days: 7,
      complete: false,
      clauses: [{ clause: 'QUERY-8' }],
      versions: [{ version: 'v1' }],
    })
  })

  it('--check fails if a client violates a clause that --enforce names, or if the counts are incomplete', async () => {
    const broken = await run('report ./usage.js --check --enforce QUERY-8')
    expect([broken.code, broken.error]).toEqual([
      1,
      expect.stringContaining('Enforcing QUERY-8 would break 2 responses of the last 30 days'),
    ])
    const young = await run('report ./usage.js --check --enforce ERR-3')
    expect([young.code, young.error]).toEqual([1, expect.stringContaining('Counting was incomplete')])
    const now = Date.now()
    const old: UsageStore = {
      write: () => undefined,
      read: () => ({
        now,
        since: now - 40 * 86_400_000,
        writers: [
          {
            writer: 'a',
            started: now - 40 * 86_400_000,
            seen: now,
            interval: 10_000,
            closed: false,
            fields: new Map(),
          },
        ],
      }),
    }
    const quiet = await run('report ./usage.js --check --enforce ERR-3', usage({ store: old }))
    expect([quiet.code, quiet.error]).toEqual([0, ''])
    expect(quiet.out).toContain('clients that are not listed did not call')
  })

  it('--enforce accepts only clause ids, because a misspelt id would pass every check', async () => {
    for (const [slip, near] of [
      ['QUERY-88', 'QUERY-8'],
      ['query-8', 'QUERY-8'],
      ['QUERY8,ERR-3', 'QUERY-8'],
    ]) {
      const { code, error } = await run(`report ./usage.js --check --enforce ${slip}`)
      expect([code, error]).toEqual([2, expect.stringContaining(`is not a clause. Did you mean "${near}"?`)])
    }
    expect((await run('report ./usage.js --check --enforce ,')).code).toBe(2)
    expect((await run('report ./usage.js --check --enforce ERR-3,')).code).toBe(1)
  })

  it('exits with code 2 for wrong arguments, and prints its options with --help', async () => {
    for (const line of [
      'report',
      'report a b',
      'report a --check',
      'report a --enforce X',
      'report a --days 0',
      'report a --day 7',
      'report a --days 36',
    ])
      expect((await run(line)).code, line).toBe(2)
    expect((await run('report --help')).out).toContain('--enforce')
  })

  it('finds the result of usage() in a module, under any export name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'report-'))
    const stub = '{ read() {}, countCall() {}, close() {} }'
    const files = {
      'named.mjs': `export const counts = ${stub}`,
      'default.mjs': `export default ${stub}`,
      'common.cjs': `exports.usage = ${stub}`,
    }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text)
      expect(typeof (await usageOfModule(join(folder, name))).read).toBe('function')
    }
    writeFileSync(join(folder, 'none.mjs'), 'export const a = 1')
    await expect(usageOfModule(join(folder, 'none.mjs'))).rejects.toThrow(/exports no usage.*It exports a\./)
  })
})
