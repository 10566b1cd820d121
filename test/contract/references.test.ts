/**
 * References by pointer, `$anchor`, `$dynamicAnchor` and `$id`, references to other files, and
 * discriminators.
 */
import { describe, expect, it } from 'vitest'
import { bundled } from '../../src/contract/bundle.js'
import { compareContracts } from '../../src/contract/compare.js'
import { document, type Json, members, request, response } from './documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const same = (one: unknown, other: unknown): void => {
  for (const [before, after] of [
    [one, other],
    [other, one],
  ])
    expect(compareContracts(before, after).filter(({ kind }) => kind !== 'component-removed')).toEqual([])
}
const withSchemas = (schema: unknown, schemas: Json): Json => response(schema, 'application/json', { schemas })

describe('references inside a document', () => {
  it('to another path item are followed, even if the referring path item has not changed', () => {
    const paths = (required: readonly string[]): Json => {
      const content = (schema: unknown): Json => ({ content: { 'application/json': { schema } } })
      const responses = (schema: unknown): Json => ({ 200: { description: 'a', ...content(schema) } })
      return document({
        '/a': { post: { requestBody: content({ ...members({ a: text }), required }), responses: responses(text) } },
        '/b': {
          get: { responses: responses({ $ref: '#/paths/~1a/post/requestBody/content/application~1json/schema' }) },
        },
      })
    }
    const found = compareContracts(paths(['a']), paths([])).filter(({ breaking }) => breaking)
    expect(found.map(({ kind }) => kind)).toEqual(['response-member-became-optional'])
  })

  const inline = response(members({ a: text }))

  it.each([
    ['$anchor', { $ref: '#thing' }, { Thing: { $anchor: 'thing', ...members({ a: text }) } }],
    [
      '$id',
      { $ref: 'https://a.example/thing' },
      { Thing: { $id: 'https://a.example/thing', ...members({ a: text }) } },
    ],
    [
      '$id and a pointer',
      { $ref: 'thing#/$defs/inner' },
      { Thing: { $id: 'thing', $defs: { inner: members({ a: text }) } } },
    ],
    [
      '$id and an anchor',
      { $ref: 'thing#inner' },
      { Thing: { $id: 'thing', $defs: { inner: { $anchor: 'inner', ...members({ a: text }) } } } },
    ],
    ['$dynamicAnchor', { $dynamicRef: '#thing' }, { Thing: { $dynamicAnchor: 'thing', ...members({ a: text }) } }],
  ])('a reference by %s is resolved', (_title, reference, schemas) => {
    same(inline, withSchemas(reference, schemas))
    expect(compareContracts(withSchemas(reference, schemas), response(members({})))).not.toEqual([])
  })

  it('a schema with an $anchor may refer to itself', () => {
    const tree = (leaf: unknown) =>
      withSchemas(
        { $ref: '#tree' },
        { Tree: { $anchor: 'tree', ...members({ leaf, parts: { type: 'array', items: { $ref: '#tree' } } }) } },
      )
    same(tree(text), tree(text))
    expect(compareContracts(tree(text), tree(whole)).map(({ kind }) => kind)).toEqual(['response-type-changed'])
  })

  it('a reference without a target throws, and an anchor in an example is not a target', () => {
    const stray = withSchemas({ $ref: '#lost' }, { Thing: { ...text, examples: [{ $anchor: 'lost' }] } })
    expect(() => compareContracts(stray, inline)).toThrow('The reference "#lost" at #/paths')
  })
})

