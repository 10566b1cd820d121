import { describe, expect, it } from 'vitest'
import type { WriteMethod } from '../../src/adapters/contract.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { defineResource } from '../../src/definition/resource.js'
import { adapterView, api, type MountOptions, mount } from '../../src/index.js'

const autores = defineResource({
  collection: 'autores',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, leida: { type: 'boolean' }, autor: { type: ['string', 'null'] } },
  },
  flags: { lectura: 'leida' },
  attachedTo: [{ of: autores, by: 'autor' }],
})
const silent = { item: ['GET'], collection: ['GET'] } as const

describe('ready() of api() passes each adapter the names of the write methods that requests can call', () => {
  async function offered(options: MountOptions, more: readonly MountOptions[] = []): Promise<WriteMethod[]> {
    const asked: (ReadonlySet<WriteMethod> | undefined)[] = []
    const adapter = { ...memoryAdapter(notas), ready: (methods?: ReadonlySet<WriteMethod>) => void asked.push(methods) }
    const parents = () => mount(autores, memoryAdapter(autores), silent)
    const versions = [options, ...more].map((one, i) => [`v${i + 1}`, [mount(notas, adapter, one), parents()]])
    await api({ versions: Object.fromEntries(versions) }).ready()
    expect(asked).toHaveLength(1)
    return [...(asked[0] ?? [])].sort()
  }

  it.each<[string, MountOptions, WriteMethod[]]>([
    ['all methods', {}, ['attach', 'create', 'detach', 'remove', 'replace']],
    ['reads only', silent, []],
    ['POST alone', { item: ['GET'] }, ['create']],
    ['PATCH, which also allows setting flags', { collection: ['GET'], item: ['PATCH'] }, ['replace']],
    ['PUT, which also attaches to a parent', { collection: ['GET'], item: ['PUT'] }, ['attach', 'replace']],
    ['DELETE, which also detaches from a parent', { collection: ['GET'], item: ['DELETE'] }, ['detach', 'remove']],
  ])('if the mount offers %s', async (_, options, methods) => {
    expect(await offered(options)).toEqual(methods)
  })

  it('for all versions together', async () => {
    expect(await offered(silent, [{ item: ['GET'] }, { collection: ['GET'], item: ['DELETE'] }])).toEqual([
      'create',
      'detach',
      'remove',
    ])
  })

  it('through a view of the adapter', async () => {
    const asked: unknown[] = []
    const adapter = {
      ...memoryAdapter(autores),
      ready: (methods?: ReadonlySet<WriteMethod>) => void asked.push([...(methods ?? [])]),
    }
    await api({
      versions: { v1: [mount(autores, adapterView(adapter), { item: ['GET', 'DELETE'], collection: ['GET'] })] },
    }).ready()
    expect(asked).toEqual([['remove']])
  })
})
