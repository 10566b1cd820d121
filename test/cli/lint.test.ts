/**
 * The command `lint`: findings with line numbers, reports, baselines, exit codes, and messages for
 * files that are not OpenAPI documents.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { lintRules } from '../../src/check/lint/lint.js'
import ruleset from '../../src/spectral/index.js'
import { type Workplace, workplace } from '../check/command-run.js'
import { serving } from '../check/serving.js'
import { bySpectral } from '../linters/lint.js'
import { foreignDocument } from '../spectral/foreign.js'
import { sins } from '../spectral/sins.js'

let place: Workplace
beforeEach(() => {
  place = workplace()
})
afterEach(() => place.remove())

/** A document with two mistakes: a singular path name on line 4, and the status 409 on line 7. */
const flawed = `openapi: 3.1.0
info: { title: Orders, version: v1 }
paths:
  /v1/order/{id}:
    delete:
      parameters: [{ name: If-Match, in: header, schema: { type: string } }]
      responses: { '204': { description: Gone }, '409': { description: No }, '412': { description: Stale } }
`
const only = ['--only', 'path-2-plural,err-1-status']

const lintWith = (name: string, text: string, ...flags: readonly string[]) => {
  place.write(name, text)
  return place.run('lint', name, ...flags)
}

describe('the exit code of lint', () => {
  it('is 0 for a document that follows the conventions, in JSON and YAML, and in OpenAPI 3.0 and 3.1', async () => {
    for (const version of ['3.0.3', '3.1.0']) {
      const document = { ...foreignDocument(), openapi: version }
      for (const [name, text] of [
        ['openapi.json', JSON.stringify(document)],
        ['openapi.yaml', stringify(document)],
      ] as const) {
        const { code, out } = await lintWith(name, text)
        expect([code, out]).toEqual([0, expect.stringContaining(`${name}: 0 findings.`)])
      }
    }
  })

  it('is 0 for YAML with thousands of aliases of a small value', async () => {
    const rest = `x-word: &word a\nx-words:\n${'  - *word\n'.repeat(5000)}`
    const { code, error } = await lintWith('openapi.yaml', stringify(foreignDocument()) + rest)
    expect([code, error]).toEqual([0, ''])
  })

  it('is 1 if there are findings, each with a line, a rule, a clause and a fix', async () => {
    const { code, out } = await lintWith('openapi.yaml', flawed, ...only)
    expect(code).toBe(1)
    expect(out).toContain('openapi.yaml:4:3  error  path-2-plural  /v1/order/{id}: The collection "order"')
    expect(out).toContain('Use "orders". (PATH-2)')
    expect(out).toMatch(/^openapi\.yaml:7:50 {2}error {2}err-1-status/m)
    expect(out).toContain('2 findings')
  })

  it.each([
    ['indented with spaces', 2],
    ['indented with tabs', '\t'],
    ['on one line', undefined],
  ])('each finding has a line and a column if the JSON document is %s', async (_, indent) => {
    const text = JSON.stringify(
      { openapi: '3.1.0', paths: { '/v1/order': { get: { responses: {} } }, '/v1/order/{id}': {} } },
      undefined,
      indent,
    )
    const { out } = await lintWith('openapi.json', text, '--only', 'path-2-plural', '--json')
    const [{ line, column }] = JSON.parse(out).findings
    const before = text.slice(0, text.indexOf('"/v1/order"')).split('\n')
    expect([line, column]).toEqual([before.length, (before.at(-1) ?? '').length + 1])
  })
})

describe('the rules of lint', () => {
  it('are those of the Spectral ruleset, and one rule for references', () => {
    expect(lintRules.map(({ name }) => name)).toEqual(['reference', ...Object.keys(ruleset.rules)])
  })

  it.each(sins.filter(({ rule }, at) => sins.findIndex((one) => one.rule === rule) === at))(
    'have the same findings as in Spectral: $rule',
    async ({ change }) => {
      const document = foreignDocument()
      change(document)
      const { out } = await lintWith('openapi.json', JSON.stringify(document), '--json')
      const found = JSON.parse(out).findings.map(({ rule, message }: { rule: string; message: string }) => ({
        rule,
        message,
      }))
      const expected = (await bySpectral(document, ruleset)).map(({ rule, message }) => ({ rule, message }))
      expect(found).toEqual(expected)
    },
  )
})

