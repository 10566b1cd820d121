/**
 * Tests of the reports of `check` about a service whose responses contain markup, Markdown, control
 * characters, huge bodies and the token of the client.
 */
import MarkdownIt from 'markdown-it'
import { SaxesParser } from 'saxes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clauses } from '../../src/clauses.js'
import { type Ran, type Workplace, workplace } from './command-run.js'
import { hostileDocument, hostileService } from './hostile-service.js'
import { type Serving, serving } from './serving.js'

const token = 'a-token-that-no-report-may-hold'
const names = ['report.html', 'report.md', 'report.sarif', 'report.xml']

let place: Workplace
let service: Serving
let ran: Ran
beforeAll(async () => {
  process.env.CHECK_HOSTILE_TOKEN = token
  place = workplace()
  service = await serving(hostileService)
  place.write('openapi.yaml', hostileDocument)
  ran = await check(
    '--html',
    'report.html',
    '--markdown',
    'report.md',
    '--sarif',
    'report.sarif',
    '--junit',
    'report.xml',
  )
})
afterAll(async () => {
  delete process.env.CHECK_HOSTILE_TOKEN
  await service.close()
  place.remove()
})

const check = (...more: readonly string[]): Promise<Ran> =>
  place.run(
    ...['check', service.origin, '--document', 'openapi.yaml', '--token', 'CHECK_HOSTILE_TOKEN', '--rate', '9999999'],
    ...more,
  )

describe('every report', () => {
  it('contains no token, even where the service includes the token in a response', async () => {
    expect(ran.code).toBe(1)
    const { out } = await check('--json', '--only', 'QUERY-7')
    expect(out).toContain('Bearer (hidden)')
    for (const text of [ran.out, ran.error, out, ...names.map((name) => place.read(name))]) {
      expect(text).not.toContain(token)
      // `check` also sends an altered copy of the token, which begins with the same characters. The
      // copy must not appear either.
      expect(text).not.toContain(token.slice(0, 19))
      expect(text).not.toContain('session=not-for-reports')
    }
  })

  it('shortens huge bodies', () => {
    for (const name of names) expect(place.read(name).length).toBeLessThan(400_000)
    expect(place.read('report.html')).toContain('more characters)')
  })

  it('escapes control characters and characters that change the writing direction, in text, HTML and Markdown', () => {
    for (const text of [ran.out, place.read('report.html'), place.read('report.md')])
      for (const character of ['\u202e', '\u0007', '\ud800']) expect(text).not.toContain(character)
    expect(place.read('report.html')).toContain('\\u202e')
  })
})

