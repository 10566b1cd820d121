import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, endpoint, type Mount, mount, type ResourceDefinition } from '../../src/index.js'
import { type OpenApiDocument, openapi } from '../../src/openapi/index.js'

const info = { title: 'Orders', version: '1' }
const documentOf = (...definitions: readonly ResourceDefinition[]): OpenApiDocument =>
  openapi(api({ versions: { v1: definitions.map((one): Mount => mount(one, memoryAdapter(one))) } }), 'v1', { info })

const schemaOf = (document: OpenApiDocument, name: string): unknown => document.components.schemas?.[name]
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const regions = defineResource({
  collection: 'regions',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const customers = defineResource({
  collection: 'customers',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'regionId'],
    properties: { id: { type: 'integer' }, regionId: { type: 'integer' } },
  },
  links: { region: { to: regions, by: 'regionId' } },
})
const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'customerId'],
    properties: { id: { type: 'integer' }, customerId: { type: 'integer' } },
  },
  links: { customer: { to: customers, by: 'customerId' } },
})

describe('REP-2: an expanded record', () => {
  const document = documentOf(orders, customers, regions)

  it('has its own type, with unexpanded links, if the record has links', () => {
    expect(schemaOf(document, 'Order')).toHaveProperty('properties.customer', {
      anyOf: [ref('CustomerLink'), ref('CustomerExpanded')],
    })
    expect(schemaOf(document, 'Customer')).toHaveProperty('properties.region', {
      anyOf: [ref('RegionLink'), ref('Region')],
    })
    expect(schemaOf(document, 'CustomerExpanded')).toHaveProperty('properties.region', ref('RegionLink'))
  })

  it('has the type of the record if the record has no links', () => {
    expect(Object.keys(document.components.schemas ?? {})).not.toContain('RegionExpanded')
    expect(Object.keys(document.components.schemas ?? {})).not.toContain('OrderExpanded')
  })

  it('has its own type name even if resources link to each other', () => {
    const [left, right] = (['left', 'right'] as const).map((name, at) =>
      defineResource({
        collection: `${name}s`,
        key: 'id',
        schema: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, other: { type: ['integer', 'null'] } },
        },
        links: { twin: { to: at === 0 ? 'rights' : 'lefts', by: 'other' } },
      }),
    )
    const names = Object.keys(
      documentOf(left as ResourceDefinition, right as ResourceDefinition).components.schemas ?? {},
    )
    expect(names).toEqual(expect.arrayContaining(['Left', 'LeftExpanded', 'Right', 'RightExpanded']))
  })
})

interface Caller {
  readonly company?: number
  readonly roles: readonly string[]
}

describe("a member that the caller's scope sets", () => {
  const scoped = (scope: (caller: Caller) => Record<string, number>): OpenApiDocument =>
    documentOf(
      defineResource({
        collection: 'invoices',
        key: 'id',
        schema: {
          type: 'object',
          required: ['id', 'company', 'total'],
          properties: { id: { type: 'integer' }, company: { type: 'integer' }, total: { type: 'number' } },
        },
        scope: scope as (principal: unknown) => { company?: number },
      }),
    )

  it('is optional in requests, and present in every response', () => {
    const document = scoped(({ company = 0 }) => ({ company }))
    expect(schemaOf(document, 'InvoiceCreate')).toHaveProperty('required', ['id', 'total'])
    expect(schemaOf(document, 'InvoiceReplace')).toHaveProperty('required', ['total'])
    expect(schemaOf(document, 'Invoice')).toHaveProperty('required', ['id', 'company', 'total'])
  })

  it.each([
    [
      'is optional in requests even if the scope sets it only for some callers',
      ({ roles, company = 0 }: Caller): Record<string, number> => (roles.includes('auditor') ? {} : { company }),
    ],
    [
      'is optional in requests even if the scope function reads other members of the caller',
      ({ company, roles }: Caller) => ({ company: Number(company) + [...roles].length }),
    ],
  ])('%s', (_title, scope) => {
    expect(schemaOf(scoped(scope), 'InvoiceReplace')).toHaveProperty('required', ['total'])
  })

  it('is required if the scope function cannot be evaluated without a caller', () => {
    const throwing = scoped(() => {
      throw new Error('No company')
    })
    expect(schemaOf(throwing, 'InvoiceReplace')).toHaveProperty('required', ['company', 'total'])
  })

  it('is optional even if the scope function follows the members of the principal in a loop', () => {
    const walking = scoped((caller) => {
      let deepest: unknown = caller
      while (typeof deepest === 'function') deepest = Reflect.get(deepest, 'parent')
      return { company: 1 }
    })
    expect(schemaOf(walking, 'InvoiceReplace')).toHaveProperty('required', ['total'])
  })

  it('a link that the scope sets is optional too', () => {
    const linked = defineResource({
      collection: 'bills',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'customerId'],
        properties: { id: { type: 'integer' }, customerId: { type: 'integer' } },
      },
      links: { customer: { to: customers, by: 'customerId' } },
      scope: (caller: Caller) => ({ customerId: caller.company ?? 0 }),
    })
    const document = documentOf(linked as unknown as ResourceDefinition, customers, regions)
    expect(schemaOf(document, 'BillCreate')).toHaveProperty('required', ['id'])
    expect(schemaOf(document, 'BillReplace')).not.toHaveProperty('required')
  })
})

