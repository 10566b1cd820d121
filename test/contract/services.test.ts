/** Compares the OpenAPI documents of a service before and after a change of its definitions. */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { compareContracts } from '../../src/contract/compare.js'
import { api, defineResource, mount, type ResourceDefinition } from '../../src/index.js'
import { openapi } from '../../src/openapi/index.js'

interface Options {
  readonly [name: string]: unknown
}

const properties = {
  id: { type: 'integer' },
  lote: { type: 'string', maxLength: 20 },
  estado: { type: 'string', enum: ['nueva', 'abierta'] },
  nota: { type: ['string', 'null'] },
  urgente: { type: 'boolean' },
  clienteId: { type: 'integer' },
}
const schema = (more: Options = {}, required: readonly string[] = ['id', 'lote', 'clienteId', 'urgente']): Options => ({
  type: 'object',
  required,
  properties: { ...properties, ...more },
})
const define = (options: Options): ResourceDefinition =>
  defineResource<object>()(options as never) as unknown as ResourceDefinition

const clientes = define({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, nombre: { type: 'string' }, otro: { type: 'string' } },
  },
})

/** The OpenAPI document of a service with these resource options and service options. */
function documentOf(resource: Options = {}, service: Options = {}): unknown {
  const piezas = define({
    collection: 'piezas',
    key: 'id',
    schema: schema(),
    filters: { lote: true, estado: true },
    sort: ['lote', 'estado'],
    links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
    flags: { urgente: 'urgente' },
    page: { size: 20, max: 100 },
    ...resource,
  })
  const options = { versions: { v1: [piezas, clientes].map((one) => mount(one, memoryAdapter(one))) }, ...service }
  return openapi(api(options as Parameters<typeof api>[0]), 'v1')
}

/** The summaries of the breaking changes. */
const changes = (before: unknown, after: unknown): readonly string[] =>
  compareContracts(before, after)
    .filter(({ breaking }) => breaking)
    .map(({ summary }) => summary)

describe('compareContracts() finds the breaking changes if a service changes, or changes back', () => {
  const usual = documentOf()

  it.each<[title: string, after: unknown, there: readonly RegExp[], back: readonly RegExp[]]>([
    ['nothing', documentOf(), [], []],
    [
      'its texts',
      documentOf({
        schema: { ...schema({ lote: { ...properties.lote, description: 'The lot.' } }), title: 'A piece' },
      }),
      [],
      [],
    ],
    ['a filter', documentOf({ filters: { lote: true } }), [/^v1: the filter "estado" of piezas was removed/], []],
    ['a sort member', documentOf({ sort: ['lote'] }), [/^v1: the sort member "estado" of piezas was removed/], []],
    ['the sort order', documentOf({ sort: [] }), [/^v1: the sort order \("sort"\) of piezas was removed/], []],
    [
      'an expansion',
      documentOf({ links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'], expand: false } } }),
      [/"expand"/],
      [],
    ],
    [
      'the option "show" of a link',
      documentOf({ links: { cliente: { to: clientes, by: 'clienteId', show: [] } } }),
      [/^v1: the member .*nombre/],
      [],
    ],
    [
      'the maximum limit',
      documentOf({ page: { size: 20, max: 50 } }),
      [/^v1: the maximum limit of piezas is 50 in place of 100/],
      [],
    ],
    [
      'the default limit',
      documentOf({ page: { size: 10, max: 100 } }),
      [/^v1: the default limit of piezas is 10 in place of 20/],
      [],
    ],
    ['the number of the first page', documentOf({ page: { size: 20, max: 100, first: 0 } }), [/offest/], [/offest/]],
    [
      'a flag',
      documentOf({ flags: {} }),
      [/^v1: the path \/piezas\/\{id\}\/urgente was removed with its operations /],
      [],
    ],
    [
      'a member',
      documentOf({ schema: schema({ peso: { type: 'number' } }) }),
      [],
      [/"peso" of .*was removed/, /"\[\]\.peso"|"peso"/],
    ],
    [
      'a required member',
      documentOf({ schema: schema({ peso: { type: 'number' } }, ['id', 'lote', 'clienteId', 'urgente', 'peso']) }),
      [/"peso" of the body of .* is new and required/],
      [/peso/],
    ],
    [
      'an enum value',
      documentOf({ schema: schema({ estado: { type: 'string', enum: ['nueva', 'abierta', 'cerrada'] } }) }),
      [/may have the value cerrada now/],
      [/no longer has the value cerrada/],
    ],
    [
      'a maximum length',
      documentOf({ schema: schema({ lote: { type: 'string', maxLength: 10 } }) }),
      [/"lote" of the body of .* has maxLength 10 in place of 20/],
      [/maxLength 20/],
    ],
    ['the type of the key', documentOf({ schema: schema({ id: { type: 'string' } }) }), [/"id"/], [/"id"/]],
    [
      'the members of a scope',
      documentOf({ scope: (caller: { lote: string }) => ({ lote: caller.lote }) }),
      [],
      [/"lote" of the body of .* is required now/],
    ],
    ['rules', documentOf({ rules: () => [] }), [], []],
    ['credentials', documentOf({}, { principal: () => ({}) }), [], []],
    ['a permission', documentOf({}, { permission: () => 'allow', principal: () => ({}) }), [], []],
    ['If-Match', documentOf({}, { requireIfMatch: true }), [/requires the header If-Match now/], []],
  ])('%s', (_title, after, there, back) => {
    for (const [found, expected] of [
      [changes(usual, after), there],
      [changes(after, usual), back],
    ] as const) {
      if (expected.length === 0) expect(found).toEqual([])
      for (const pattern of expected) expect(found).toContainEqual(expect.stringMatching(pattern))
    }
  })
})