describe('references in a linted document', () => {
  const referring = (schemas: object): string =>
    JSON.stringify({ openapi: '3.1.0', paths: { '/v1/orders': {} }, components: { schemas } }, undefined, 2)

  it('without a target are reported with their line', async () => {
    const { code, out } = await lintWith(
      'openapi.json',
      referring({ A: { $ref: '#/components/schemas/B' } }),
      '--only',
      'reference',
    )
    expect([code, out]).toEqual([1, expect.stringContaining('The reference "#/components/schemas/B" has no target.')])
    expect(out).toContain('openapi.json:9:9')
  })

  it('are checked in a property named "default", but not in the value of the keyword "default"', async () => {
    const schema = { type: 'object', properties: { default: { $ref: '#/components/schemas/B' }, properties: {} } }
    const { code, out } = await lintWith('names.json', referring({ A: schema }), '--only', 'reference')
    expect([code, out]).toEqual([1, expect.stringContaining('The reference "#/components/schemas/B" has no target.')])
    const data = { A: { properties: { properties: { type: 'object', default: { $ref: '#/nowhere' } } } } }
    expect((await lintWith('data.json', referring(data), '--only', 'reference')).code).toBe(0)
  })

  it('are reported if they form a loop, but not if a schema refers to itself in a property', async () => {
    const loop = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }
    expect((await lintWith('loop.json', referring(loop))).out).toContain('leads into a loop')
    const tree = { Tree: { properties: { child: { $ref: '#/components/schemas/Tree' } } } }
    expect((await lintWith('tree.json', referring(tree), '--only', 'reference')).code).toBe(0)
  })

  it('to other files are followed', async () => {
    place.write('paths.yaml', 'orders: { get: { responses: { "409": { description: No } } } }\n')
    const { out } = await lintWith(
      'openapi.yaml',
      'openapi: 3.1.0\npaths:\n  /v1/orders:\n    $ref: paths.yaml#/orders\n',
      '--only',
      'err-1-status',
    )
    expect(out).toContain('openapi.yaml:4:5  error  err-1-status')
  })
})

describe('the reports of lint', () => {
  it('can be SARIF or JUnit', async () => {
    await lintWith('openapi.yaml', flawed, ...only, '--sarif', 'out/lint.sarif', '--junit', 'out/lint.xml')
    const [run] = JSON.parse(place.read('out/lint.sarif')).runs
    expect(run.results).toMatchObject([
      { ruleId: 'PATH-2', locations: [{ physicalLocation: { region: { startLine: 4, startColumn: 3 } } }] },
      { ruleId: 'ERR-1', locations: [{ physicalLocation: { region: { startLine: 7 } } }] },
    ])
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['PATH-2', 'ERR-1'])
    expect(place.read('out/lint.xml')).toMatch(/<testsuites name="openapi.yaml" tests="2" failures="2">/)
  })
})

describe('a baseline of lint', () => {
  it('accepts findings until a date. lint reports entries of fixed findings, and an update removes them', async () => {
    expect(
      (await lintWith('openapi.yaml', flawed, ...only, '--write-baseline', 'known.json', '--until', '2026-06-15')).code,
    ).toBe(1)
    expect((await place.run('lint', 'openapi.yaml', ...only, '--baseline', 'known.json')).code).toBe(0)
    const late = workplace('2026-06-16')
    late.write('openapi.yaml', flawed)
    late.write('known.json', place.read('known.json'))
    const overdue = await late.run('lint', 'openapi.yaml', ...only, '--baseline', 'known.json')
    late.remove()
    expect([overdue.code, overdue.error]).toEqual([1, expect.stringContaining('was accepted until 2026-06-15.')])
    const fixed = flawed.replaceAll('409', '422')
    const update = ['--baseline', 'known.json', '--write-baseline', 'known.json']
    const { code, error } = await lintWith('openapi.yaml', fixed, ...only, ...update)
    expect([code, error]).toEqual([
      0,
      expect.stringContaining(
        'err-1-status at #/paths/~1v1~1order~1{id}/delete/responses/409 is no longer violated. Remove it',
      ),
    ])
    expect(JSON.parse(place.read('known.json'))).toMatchObject([{ check: 'path-2-plural', until: '2026-06-15' }])
  })

  it.each([
    [['--until', '2026-12-31'], '--until needs --write-baseline'],
    [['--until', 'soon', '--write-baseline', 'known.json'], '--until is "soon". Give a day of the calendar'],
    [['--until', '2026-06-14', '--write-baseline', 'known.json'], 'which is in the past: today is 2026-06-15 (UTC)'],
    [['--baseline', 'openapi.yaml'], 'A baseline is a list such as'],
  ])('invalid flags %j get exit code 2 and the message: %s', async (flags, message) => {
    const { code, error } = await lintWith('openapi.yaml', flawed, ...flags)
    expect([code, error]).toEqual([2, expect.stringContaining(message)])
  })
})

