/**
 * The cost of building and sending the document of many resources. The tests measure counts instead
 * of times, because counts are the same on a busy machine.
 */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount, type ResourceDefinition } from '../../src/index.js'
import { type OpenApiDocument, openapi } from '../../src/openapi/index.js'

/**
 * The document of `count` resources. Each resource has eight members, a link to the previous
 * resource, and a flag. Every third resource can be attached to the previous one.
 */
function documentOf(count: number): OpenApiDocument {
  const definitions: ResourceDefinition[] = []
  for (let at = 0; at < count; at++) {
    const before = definitions[at - 1]
    const options = {
      collection: `parts-${at + 100}s`,
      singular: `part-${at + 100}`,
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'name', 'isOpen', 'ownerId'],
        properties: {
          id: { type: 'integer' },
          name: { type: 'string', maxLength: 80 },
          isOpen: { type: 'boolean' },
          made: { type: 'string', format: 'date-time' },
          price: { type: 'number', minimum: 0 },
          state: { type: 'string', enum: ['new', 'open', 'done'] },
          note: { type: ['string', 'null'] },
          ownerId: { type: 'integer' },
        },
      },
      filters: { name: true, state: true, since: { field: 'made', op: 'gte' } },
      sort: ['name', 'made'],
      flags: { open: 'isOpen' },
      ...(before === undefined ? {} : { links: { owner: { to: before, by: 'ownerId', show: ['name'] } } }),
      ...(before === undefined || at % 3 !== 0 ? {} : { attachedTo: [{ of: before, by: 'ownerId' }] }),
    }
    definitions.push(defineResource<object>()(options as never) as unknown as ResourceDefinition)
  }
  return openapi(api({ versions: { v1: definitions.map((one) => mount(one, memoryAdapter(one))) } }), 'v1')
}

/**
 * The number of objects and lists in a document. An object that occurs in several positions counts
 * once.
 */
function containersIn(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0
  seen.add(value)
  return Object.values(value).reduce((count: number, one) => count + containersIn(one, seen), 1)
}

describe('each additional resource of a document', () => {
  const [some, more] = [documentOf(12), documentOf(24)]
  const each = (measure: (document: OpenApiDocument) => number): number => (measure(more) - measure(some)) / 12
  const operations = ({ paths }: OpenApiDocument): number =>
    Object.values(paths).flatMap((item) => Object.keys(item).filter((name) => name !== 'parameters')).length

  it('has 18 operations of its own', () => {
    expect(each(operations)).toBe(18)
  })

  it('takes less than 25 KB: shared parts of its operations occur once', () => {
    expect(each((document) => JSON.stringify(document).length)).toBeLessThan(25_000)
  })

  it('creates fewer than 155 objects: parts in common with other resources are shared', () => {
    expect(each(containersIn)).toBeLessThan(155)
  })

  it('shares the responses of HEAD, DELETE and OPTIONS with other resources', () => {
    const responses = (name: string, method: string) =>
      (more.paths[name] as Record<string, { responses: unknown }>)[method]?.responses
    for (const method of ['head', 'delete', 'options'])
      expect(responses('/parts-105s/{id}', method), method).toBe(responses('/parts-110s/{id}', method))
  })
})