describe('parameters of one resource', () => {
  const pieces = defineResource({
    collection: 'pieces',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id', 'customerId'],
      properties: {
        id: { type: 'integer' },
        note: { type: 'string' },
        'no-te': { type: 'string' },
        customerId: { type: 'integer' },
      },
    },
    filters: { note: true, 'no-te': true },
    sort: ['note'],
    links: { customer: { to: customers, by: 'customerId' } },
  })

  it('are defined once, under names that contain the resource', () => {
    const { paths, components } = documentOf(pieces, customers, regions)
    const { get, head } = paths['/pieces'] as Record<string, { parameters: unknown }>
    expect(get?.parameters).toEqual(head?.parameters)
    expect(get?.parameters).toEqual(
      expect.arrayContaining([
        { $ref: '#/components/parameters/PieceNoteFilter' },
        { $ref: '#/components/parameters/PieceSort' },
      ]),
    )
    expect(components.parameters).toMatchObject({
      PieceNoteFilter: { name: 'note' },
      PieceSort: { name: 'sort' },
      PieceExpand: { name: 'expand' },
    })
  })

  it('are inlined if their name is taken', () => {
    const named = (collection: string, filter: string) =>
      defineResource({
        collection,
        key: 'id',
        schema: { type: 'object', properties: { id: { type: 'integer' }, [filter]: { type: 'string' } } },
        filters: { [filter]: true } as Record<never, never>,
      })
    const { paths, components } = documentOf(
      named('boxes', 'bC') as unknown as ResourceDefinition,
      named('box-bs', 'c') as unknown as ResourceDefinition,
    )
    expect(components.parameters).toHaveProperty('BoxBCFilter.name', 'bC')
    expect(paths['/box-bs']).toHaveProperty('get.parameters.0.name', 'c')
  })

  it('the document has no unused component', () => {
    const text = JSON.stringify(documentOf(pieces, customers, regions))
    const { components } = documentOf(pieces, customers, regions)
    for (const kind of ['parameters', 'schemas', 'responses', 'headers'])
      for (const name of Object.keys(components[kind] ?? {}))
        expect(text, name).toContain(`"#/components/${kind}/${name}"`)
  })
})

it('openapi() refuses an endpoint and a fragment with the same operation id', () => {
  const reports = endpoint('reports', { description: 'Reports.', methods: { GET: { handle: () => [] } } })
  const fragments = [
    { paths: { '/by-hand': { get: { operationId: 'getReports', responses: { 200: { description: 'Yes' } } } } } },
  ]
  expect(() => openapi(api({ versions: { v1: [reports] } }), 'v1', { fragments })).toThrow(
    'have the same operation id "getReports"',
  )
})

describe('VERB-5: the schema of a patch, in which null removes a member', () => {
  const notes = defineResource({
    collection: 'notes',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        nested: { type: 'object', additionalProperties: { type: 'string' } },
        matched: { type: 'object', patternProperties: { '^x-': { type: 'array', items: { type: 'string' } } } },
      },
      additionalProperties: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
    },
  })
  const patch = schemaOf(documentOf(notes), 'NotePatch')

  it.each([
    ['a member that only the "additionalProperties" of the schema allows', 'additionalProperties.type'],
    [
      'a member that only the "additionalProperties" of its object allows',
      'properties.nested.additionalProperties.type',
    ],
  ])('allows null for %s', (_, path) => {
    expect(patch).toHaveProperty(path, [expect.any(String), 'null'])
  })

  it('allows null for a member that only the "patternProperties" of its object allow', () => {
    const matched = patch as { properties: { matched: { patternProperties: object } } }
    expect(matched.properties.matched.patternProperties).toMatchObject({ '^x-': { type: ['array', 'null'] } })
  })

  it('lets a patch omit a required member of an object under "additionalProperties", but not set it to null', () => {
    const others = (patch as { additionalProperties: object }).additionalProperties
    expect(others).not.toHaveProperty('required')
    expect(others).toMatchObject({ properties: { a: { type: 'integer' } } })
  })
})
