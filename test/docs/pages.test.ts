/**
 * The docs pages of the example cover its OpenAPI documents, and comply with accessibility rules.
 */
import { describe, expect, it } from 'vitest'
import { clauses } from '../../src/clauses.js'
import type { Api } from '../../src/index.js'
import { type DocumentOperation, type OpenApiDocument, openapi } from '../../src/openapi/index.js'
import { problemKinds } from '../../src/problem-kinds.js'
import { describedApis } from '../openapi/example.js'
import { faultsOf, fileOf, linksOf, pagesOf, problemBase, textOf } from './site.js'

const sites = (await describedApis()).map(([name, api, version]: readonly [string, Api, string]) => {
  const document = openapi(api, version)
  return { name, document, pages: pagesOf(document) }
})

describe.each(sites)('the docs pages of $name', ({ document, pages }) => {
  const whole = [...pages.values()].join('')
  const text = textOf(whole)
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => !['parameters', 'servers'].includes(method))
      .map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation: operation as DocumentOperation,
      })),
  )

  it('comply with the content security policy and with accessibility rules, and have no dead links', () => {
    expect(faultsOf(pages)).toEqual([])
  })

  it('have a page for each tag', () => {
    for (const { name } of document.tags ?? []) expect(pages.get(name), name).toContain(`<h1>${name}</h1>`)
  })

  it('have every operation, with its method, its path and every status', () => {
    for (const { path, method, operation } of operations) {
      expect(whole).toContain(`<h2 id="${operation.operationId}">`)
      expect(whole).toContain(`<span class="method">${method}</span> <code>${path}</code>`)
      const [tag = ''] = operation.tags ?? []
      const parts = [...pages].filter(([name]) => name === tag || name.startsWith(`${tag}~`)).map(([, body]) => body)
      const section = parts.join('').split(`<h2 id="${operation.operationId}">`)[1]?.split('<h2')[0] ?? ''
      for (const status of Object.keys(operation.responses))
        expect(section, operation.operationId).toContain(`<th scope="row">${status}</th>`)
    }
  })

  it('have exactly one description of each type that a path uses', () => {
    // Problems have their own page.
    const used = usedTypes(document).filter((name) => !['Problem', 'Violation'].includes(name))
    expect(used.length).toBeGreaterThan(10)
    for (const name of used) expect(whole.split(`<h2 id="type:${name}">`), name).toHaveLength(2)
  })

  it('explain each clause that they name', () => {
    const named = new Set(text.match(/\b(?:PATH|REP|VERB|QUERY|HDR|AUTH|ERR|LIMIT|VER)-\d+\b/g))
    expect([...named].filter((id) => !Object.hasOwn(clauses, id))).toEqual([])
    const linked = new Set(
      [...pages.values()].flatMap(linksOf).flatMap(({ page, anchor }) => (page === 'clauses' ? [anchor] : [])),
    )
    expect([...named].filter((id) => !linked.has(id) && !pages.get('clauses')?.includes(`<h2 id="${id}">`))).toEqual([])
  })
})

/** The types that paths use, directly or through other types. */
function usedTypes({ paths, components }: OpenApiDocument): readonly string[] {
  const found = new Set<string>()
  const pending: unknown[] = [paths, components.responses, components.parameters]
  while (pending.length > 0) {
    for (const [, name = ''] of JSON.stringify(pending.pop()).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (!found.has(name)) pending.push(components.schemas?.[name])
      found.add(name)
    }
  }
  return [...found]
}

describe('the page of problems', () => {
  const page = sites[0]?.pages.get('problems') ?? ''

  it('ERR-3: has a section for each code, at the type URI, with the status, title, clause and advice', () => {
    for (const [code, { status, title, clause }] of Object.entries(problemKinds)) {
      const [, section = ''] = page.split(`<h2 id="${clause}-${code}">`)
      const text = textOf(section.split('<h2')[0] ?? '')
      expect(text).toContain(code)
      expect(text).toContain(`${status} `)
      expect(text).toContain(title)
      expect(text).toContain(clause)
      expect(text).toContain('What to do: ')
      expect(text).toContain(`${problemBase}#${clause}-${code}`)
    }
  })
})

describe('the search', () => {
  it('finds problems, clauses and types, and every result leads to an existing page or anchor', () => {
    for (const { document, pages } of sites) {
      const script = fileOf(document, 'search-entries.js') ?? ''
      const entries = JSON.parse(script.replace(/^globalThis\.docsEntries = /, '')) as readonly (readonly [
        string,
        string,
        string,
      ])[]
      expect(entries.map(([title]) => title)).toEqual(expect.arrayContaining(['stale', 'HDR-3: If-Match', 'PrePieza']))
      for (const [title, address] of entries) {
        const [page = '', anchor] = address.split('#').map(decodeURIComponent)
        expect(pages.has(page), `${title}: ${address}`).toBe(true)
        if (anchor !== undefined) expect(pages.get(page), `${title}: ${address}`).toContain(`id="${anchor}"`)
      }
    }
  })
})

describe('names of pages', () => {
  it('lead to no page if the page number or the spelling is wrong', () => {
    const [{ document }] = sites as [(typeof sites)[number]]
    for (const name of [
      'index',
      'pre-piezas~1',
      'pre-piezas~99',
      'Pre-Piezas',
      'clauses~2',
      '~2',
      'none',
      '__proto__',
      'toString',
    ])
      expect(fileOf(document, name), name).toBeUndefined()
  })
})
