/**
 * Public linters have no findings in the library's documents. Of the OWASP rules, only errors
 * count, and `exceptions.ts` explains the accepted errors.
 */
import owasp from '@stoplight/spectral-owasp-ruleset'
import { oas } from '@stoplight/spectral-rulesets'
import { describe, expect, it, vi } from 'vitest'
import { lintedDocuments } from './documents.js'
import { exceptions } from './exceptions.js'
import { byRedocly, bySpectral } from './lint.js'

// The OWASP rules are slow: they check every path of the document with every rule, with all
// references resolved.
vi.setConfig({ testTimeout: 300_000 })

const documents = await lintedDocuments()
const some = documents.find(([name]) => name === 'public v1 3.1')?.[1]
if (some === undefined) throw new Error('There is no document of the public API.')
const { description: _, license: __, ...bare } = some.info

describe('the documents', () => {
  it('are those of all API versions, each in OpenAPI 3.1 and 3.0', () => {
    expect(documents.map(([name]) => name)).toEqual(
      ['private v1', 'private v8', 'public v1', 'rich v1', 'rich v2'].flatMap((name) => [`${name} 3.1`, `${name} 3.0`]),
    )
    expect(documents.map(([, { openapi }]) => openapi)).toEqual(
      documents.map((_, at) => (at % 2 === 0 ? '3.1.1' : '3.0.3')),
    )
  })
})

describe('Spectral', () => {
  it('finds a missing description, and a server URL without HTTPS', async () => {
    expect(await bySpectral({ ...some, info: bare }, { extends: [oas] })).toMatchObject([{ rule: 'info-description' }])
    expect(
      (await bySpectral({ ...some, servers: [{ url: 'http://a.test' }] }, { extends: [owasp] })).map(
        ({ rule }) => rule,
      ),
    ).toEqual(expect.arrayContaining(['owasp:api8:2023-no-server-http', 'owasp:api9:2023-inventory-access']))
  })

  it.each(documents)('has no finding with its rules for OpenAPI: %s', async (_, document) => {
    expect(await bySpectral(document, { extends: [oas] })).toEqual([])
  })

  const excused = new Set<object>()

  it.each(documents)(
    'has no errors with the OWASP rules, except those that exceptions.ts explains: %s',
    async (_, document) => {
      const errors = (await bySpectral(document, { extends: [owasp] })).filter(({ severity }) => severity === 'error')
      const rest = errors.filter(({ rule, place }) => {
        const exception = exceptions.find((one) => one.rule === rule && one.place.test(place))
        if (exception !== undefined) excused.add(exception)
        return exception === undefined
      })
      expect(rest).toEqual([])
    },
  )

  it('has an error for each exception in exceptions.ts', () => {
    expect(exceptions.filter((one) => !excused.has(one))).toEqual([])
  })
})

describe('Redocly', () => {
  it('finds a missing license', async () => {
    const info = { ...bare, title: some.info.title, version: some.info.version }
    expect(await byRedocly({ ...some, info })).toMatchObject([{ rule: 'info-license' }])
  })

  it.each(documents)('has no finding with its recommended rules: %s', async (_, document) => {
    expect(await byRedocly(document)).toEqual([])
  })
})
