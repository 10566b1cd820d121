/**
 * Services with unusual names, descriptions and sizes. Their docs pages pass the same checks as all
 * other docs pages.
 */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { docsPages } from '../../src/docs/index.js'
import { api, defineResource, type JsonSchema, mount, resourceRouter } from '../../src/index.js'
import {
  type DocumentFragment,
  type OpenApiDocument,
  type OpenApiOptions,
  openapi,
  type ResourceText,
} from '../../src/openapi/index.js'
import { csv, imports } from '../../src/transfer/index.js'
import { faultsOf, fileOf, linksOf, pagesOf, textOf } from './site.js'

const hostile = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  `"'\`><svg/onload=alert(1)>`,
  '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java\tscript:alert(1)) [d](data:text/html,x) [e](vbscript:x)',
  '![p](https://tracker.example/p.png) ![q](data:image/png;base64,AA==) <https://a.example/"onmouseover=alert(1)>',
  '# One\n\n### Three\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n<div style="color:red" ' +
    'onclick="x()">x</div>\n\n```js\n</code></pre><script>\n```',
  '\u202egnirts\u202c עברית \ud83d\ude00 \ud800 \0\u0007 &amp; &lt;b&gt;',
  'a'.repeat(5_000),
  '*'.repeat(2_000),
  '['.repeat(2_000),
  '> '.repeat(500),
]

const schemaWith = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema => ({
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, ...properties },
  ...more,
})

const documentOf = (schema: JsonSchema, describe: ResourceText = {}, options: OpenApiOptions = {}): OpenApiDocument => {
  const things = defineResource({ collection: 'things', key: 'id' as never, schema })
  return openapi(api({ versions: { v1: [mount(things, memoryAdapter(things), { describe })] } }), 'v1', options)
}

/** The contents of a page, including its continuation pages. */
const topicOf = (pages: ReadonlyMap<string, string>, name: string): string =>
  [...pages]
    .filter(([page]) => page === name || page.startsWith(`${name}~`))
    .map(([, body]) => body)
    .join('')

describe('descriptions, titles and examples of a service', () => {
  it.each(hostile)('cause no faults and no links to scripts in the pages: %j', (text) => {
    const safe = text.replace(/\p{Surrogate}|\p{Control}/gu, '')
    const document = documentOf(
      schemaWith(
        {
          note: { type: 'string', title: safe, description: safe, examples: [safe] },
          other: { type: 'string', enum: [safe, 'x'] },
        },
        { description: safe },
      ),
      {
        description: text,
        operations: {
          create: { summary: text, description: text, problems: [{ code: text, status: 409, title: text }] },
        },
      },
      {
        info: {
          title: text,
          description: text,
          summary: text,
          license: { name: text, url: text },
          contact: { name: text, url: text, email: text },
          termsOfService: text,
        },
        externalDocs: { url: text },
      },
    )
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    for (const body of pages.values())
      for (const { href } of linksOf(body)) expect(href).not.toMatch(/^\s*(?:java\s*script|vbscript|data):/i)
  })

  it('may contain Markdown, which is rendered', () => {
    const page =
      fileOf(
        documentOf(
          schemaWith(
            {},
            { description: 'Some *words*, `code`, [a link](https://a.example/x) and HDR-3.\n\n- one\n- two' },
          ),
        ),
        'things',
      ) ?? ''
    expect(page).toContain('<em>words</em>')
    expect(page).toContain('<code>code</code>')
    expect(page).toContain('<a href="https://a.example/x">a link</a>')
    expect(page).toContain('<a href="clauses#HDR-3">HDR-3</a>')
    expect(page).toContain('<li>one</li>')
  })

  it('do not get a link for a clause id inside another link, or for an id that does not exist', () => {
    const page =
      fileOf(
        documentOf(schemaWith({}, { description: '[see HDR-3](https://a.example/) HDR-99 XHDR-3 constructor-1' })),
        'things',
      ) ?? ''
    expect(page).toContain('<a href="https://a.example/">see HDR-3</a> HDR-99 XHDR-3 constructor-1')
  })
})

