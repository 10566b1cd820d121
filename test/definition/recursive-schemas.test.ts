/** Schemas that refer to themselves in a member that several parts of the schema declare. */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { openapi } from '../../src/openapi/index.js'

const id = { type: 'integer' }
const again = { $ref: '#' }
const holding = (member: object) => ({ type: 'object', properties: { a: member } })
const define = defineResource as unknown as (options: object) => Parameters<typeof mount>[0]

/** The OpenAPI document of a service whose records have the schema. */
function documentOf(schema: object) {
  const { properties } = schema as { readonly properties?: object }
  const piezas = define({
    collection: 'piezas',
    key: 'id',
    schema: { type: 'object', ...schema, properties: { id, ...properties } },
  })
  return openapi(api({ versions: { v1: [mount(piezas, memoryAdapter(piezas) as never)] } }), 'v1')
}

describe('ERR-2: a schema may refer to itself in a member', () => {
  it.each<[string, object]>([
    ['that oneOf branches declare', { oneOf: [holding(again), { required: ['b'], properties: { a: again, b: id } }] }],
    ['of else, and in one of the object', { if: { required: ['id'] }, else: holding(again), properties: { b: again } }],
    ['that two branches declare with different targets', { anyOf: [holding(again), holding(holding(again))] }],
    ['that two branches declare as a list', { anyOf: Array(2).fill(holding({ type: 'array', items: again })) }],
  ])('%s', (_, schema) => {
    expect(documentOf(schema).paths).toHaveProperty('/piezas')
  })

  it.each<[string, object]>([
    ['two parts of allOf', { allOf: [holding(again), holding({ type: ['object', 'null'] })] }],
    [
      'the object and the target of its $ref',
      { $ref: '#/$defs/m', properties: { a: again }, $defs: { m: holding(again) } },
    ],
  ])('but not in a member that %s declare', (_, schema) => {
    expect(() => documentOf(schema)).toThrow(
      '"a" is recursive, and several schemas of the same object (joined by $ref or allOf) declare it. Declare "a" in ' +
        'only one of them. [ERR-2 invalid-schema]',
    )
  })
})
