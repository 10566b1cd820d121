import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { sucursalesDescribed } from '../../examples/pre-piezas/resources/sucursales-described.js'
import type { OpenApiDocument } from '../../src/openapi/index.js'
import { openapi } from '../../src/openapi/index.js'
import { describedApis } from './example.js'

const apis = await describedApis()
const documents = apis.map(([name, api, version]) => [name, openapi(api, version)] as const)

/** The documents, including the hand-written routes that have descriptions. */
const whole = apis.map(([name, api, version]) => {
  const fragments = name === 'private-v8' ? [sucursalesDescribed] : []
  return [name, openapi(api, version, { fragments })] as const
})

/** The violations of OpenAPI's own JSON Schema. */
async function faultsOf(document: OpenApiDocument): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  return valid ? undefined : errors
}

describe('openapi() of the example', () => {
  it.each(documents)('%s is a valid OpenAPI 3.1 document', async (_, document) => {
    expect(document.openapi).toBe('3.1.1')
    expect(await faultsOf(document)).toBeUndefined()
  })

  it.each(apis)('%s is a valid OpenAPI 3.0 document if "openapi" is 3.0.3', async (_, api, version) => {
    const document = openapi(api, version, { openapi: '3.0.3' })
    expect(document.openapi).toBe('3.0.3')
    expect(await faultsOf(document)).toBeUndefined()
    expect(JSON.stringify(document)).not.toMatch(/"type":\[|"type":"null"|"const":|"examples":\[/)
  })

  it.each(documents)('%s has no unresolved reference', (_, document) => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(50)
    for (const [, kind = '', name = ''] of references)
      expect(document.components[kind], `${kind}/${name}`).toHaveProperty([name])
  })

  it.each(whole)('RFC 9110 9.3.2: no HEAD response has content in %s', (_, document) => {
    const heads = Object.entries(document.paths).flatMap(([path, { head }]) => {
      const { responses = {} } = (head ?? {}) as {
        responses?: Readonly<Record<string, { $ref?: string; content?: unknown }>>
      }
      return Object.entries(responses).map(([status, response]) => [`${path} ${status}`, response] as const)
    })
    expect(heads.length).toBeGreaterThan(50)
    const withContent = heads.filter(([, { $ref = '', content }]) => {
      const shared = document.components.responses?.[$ref.split('/').at(-1) ?? ''] as { content?: unknown } | undefined
      return (content ?? shared?.content) !== undefined
    })
    expect(withContent.map(([place]) => place)).toEqual([])
  })

  it('declares the limits of the library for integers, ids, formats and header fields', () => {
    const [, document] = documents[1] ?? []
    const { schemas = {}, parameters = {} } = document?.components ?? {}
    expect(schemas.PrePiezaCreate).toMatchObject({
      properties: {
        numero: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        fechaDeEntrada: { format: 'local-date-time', pattern: expect.stringContaining('T(?:') },
      },
    })
    expect(schemas.ContratoCreate).toMatchObject({
      properties: { codigoDeContratoInterno: { minLength: 1, pattern: '^(?!\\.{1,2}$)' } },
    })
    // A tool that generates strings from a pattern needs a minimum and a maximum length.
    expect(parameters.ContratoExpand).toMatchObject({
      schema: { minLength: 1, maxLength: 16_384, pattern: '^(?:cliente)(?:,(?:cliente))*$' },
    })
    // In a merge patch, null removes a member. Only optional members accept null.
    expect(schemas.CicloPatch).toMatchObject({
      properties: { href: { type: 'string' }, permiteEntregaEnMostrador: { type: ['boolean', 'null'] } },
    })
    expect(schemas.CicloPatch).not.toHaveProperty('required')
    expect(document?.paths['/pre-piezas/{numero}/componentes/{componenteId}']).toMatchObject({
      parameters: [
        { schema: { type: 'integer' } },
        { schema: { pattern: '^numeroDeCabecera=(?:0|-?[1-9][0-9]*),secuencia=[1-9][0-9]*$' } },
      ],
    })
    for (const name of ['IfMatch', 'IfNoneMatch', 'PreferMinimal', 'PreferRepresentation'])
      expect(parameters[name], name).toMatchObject({ schema: { pattern: expect.stringContaining('\\t') } })
  })

  it('generates operation ids that clients can use as method names, also for Spanish collections', () => {
    const [, document] = documents[0] ?? []
    const ids = Object.values(document?.paths ?? {}).flatMap((item) =>
      Object.values(item).flatMap((one) =>
        typeof one === 'object' && one !== null && 'operationId' in one ? [one.operationId] : [],
      ),
    )
    expect(ids).toEqual(
      expect.arrayContaining([
        ...[
          'listPrePiezas',
          'countPrePiezas',
          'createPrePieza',
          'getPrePieza',
          'checkPrePieza',
          'replacePrePieza',
          'updatePrePieza',
        ],
        ...[
          'deletePrePieza',
          'listComponentes',
          'getCodigoPostal',
          'setContratoActivo',
          'unsetContratoActivo',
          'attachClienteContrato',
        ],
      ]),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})
