/** The OpenAPI documents that the tests give to linters and generators. */
import { openAccess } from '../../examples/pre-piezas/access.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { storesIn } from '../../examples/pre-piezas/store/stores.js'
import type { OpenApiOptions } from '../../src/openapi/index.js'
import { type OpenApiDocument, openapi } from '../../src/openapi/index.js'
import { listen } from '../clauses/fixture.js'
import { richService } from './rich.js'

const unused = (): never => {
  throw new Error('A store was called, but no document needs a store.')
}

/** The server URL of the example. Linters refuse `localhost` and `example.com`. */
const baseUrl = 'https://api.pre-piezas.test'

/** The example, with stores that are never called. */
async function example() {
  const stores = storesIn({ client: { query: unused }, transaction: unused, ask: unused, close: async () => {} })
  const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
  return createService({ baseUrl, rateLimit: 600 }, { stores, access, counters: { close() {} } })
}

const sides = [
  ['private v1', 'inside', '/v1'],
  ['private v8', 'inside', '/v8'],
  ['public v1', 'outside', '/public/v1'],
] as const

/**
 * The documents of the example, with their names. For each API version, there is the OpenAPI 3.1
 * document that the service serves, and an OpenAPI 3.0 document with the same `info`.
 */
async function exampleDocuments(): Promise<readonly (readonly [name: string, document: OpenApiDocument])[]> {
  const { app, apis } = await example()
  const served = await listen(app)
  try {
    const documents: (readonly [string, OpenApiDocument])[] = []
    for (const [name, side, path] of sides) {
      const response = await fetch(`${served.origin}${path}/openapi`)
      const document = (await response.json()) as OpenApiDocument
      const { info } = document as Pick<OpenApiOptions, 'info'>
      const older = openapi(apis[side], path.split('/').at(-1) ?? '', {
        ...(info === undefined ? {} : { info }),
        openapi: '3.0.3',
      })
      documents.push([`${name} 3.1`, document], [`${name} 3.0`, JSON.parse(JSON.stringify(older))])
    }
    return documents
  } finally {
    await served.close()
  }
}

const info = {
  title: 'Orders',
  version: '2.0.0',
  description: 'What clients have ordered.',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The shop', url: 'https://shop.test/contact' },
} as const

function richDocuments(): readonly (readonly [name: string, document: OpenApiDocument])[] {
  const service = richService()
  const formats = [
    ['3.1', '3.1.1'],
    ['3.0', '3.0.3'],
  ] as const
  return ['v1', 'v2'].flatMap((version) =>
    formats.map(
      ([name, format]) =>
        [
          `rich ${version} ${name}`,
          JSON.parse(JSON.stringify(openapi(service, version, { info, openapi: format }))),
        ] as const,
    ),
  )
}

/** All documents, with their names. */
export async function lintedDocuments(): Promise<readonly (readonly [name: string, document: OpenApiDocument])[]> {
  return [...(await exampleDocuments()), ...richDocuments()]
}
