/**
 * `express-rest-conventions/spectral`, the rules for the linter Spectral: a document with one
 * mistake has one finding, which names the violated clause. A correct document has no findings.
 */
import { describe, expect, it } from 'vitest'
import { openapi } from '../../src/openapi/index.js'
import ruleset from '../../src/spectral/index.js'
import { bySpectral } from '../linters/lint.js'
import { richService } from '../linters/rich.js'
import { describedApis } from '../openapi/example.js'
import { foreignDocument } from './foreign.js'
import { sins } from './sins.js'

const own = await describedApis()

const found = async (document: object) =>
  (await bySpectral(document, ruleset)).map(({ rule, message, place }) => ({ rule, message, place }))

describe('a document that follows the conventions has no finding', () => {
  it('if it is hand-written', async () => {
    expect(await found(foreignDocument())).toEqual([])
  })

  it('if the version is in the server URL', async () => {
    const document = foreignDocument()
    document.servers = [{ url: 'https://api.invoices.test/v1' }]
    document.paths = Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [path.replace('/v1', ''), item]),
    )
    expect(await found(document)).toEqual([])
  })

  it.each<[what: string, spelled: (type: string) => object]>([
    ['a list', (type) => ({ type: [type] })],
    ['allOf', (type) => ({ type: undefined, allOf: [{ type }] })],
    ['oneOf', (type) => ({ type: undefined, oneOf: [{ type }, { type: [type, 'null'] }] })],
  ])('if the types of page parameters and lists are in %s', async (_, spelled) => {
    const document = foreignDocument()
    const { get } = document.paths['/v1/invoices']
    const counts = get.parameters.filter(({ name }: { name: string }) => ['offest', 'limit'].includes(name))
    for (const one of counts) one.schema = { ...one.schema, ...spelled('integer') }
    const media = get.responses['200'].content['application/json']
    media.schema = { ...media.schema, ...spelled('array') }
    expect(counts.length).toBe(2)
    expect(await found(JSON.parse(JSON.stringify(document)))).toEqual([])
  })

  const rich = richService()
  it.each([...own, ['rich-v1', rich, 'v1'], ['rich-v2', rich, 'v2']] as const)(
    'if the library generated it: %s',
    { timeout: 120_000 },
    async (_, api, version) => {
      expect(await found(openapi(api, version))).toEqual([])
    },
  )
})

describe('a document with one mistake has exactly one finding', () => {
  it.each(sins)('$rule: $what', async ({ rule, change, says }) => {
    const document = foreignDocument()
    change(document)
    const findings = await found(document)
    expect(findings).toEqual([{ rule, message: expect.stringContaining(says), place: expect.any(String) }])
    const [clause = ''] = /^[a-z]+-[0-9]+/.exec(rule) ?? []
    expect(findings[0]?.message).toMatch(new RegExp(`\\(${clause.toUpperCase()}\\)$`))
    // The code of a ConfigurationError is not part of the message.
    expect(findings[0]?.message).not.toMatch(/\[[A-Z]/)
  })

  it('every rule is broken by at least one of these documents', () => {
    expect([...new Set(sins.map(({ rule }) => rule))].toSorted()).toEqual(Object.keys(ruleset.rules).toSorted())
  })
})

describe('values that are not documents', () => {
  it.each([
    {},
    { openapi: '3.1.0', paths: null },
    { openapi: '3.1.0', paths: { '/v1/orders': null, 'no slash': { get: 1 } } },
    [],
  ])('cause no error inside a rule: %j', async (document) => {
    for (const { rule } of await bySpectral(document, ruleset)) expect(rule).not.toMatch(/error/)
  })
})