describe('the pages of a service with unusual names', () => {
  const fragmentOf = (tag: unknown, path: string, more: object = {}): DocumentFragment => ({
    paths: {
      [path]: {
        get: { operationId: `get${path}`, tags: [tag], responses: { 200: { description: 'Done.' } }, ...more },
      },
    },
  })
  const tags = [
    'problems',
    'clauses',
    'headers',
    'index',
    'console',
    'style.css',
    'search.js',
    '',
    '.',
    '..',
    '~2',
    'x~2',
    'a/b',
    'a b',
    'ñandú',
    '表',
    '</title>',
    'x'.repeat(500),
    '%2e%2e',
    'javascript:alert(1)',
    '__proto__',
    'constructor',
    'a-b',
    'A-B',
  ]

  it('include a page for each tag, even if a tag has the name of a built-in page', () => {
    const document = openapi(api({ versions: { v1: [] } }), 'v1', {
      fragments: tags.map((tag, at) => fragmentOf(tag, `/p${at}`)),
    })
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    const whole = [...pages.values()]
    for (const at of tags.keys())
      expect(
        whole.filter((body) => body.includes(`<h2 id="get-p${at}">`)),
        tags[at],
      ).toHaveLength(1)
    expect(pages.get('problems')).toContain('<h1>Problems</h1>')
  })

  it('have no faults, and quote the names in curl lines', () => {
    const name = `a'b"c$(x)\`y\`\\ <z>`
    const document = openapi(api({ versions: { v1: [] } }), 'v1', {
      fragments: [
        {
          paths: {
            '/{a}/[b]': {
              parameters: [{ name: 'a', in: 'path', required: true, schema: { type: 'string', enum: [name] } }],
              post: {
                operationId: '<b> "x"',
                parameters: [
                  { name, in: 'query', required: true, schema: { const: name } },
                  { $ref: '#/components/parameters/none' },
                  null,
                  7,
                ],
                requestBody: { content: { 'application/json': { examples: { [name]: { value: { [name]: name } } } } } },
                responses: {
                  200: { $ref: '#/components/responses/none' },
                  [name]: { description: name, headers: { [name]: { description: name } } },
                },
              },
            },
            '/loose': {
              get: { tags: 'x', parameters: 'x', responses: [], security: 'x' },
              post: 'x',
              put: { tags: [1] },
            },
          },
        } as unknown as DocumentFragment,
      ],
    })
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    expect(textOf(topicOf(pages, 'other'))).toContain(`{"a'\\''b`)
  })
})

