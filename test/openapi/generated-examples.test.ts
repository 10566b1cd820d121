import { describe, expect, it } from 'vitest'
import { generatedExamples } from '../../src/mock/index.js'
import { openapi } from '../../src/openapi/index.js'
import { Validators } from '../../src/openapi/strict/validators.js'
import { fragments, shop } from '../mock/shop.js'
import { describedApis } from './example.js'

interface Found {
  readonly place: readonly string[]
  readonly value: unknown
}

/** All examples of a document, each with the path of its schema. */
function examplesIn(node: unknown, place: readonly string[] = []): Found[] {
  if (typeof node !== 'object' || node === null) return []
  const { example, examples, schema } = node as { example?: unknown; examples?: unknown; schema?: unknown }
  const own: Found[] = []
  if (example !== undefined) own.push({ place: schema === undefined ? place : [...place, 'schema'], value: example })
  if (Array.isArray(examples)) own.push(...examples.map((value: unknown) => ({ place, value })))
  return [
    ...own,
    ...Object.entries(node).flatMap(([name, below]) =>
      name === 'example' || name === 'examples' ? [] : examplesIn(below, [...place, name]),
    ),
  ]
}

const made = () => openapi(shop(), 'v2', { fragments, examples: generatedExamples() })

/** The document of one of the APIs of the example, by index. */
async function ofExample(at: number): Promise<ReturnType<typeof made>> {
  const [, api, version] = (await describedApis())[at] as Awaited<ReturnType<typeof describedApis>>[number]
  return openapi(api, version, { examples: generatedExamples() })
}

describe('generated examples of a document', () => {
  const documents: Readonly<Record<string, () => ReturnType<typeof ofExample>>> = {
    'a shop': async () => made(),
    'the private API of the example': () => ofExample(0),
    'the public API of the example': () => ofExample(2),
  }

  it.each(Object.keys(documents))(
    'match their schemas: %s',
    async (name) => {
      const document = documents[name] as () => ReturnType<typeof ofExample>
      const whole = await document()
      const found = examplesIn(whole)
      expect(found.length).toBeGreaterThan(5)
      const validators = new Validators(whole)
      for (const { place, value } of found)
        expect([place.join('/'), validators.faults(value, place)]).toEqual([place.join('/'), []])
    },
    90_000,
  )

  it('exist for request bodies, items, endpoints and fragments', () => {
    const { components, paths } = JSON.parse(JSON.stringify(made()))
    const { Order, OrderInput, OrderPatch, Customer, Branch } = components.schemas
    for (const type of [Order, OrderInput, OrderPatch, Customer]) expect(type.examples).toHaveLength(1)
    expect(Order.examples[0]).toMatchObject({ state: 'open', customer: { href: expect.any(String) } })
    expect(Branch.examples).toEqual([{ city: 'Cadiz' }])
    const [found] = paths['/search'].get.responses[200].content['application/json'].example
    expect(found).toEqual({ href: expect.any(String), title: expect.any(String) })
  })

  it('are the same for each build of the document, and differ for another seed', () => {
    expect(made()).toEqual(made())
    expect(openapi(shop(), 'v2', { examples: generatedExamples({ seed: 2 }) })).not.toEqual(
      openapi(shop(), 'v2', { examples: generatedExamples() }),
    )
  })

  it('are absent by default, unlike the examples of the definitions', () => {
    const plain = openapi(shop(), 'v2', { fragments })
    const types = ({ components }: ReturnType<typeof made>) => Object.keys(components.schemas ?? {})
    expect(types(made())).toEqual(types(plain))
    expect(examplesIn(plain).map(({ value }) => value)).toEqual(expect.arrayContaining(['Lamp', 'Chair', 'Cadiz']))
    expect(plain.components.schemas?.Order).not.toHaveProperty('examples')
  })

  it('are in `example` instead of `examples` in OpenAPI 3.0.3', () => {
    const { components } = openapi(shop(), 'v2', { openapi: '3.0.3', examples: generatedExamples() })
    expect(components.schemas?.Order).toHaveProperty('example.state', 'open')
  })
})