describe('the HTML report (--html)', () => {
  it('is one file without external resources, with a content security policy that blocks them by default', () => {
    const html = place.read('report.html')
    expect(html).not.toMatch(/<(?:img|link|iframe|object|embed|base)\b/)
    expect(html).not.toMatch(/\s(?:src|onerror)=["']/)
    expect([...html.matchAll(/\shref="([^"]*)"/g)].filter(([, to]) => !to?.startsWith('#'))).toEqual([])
    expect(html).toMatch(/content="default-src &#39;none&#39;|content="default-src 'none'/)
  })

  it('shows the rule, the reason, a fix by hand, a fix with the library, and the requests with their responses', () => {
    const html = place.read('report.html')
    for (const part of ['Why it matters', 'Expected', 'Seen', 'Fix by hand', 'Fix with express-rest-conventions'])
      expect(html).toContain(part)
    expect(html).toContain('/v1/orders?limit=1&amp;offest=10000000')
  })
})

describe('the Markdown report (--markdown)', () => {
  it('does not render values from the service as HTML or as links', () => {
    const markdown = place.read('report.md')
    const tags = [...new MarkdownIt({ html: true, linkify: true }).render(markdown).matchAll(/<([a-z0-9]+)/g)]
    const own = [
      'h3',
      'p',
      'code',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'details',
      'summary',
      'ul',
      'li',
      'pre',
    ]
    expect(tags.map(([, tag]) => tag).filter((tag) => !own.includes(tag ?? ''))).toEqual([])
  })

  it('has a table row of five cells and a details section for each violation', () => {
    const html = new MarkdownIt({ html: true }).render(place.read('report.md'))
    const rows = [...html.matchAll(/<tr>\n((?:<td[^>]*>.*<\/td>\n)+)<\/tr>/g)].slice(1)
    const breaks = Number(/, (\d+) break, /.exec(ran.out)?.[1])
    expect(rows.length).toBe(breaks)
    for (const [, cells = ''] of rows) expect(cells.match(/<td/g)?.length).toBe(5)
    expect(html.match(/<details>/g)?.length).toBe(breaks)
  })

  it('is printed instead of the text report if the file name is "-"', async () => {
    const { out } = await check('--markdown', '-', '--only', 'QUERY-7')
    expect(out).toMatch(/^### REST conventions: \d checks fail\n/)
    expect(out).not.toContain('BREAKS')
    expect((await check('--markdown', '-', '--json')).code).toBe(2)
  })
})

describe('the SARIF report (--sarif)', () => {
  const log = () => JSON.parse(place.read('report.sarif'))

  it('is SARIF 2.1.0: each result has a rule, a message, a file with a line, and fingerprints', () => {
    const { version, runs } = log()
    expect([version, runs.length]).toEqual(['2.1.0', 1])
    const [{ tool, results, artifacts, invocations }] = runs
    const { rules } = tool.driver
    expect(results.length).toBeGreaterThan(10)
    for (const result of results) {
      expect(rules[result.ruleIndex].id).toBe(result.ruleId)
      expect(result.ruleId in clauses).toBe(true)
      expect(['error', 'warning']).toContain(result.level)
      expect(result.message.text).toMatch(/expected .*; seen /)
      const [{ physicalLocation, logicalLocations }] = result.locations
      const { uri, uriBaseId, index } = physicalLocation.artifactLocation
      expect([uri, uriBaseId, artifacts[index].location.uri]).toEqual(['openapi.yaml', '%SRCROOT%', 'openapi.yaml'])
      // The path of the list is on line 5 of the document. Results about the whole service point to
      // line 1.
      const where = logicalLocations[0].fullyQualifiedName
      expect(physicalLocation.region.startLine).toBe(where === '/v1/orders' ? 5 : 1)
      expect(result.partialFingerprints.primaryLocationLineHash).toMatch(/^[0-9a-f]{16}:1$/)
    }
    expect(invocations).toMatchObject([
      { executionSuccessful: true, exitCode: 1, startTimeUtc: '2026-06-15T12:00:00.000Z' },
    ])
  })

  it('gives each violation its own fingerprint, which is the same in another run', async () => {
    const hashes = (text: string): string[] =>
      JSON.parse(text).runs[0].results.map((one: { partialFingerprints: object }) =>
        JSON.stringify(one.partialFingerprints),
      )
    const first = hashes(place.read('report.sarif'))
    expect(new Set(first).size).toBe(first.length)
    await check('--sarif', 'again.sarif', '--only', 'QUERY-7')
    const second = hashes(place.read('again.sarif'))
    expect(second.length).toBeGreaterThan(0)
    for (const hash of second) expect(first).toContain(hash)
  })

  it('contains the last request of a violation and its response, without credentials', () => {
    const result = log().runs[0].results.find(
      ({ properties }: { properties: { check: string } }) => properties.check === 'QUERY-7/past-end',
    )
    expect(result).toMatchObject({
      ruleId: 'QUERY-7',
      webRequest: { protocol: 'http', method: 'GET', target: '/v1/orders?limit=1&offest=10000000', headers: {} },
      webResponse: { statusCode: 404, headers: { 'set-cookie': '(hidden)' } },
    })
  })

  it('has the URL of each rule if the URL of the clauses page is given', async () => {
    expect(log().runs[0].tool.driver.rules[0].helpUri).toBeUndefined()
    await check(
      '--only',
      'QUERY-7',
      '--sarif',
      'help.sarif',
      '--clauses-url',
      'https://api.example.com/v1/docs/clauses',
    )
    const { rules } = JSON.parse(place.read('help.sarif')).runs[0].tool.driver
    expect(rules[0].helpUri).toBe(`https://api.example.com/v1/docs/clauses#${rules[0].id}`)
  })

  it('marks each violation as new or accepted if a baseline is given', async () => {
    await check('--only', 'QUERY-7', '--write-baseline', 'known.json', '--until', '2026-12-31')
    const known: { check: string }[] = JSON.parse(place.read('known.json'))
    place.write('known.json', JSON.stringify(known.filter((one) => one.check !== 'QUERY-7/past-end')))
    expect((await check('--only', 'QUERY-7', '--baseline', 'known.json', '--sarif', 'known.sarif')).code).toBe(1)
    const { results } = JSON.parse(place.read('known.sarif')).runs[0]
    const fresh = results.filter((one: { baselineState: string }) => one.baselineState === 'new')
    expect(fresh).toMatchObject([{ properties: { check: 'QUERY-7/past-end' }, suppressions: [] }])
    const accepted = results.find((one: { baselineState: string }) => one.baselineState === 'unchanged')
    expect(accepted.suppressions).toMatchObject([
      { kind: 'external', status: 'accepted', justification: 'accepted until 2026-12-31' },
    ])
  })
})

describe('the JUnit report (--junit)', () => {
  it('is well-formed XML, with a failure for each violation', () => {
    const parser = new SaxesParser()
    const cases: string[] = []
    parser.on('opentag', ({ name }) => cases.push(name))
    parser.on('error', (error) => {
      throw error
    })
    parser.write(place.read('report.xml')).close()
    expect(cases.filter((name) => name === 'failure').length).toBe(Number(/, (\d+) break, /.exec(ran.out)?.[1]))
  })
})

it.each([
  [['--html', '.'], '--html is ., which is a folder.'],
  [['--html', 'one', '--sarif', './one'], '--sarif and --html name the same file'],
  [['--clauses-url', 'clauses.md'], '--clauses-url is "clauses.md". Give an absolute address'],
])('%j is refused before a request is sent: %s', async (flags, message) => {
  const { code, error } = await check(...flags)
  expect([code, error]).toEqual([2, expect.stringContaining(message)])
  expect(error).not.toContain('checking')
})
