/** How OpenAPI documents of the versions 3.1 and 3.0 describe members that have several types. */
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { openapi } from '../../src/openapi/index.js'

const notes = defineResource({
  collection: 'notes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      detail: { title: 'Detail', type: ['object', 'string', 'null'], properties: { text: { type: 'string' } } },
      size: { type: ['string', 'integer'], anyOf: [{ minLength: 2 }, { minimum: 10 }] },
    },
  },
})
const service = api({ versions: { v1: [mount(notes, memoryAdapter(notes))] } })
type Schemas = Readonly<Record<string, { readonly properties: Readonly<Record<string, unknown>> }>>
const schemasOf = (version: '3.1.1' | '3.0.3'): Schemas =>
  openapi(service, 'v1', { openapi: version }).components.schemas as unknown as Schemas

it('openapi() keeps all types of a member that has a title', () => {
  const schemas = schemasOf('3.1.1')
  expect(schemas.Note?.properties.detail).toEqual({
    anyOf: [{ $ref: '#/components/schemas/Detail' }, { type: 'null' }],
  })
  expect(schemas.Detail).toMatchObject({ type: ['object', 'string'] })
})

it('openapi() keeps both the types and the "anyOf" of a member, also in OpenAPI 3.0', () => {
  const size = { anyOf: [{ minLength: 2 }, { minimum: 10 }] }
  expect(schemasOf('3.1.1').Note?.properties.size).toMatchObject({ type: ['string', 'integer'], ...size })
  expect(schemasOf('3.0.3').Note?.properties.size).toMatchObject({
    ...size,
    allOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }],
  })
})
