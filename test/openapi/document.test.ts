import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../src/openapi/index.js'
import { openapi } from '../../src/openapi/index.js'
import { describedApis } from './example.js'

const apis = await describedApis()
const documents = apis.map(([name, api, version]) => [name, openapi(api, version)] as const)

/** What the specification's own JSON Schema says of a document. */
async function faultsOf(document: OpenApiDocument): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  return valid ? undefined : errors
}

describe('openapi() of the example', () => {
  it.each(documents)('%s is a document of OpenAPI 3.1', async (_, document) => {
    expect(document.openapi).toBe('3.1.1')
    expect(await faultsOf(document)).toBeUndefined()
  })

  it.each(apis)('%s is a document of OpenAPI 3.0 on request', async (_, api, version) => {
    const document = openapi(api, version, { openapi: '3.0.3' })
    expect(document.openapi).toBe('3.0.3')
    expect(await faultsOf(document)).toBeUndefined()
    expect(JSON.stringify(document)).not.toMatch(/"type":\[|"type":"null"|"const":|"examples":\[/)
  })

  it.each(documents)('%s refers to nothing that it lacks', (_, document) => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(50)
    for (const [, kind = '', name = ''] of references) expect(document.components[kind], `${kind}/${name}`).toHaveProperty([name])
  })

  it('names methods of a client well, also of Spanish collections', () => {
    const [, document] = documents[0] ?? []
    const ids = Object.values(document?.paths ?? {}).flatMap((item) =>
      Object.values(item).flatMap((one) => (typeof one === 'object' && one !== null && 'operationId' in one ? [one.operationId] : [])),
    )
    expect(ids).toEqual(
      expect.arrayContaining([
        ...['listPrePiezas', 'countPrePiezas', 'createPrePieza', 'getPrePieza', 'checkPrePieza', 'replacePrePieza', 'updatePrePieza'],
        ...['deletePrePieza', 'listComponentes', 'getCodigoPostal', 'setContratoActivo', 'unsetContratoActivo', 'attachClienteContrato'],
      ]),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})