describe('unusual sizes', () => {
  it('the index of a version without operations says that there are none', () => {
    const pages = pagesOf(openapi(api({ versions: { v1: [] } }), 'v1'))
    expect(faultsOf(pages)).toEqual([])
    expect(pages.get('')).toContain('This version has no operations.')
    expect([...pages.keys()].sort()).toEqual(['', 'clauses', 'headers', 'problems'])
  })

  it('the pages of a resource with 100 members, each with a filter and a sort, are complete', () => {
    const names = Array.from({ length: 100 }, (_, at) => `member${at}`)
    const things = defineResource({
      collection: 'things',
      key: 'id' as never,
      schema: schemaWith(
        Object.fromEntries(
          names.map((name, at): [string, JsonSchema] => [
            name,
            { type: 'string', description: `About ${name}: ${'words '.repeat(at)}` },
          ]),
        ),
      ),
      filters: Object.fromEntries(names.map((name) => [name, true])) as never,
      sort: names as never,
    })
    const pages = pagesOf(openapi(api({ versions: { v1: [mount(things, memoryAdapter(things))] } }), 'v1'))
    expect(faultsOf(pages)).toEqual([])
    const whole = topicOf(pages, 'things')
    // Each name occurs as a filter, as a member of a response, and as a member of a patch.
    for (const name of names) expect(whole.split(`<code>${name}</code>`).length, name).toBeGreaterThan(3)
  })

  it('the index of 300 resources has several pages, and each resource has its own page', { timeout: 60_000 }, () => {
    const resources = Array.from({ length: 300 }, (_, at) =>
      defineResource({
        collection: `things${at}s`,
        singular: `thing${at}`,
        key: 'id' as never,
        schema: schemaWith(
          { name: { type: 'string' } },
          { description: `Things of kind ${at}. ${'Text. '.repeat(50)}` },
        ),
      }),
    )
    const document = openapi(api({ versions: { v1: resources.map((one) => mount(one, memoryAdapter(one))) } }), 'v1')
    const pages = docsPages()
    const index = fileOf(document, '', pages) ?? ''
    expect(Buffer.byteLength(index)).toBeLessThanOrEqual(60_000)
    const parts = new Map([
      ['', index],
      ...[2, 3].map((number) => [`index~${number}`, fileOf(document, `index~${number}`, pages)] as const),
    ])
    for (const { definition } of resources.map((one) => ({ definition: one }))) {
      const holders = [...parts.values()].filter((body) => body?.includes(`href="${definition.collection}"`))
      expect(holders, definition.collection).toHaveLength(1)
    }
    for (const at of [0, 150, 299]) expect(fileOf(document, `things${at}s`, pages)).toContain(`<h1>things${at}s</h1>`)
  })

  it('long values are truncated, and long lists of values refer to the OpenAPI document', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => `value-${at}`)
    const document = documentOf(
      schemaWith({
        many: { type: 'string', enum: values },
        text: { type: 'string', description: 'word '.repeat(20_000) },
        example: { type: 'string', examples: ['x'.repeat(50_000)], default: 'y'.repeat(50_000) },
        either: { oneOf: values.slice(0, 500).map((value) => ({ const: value, type: 'string' })) },
        ['n'.repeat(2_000)]: { type: 'string', pattern: `^${'z'.repeat(5_000)}$` },
      }),
      { description: 'word '.repeat(20_000) },
    )
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    const whole = textOf(topicOf(pages, 'things'))
    expect(whole).toContain('"value-19" and 4980 more (see the OpenAPI document)')
    expect(whole).toContain('…')
  })

  it('the pages of deep and recursive types have no faults, and name the recursive type', () => {
    const nested = (depth: number): JsonSchema =>
      depth === 0
        ? { type: 'string' }
        : {
            type: 'object',
            properties: { inner: nested(depth - 1), list: { type: 'array', items: nested(Math.min(depth - 1, 1)) } },
          }
    const document = documentOf(
      schemaWith(
        { deep: nested(30), tree: { $ref: '#/$defs/node' }, any: {}, never: false as never },
        {
          $defs: {
            node: {
              title: 'Node',
              type: 'object',
              properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
            },
          },
        },
      ),
    )
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    expect(textOf(topicOf(pages, 'things'))).toContain('list of Node')
  })

  it('an operation with 600 parameters and 400 responses is complete, and its pages have no faults', () => {
    const parameters = Array.from({ length: 600 }, (_, at) => ({
      name: `p${at}`,
      in: 'query',
      description: 'Some words. '.repeat(20),
      schema: { type: 'string' },
    }))
    const responses = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [String(200 + at), { description: 'Words. '.repeat(100) }]),
    )
    const document = openapi(api({ versions: { v1: [] } }), 'v1', {
      fragments: [{ paths: { '/wide': { get: { operationId: 'wide', tags: ['wide'], parameters, responses } } } }],
    })
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    const whole = topicOf(pages, 'wide')
    for (const { name } of parameters) expect(whole).toContain(`<code>${name}</code>`)
    for (const status of Object.keys(responses)) expect(whole).toContain(`<th scope="row">${status}</th>`)
  })
})

describe('OpenAPI 3.0.3, single routers and imports', () => {
  it('the pages of an OpenAPI 3.0.3 document show nullable types', () => {
    const document = documentOf(schemaWith({ note: { type: ['string', 'null'] } }), {}, { openapi: '3.0.3' })
    const pages = pagesOf(document)
    expect(faultsOf(pages)).toEqual([])
    expect(textOf(topicOf(pages, 'things'))).toContain('string or null')
  })

  it('the pages of a single router, and of a service with imports, have no faults', () => {
    const things = defineResource({ collection: 'things', key: 'id' as never, schema: schemaWith({}) })
    expect(faultsOf(pagesOf(openapi(resourceRouter(things, memoryAdapter(things)), 'v1')))).toEqual([])
    const files = imports('files', things, { description: 'Takes files.', formats: [csv()], transaction: 'none' })
    const pages = pagesOf(openapi(api({ versions: { v1: [mount(things, memoryAdapter(things)), files] } }), 'v1'))
    expect(faultsOf(pages)).toEqual([])
    expect(textOf(topicOf(pages, 'files'))).toContain('@FILE')
  })
})
