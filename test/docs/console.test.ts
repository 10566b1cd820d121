/**
 * The console of the docs: its files and its content security policy. `test/browser` tests the
 * console in a browser.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { docsPages } from '../../src/docs/index.js'
import { swaggerUiAssets } from '../../src/docs/swagger-ui.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'
import { majors } from '../middleware/majors.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const service = (console: boolean) =>
  api({
    describe: { pages: docsPages({ console, title: 'Orders </title><script>alert(1)</script>' }), public: true },
    versions: { v1: [mount(orders, memoryAdapter(orders))] },
  })

describe.each(majors)('the console in %s', (_, framework) => {
  let withConsole: Awaited<ReturnType<typeof listen>>
  let without: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    withConsole = await listen(framework().use(service(true)))
    without = await listen(framework().use(service(false)))
  })
  afterAll(() => Promise.all([withConsole.close(), without.close()]))
  const get = (path: string) => fetch(`${withConsole.origin}${path}`)

  it('has a content security policy for Swagger UI, escapes the title, and loads files from the service', async () => {
    const response = await get('/v1/docs/console')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'; " +
        "frame-ancestors 'none'; connect-src 'self'; img-src data:",
    )
    const page = await response.text()
    expect(page).toContain('<title>Console: Orders &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>')
    expect(page).not.toMatch(/<script(?![^>]* src=")|<style| style="| on\w+="/)
    for (const [, address = ''] of page.matchAll(/(?:src|href)="(?!#)([^"]+)"/g)) {
      expect((await get(`/v1/docs/${address}`)).status, address).toBe(200)
    }
  })

  it('serves the script and the style sheet of the installed Swagger UI', async () => {
    const installed = (name: string) =>
      readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8')
    for (const [name, type] of [
      ['swagger-ui.css', 'text/css'],
      ['swagger-ui-bundle.js', 'text/javascript'],
    ] as const) {
      const response = await get(`/v1/docs/${name}`)
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect((await response.text()) === installed(name), name).toBe(true)
    }
  })

  it.each([
    'swagger-ui-bundle.js.map',
    'swagger-ui.js',
    'index.html',
    'package.json',
    'oauth2-redirect.html',
    '..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    '..%5cpackage.json',
    'swagger-ui.css%00.png',
    '/swagger-ui.css',
    'console/swagger-ui.css',
    'console%2fswagger-ui.css',
    '__proto__',
    'constructor',
  ])('responds with 404 to the path %s', async (name) => {
    // `fetch` does not normalize these paths.
    expect((await get(`/v1/docs/${name}`)).status).toBe(404)
  })

  it('exists, and is linked from the index, only with the option "console"', async () => {
    expect(await (await get('/v1/docs')).text()).toContain('href="docs/console"')
    expect(await (await fetch(`${without.origin}/v1/docs`)).text()).not.toContain('docs/console')
    for (const name of ['console', 'console.js', 'swagger-ui.css']) {
      expect((await fetch(`${without.origin}/v1/docs/${name}`)).status, name).toBe(404)
    }
  })
})

describe('Swagger UI', () => {
  /**
   * Creates a package `swagger-ui-dist` with this manifest and these empty files. Returns a
   * resolver that finds the package.
   */
  function installed(manifest: object, files: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'erc-swagger-ui-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'swagger-ui-dist'))
    for (const name of files) writeFileSync(join(folder, 'swagger-ui-dist', name), '')
    writeFileSync(join(folder, 'swagger-ui-dist', 'package.json'), JSON.stringify(manifest))
    return (id: string) => join(folder, id)
  }

  it('must be installed: if it is missing, the error says what to install', () => {
    const absent = (id: string): string => createRequire(import.meta.url).resolve(`${id}-that-nobody-has`)
    expect(() => swaggerUiAssets(absent)).toThrow(
      'docsPages() with the option "console" needs the package swagger-ui-dist, which is not installed. ' +
        'Run npm i swagger-ui-dist. [ERR-1 invalid-option]',
    )
  })

  it('is refused if it is too old for OpenAPI 3.1, or lacks files that the console serves', () => {
    const all = ['swagger-ui.css', 'swagger-ui-bundle.js']
    expect(() => swaggerUiAssets(installed({ version: '4.19.1' }, all))).toThrow(
      'swagger-ui-dist 5 or later; 4.19.1 is installed. Run npm i swagger-ui-dist.',
    )
    expect(() => swaggerUiAssets(installed({ version: '5.35.0' }, ['swagger-ui.css']))).toThrow(
      'swagger-ui-bundle.js of swagger-ui-dist',
    )
    expect(swaggerUiAssets(installed({ version: '5.35.0' }, all)).map(([name]) => name)).toEqual(all)
    expect(() => swaggerUiAssets(installed({}, all))).toThrow('swagger-ui-dist 5 or later')
  })
})