/** A document whose aliases contain aliases ("billion laughs"). */
const laughs = `openapi: 3.1.0
paths: {}
x-0: &a0 [ha]
${Array.from({ length: 9 }, (_, at) => `x-${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join()}]\n`).join('')}`

describe('the exit code of lint is 2 for', () => {
  it.each([
    ['openapi.json', '{"swagger":"2.0","paths":{}}', 'openapi.json is Swagger 2.0. Convert it to OpenAPI 3.0 or 3.1'],
    ['openapi.json', '{"openapi":"3.2.0","paths":{}}', 'is of OpenAPI version "3.2.0". The versions 3.0 and 3.1'],
    ['openapi.json', '{"asyncapi":"3.0.0"}', 'is not an OpenAPI document: it has no member "openapi"'],
    ['openapi.json', '[]', 'is not an OpenAPI document'],
    ['openapi.json', 'null', 'is not an OpenAPI document'],
    ['openapi.json', '{"openapi":"3.1.0","webhooks":{}}', 'has no "paths": there is nothing to lint'],
    ['openapi.json', '{"openapi":"3.1.0","paths":[]}', 'has a member "paths" that is not an object'],
    ['openapi.json', '{"openapi":"3.1.0",}', 'openapi.json is not JSON'],
    ['openapi.yaml', 'openapi: [3.1.0', 'openapi.yaml is not YAML'],
    ['openapi.yaml', 'openapi: 3.1.0\npaths: &a\n  /v1/orders: *a\n', 'a YAML alias makes a value contain itself'],
    ['openapi.yaml', laughs, 'openapi.yaml has more than 5,000,000 values if each YAML alias is replaced with a copy'],
    [
      'openapi.yaml',
      'openapi: 3.1.0\npaths: { /v1/orders: { $ref: other.yaml } }\n',
      'refers to other.yaml: other.yaml cannot be read: there is no such file.',
    ],
    [
      'openapi.yaml',
      'openapi: 3.1.0\npaths: { /v1/orders: { $ref: "https://example.com/a.yaml" } }\n',
      'is an absolute URL',
    ],
  ])('%s with the text %s: %s', async (name, text, message) => {
    const { code, out, error } = await lintWith(name, text)
    expect([code, out, error]).toEqual([2, '', expect.stringContaining(message)])
  })

  it('a file that is too large', async () => {
    const { code, error } = await lintWith('openapi.json', ' '.repeat(32 * 1024 * 1024 + 1))
    expect([code, error]).toEqual([2, expect.stringContaining('openapi.json has more than 32 MiB')])
  })

  it.each([
    [[], 'Which document?'],
    [['absent.yaml'], 'absent.yaml cannot be read: there is no such file.'],
    [['.'], '. cannot be read: it is a folder.'],
    [['a.json', 'b.json'], 'One document at a time. Remove "b.json".'],
    [['a.json', '--sarfi', 'x'], 'Did you mean "--sarif"?'],
  ])('the arguments %j: %s', async (args, message) => {
    const { code, error } = await place.run('lint', ...args)
    expect([code, error]).toEqual([2, expect.stringContaining(message)])
  })

  it('an unknown rule', async () => {
    const { code, error } = await lintWith('openapi.yaml', flawed, '--only', 'path-2-plurals')
    expect([code, error]).toEqual([2, expect.stringContaining('Did you mean "path-2-plural"?')])
  })
})

it('lint reads a document from a URL', async () => {
  const service = await serving((req, res) => {
    if (req.url === '/openapi') res.end(flawed)
    else res.writeHead(404).end()
  })
  try {
    const found = await place.run('lint', `${service.origin}/openapi`, ...only)
    expect([found.code, found.out]).toEqual([1, expect.stringContaining(`${service.origin}/openapi:4:3  error`)])
    const absent = await place.run('lint', `${service.origin}/absent`)
    expect([absent.code, absent.error]).toEqual([
      2,
      expect.stringContaining('responded with 404 instead of a document'),
    ])
  } finally {
    await service.close()
  }
})