describe('a bundled document', () => {
  const files: Readonly<Record<string, unknown>> = {
    'schemas/thing.json': {
      ...members({
        a: { $ref: '../common.yaml#/components/schemas/Text' },
        up: { $ref: '../api.json#/components/schemas/Own' },
        self: { $ref: '#/$defs/one' },
      }),
      $defs: { one: whole },
    },
    'common.yaml': { components: { schemas: { Text: text, Loop: { $ref: 'common.yaml#/components/schemas/Text' } } } },
    'with space.json': { 'a/b': text },
  }
  const read = (path: string): unknown => {
    if (!Object.hasOwn(files, path)) throw new Error(`There is no ${path}.`)
    return files[path]
  }
  const assembled = (schema: unknown, rest: Json = {}): unknown =>
    bundled({ ...request(schema, 'application/json', { schemas: { Own: text } }), ...rest }, 'api.json', read)

  it('has the same contract as a document in a single file', () => {
    same(assembled({ $ref: 'schemas/thing.json' }), request(members({ a: text, up: text, self: whole })))
    same(assembled({ $ref: './common.yaml#/components/schemas/Loop' }), request(text))
    same(assembled({ $ref: 'with%20space.json#/a~1b' }), request(text))
  })

  it('includes the files to which a component refers, even if the component is named like a keyword', () => {
    const text = { $ref: 'common.yaml#/components/schemas/Text' }
    const names = ['default', 'example', 'value', 'const', 'enum']
    const named = Object.fromEntries(names.map((name) => [name, text]))
    const rewritten = { $ref: '#/x-files/common.yaml/components/schemas/Text' }
    for (const kind of ['responses', 'headers', 'links', 'parameters', 'examples', 'requestBodies', 'content'])
      expect(bundled({ components: { [kind]: named } }, 'api.json', read), kind).toMatchObject({
        components: { [kind]: Object.fromEntries(names.map((name) => [name, rewritten])) },
      })
  })

  it('changes if a file that the document refers to changes', () => {
    const before = assembled({ $ref: 'common.yaml#/components/schemas/Text' })
    const after = bundled(
      request({ $ref: 'common.yaml#/components/schemas/Text' }, 'application/json', { schemas: { Own: text } }),
      'api.json',
      () => ({
        components: { schemas: { Text: { ...text, maxLength: 5 } } },
      }),
    )
    expect(compareContracts(before, after).map(({ kind }) => kind)).toEqual(['request-maximum-lowered'])
  })

  it('is the document itself if the document refers to no other file', () => {
    const document = request(members({ $ref: { $ref: '#/components/schemas/A' }, example: text }), 'application/json', {
      schemas: { A: { ...text, example: { $ref: 'lost.json' } } },
    })
    expect(bundled(document, 'api.json', read)).toBe(document)
  })

  it('cannot be made if a file is missing, or if a reference is an absolute URL', () => {
    expect(() => assembled({ $ref: 'lost.json' })).toThrow('There is no lost.json.')
    expect(() => assembled({ $ref: 'https://a.example/thing.json' })).toThrow('is an absolute URL')
    expect(() => assembled({ $ref: 'file:///etc/passwd' })).toThrow('is an absolute URL')
  })
})

describe('discriminators', () => {
  const variants = (mapping: Json | undefined, propertyName = 'kind'): unknown => ({
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: { propertyName, ...(mapping === undefined ? {} : { mapping }) },
  })
  const schemas = {
    Cat: members({ kind: text, lives: whole }, 'kind', 'lives'),
    Dog: members({ kind: text, tail: text }, 'kind', 'tail'),
  }
  const sent = (mapping: Json | undefined, name?: string): Json =>
    request(variants(mapping, name), 'application/json', { schemas })
  const got = (mapping: Json | undefined, name?: string): Json => withSchemas(variants(mapping, name), schemas)
  const levels = (before: Json, after: Json) => compareContracts(before, after).map(({ kind, level }) => [kind, level])

  it('removing a value from a mapping breaks clients that send it, but not clients that receive it', () => {
    const [both, one] = [{ cat: 'Cat', dog: 'Dog' }, { dog: 'Dog' }]
    expect(levels(sent(both), sent(one))).toEqual([['request-mapping-value-removed', 'breaking']])
    expect(levels(got(both), got(one))).toEqual([['response-mapping-value-removed', 'harmless']])
    expect(levels(sent(one), sent(both))).toEqual([['request-mapping-value-added', 'harmless']])
    expect(levels(got(one), got(both))).toEqual([['response-mapping-value-added', 'warning']])
  })

  it('a mapping by name equals a mapping by reference to the same variant', () => {
    expect(levels(got({ cat: 'Cat' }), got({ cat: '#/components/schemas/Cat' }))).toEqual([])
  })

  it('a changed propertyName is a warning', () => {
    expect(levels(got(undefined), got(undefined, 'type'))).toEqual([['response-discriminator-changed', 'warning']])
  })
})
