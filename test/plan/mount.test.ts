import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  api,
  ConfigurationError,
  defineResource,
  mount,
  type ResourceDefinition,
  resourceRouter,
} from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, clienteId: { type: ['integer', 'null'] } },
  },
  links: { cliente: { to: clientes, by: 'clienteId', show: ['id'] } },
})
/** An adapter to which `mount()` passes the resource. */
const kept = (...records: object[]) => ({
  bind: <T, K>(definition: ResourceDefinition<T, K>) => memoryAdapter(definition, { records: records as T[] }),
})
let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

describe('adapters that are bound when they are mounted', () => {
  it('work in api() and resourceRouter(), for resources and for related resources', async () => {
    const related = [mount(clientes, kept({ id: 5 }))]
    const app = express().use('/v1', resourceRouter(notas, kept({ id: 1, clienteId: 5 }), { related }))
    open = await listen(app.use(api({ versions: { v8: [mount(clientes, kept({ id: 7 }))] } })))
    expect((await open.send('GET', '/v1/notas')).json).toMatchObject([{ id: 1, cliente: { id: 5 } }])
    expect((await open.send('GET', '/v8/clientes/7')).json).toEqual({ id: 7 })
  })

  it('are bound once by each mount, to the definition of that mount', () => {
    const bound: unknown[] = []
    const source = {
      bind<T, K>(definition: ResourceDefinition<T, K>) {
        bound.push(definition)
        return memoryAdapter(definition)
      },
    }
    const mounts = [mount(clientes, source), mount(notas, source), mount(clientes, source)]
    expect(bound).toEqual([clientes, notas, clientes])
    expect(new Set(mounts.map(({ adapter }) => adapter)).size).toBe(3)
  })

  it.each([
    [undefined, 'missing'],
    [null, 'null'],
  ])('if the adapter is %s, the message of mount() shows how to give an adapter', (given, is) => {
    expect(() => mount(clientes, given as never)).toThrow(
      `The adapter of "clientes" is ${is}. Give an adapter as the second argument, such as memoryAdapter(definition). ` +
        '[VERB-9 adapter-incomplete]',
    )
  })

  it.each([
    ['a bind() that returns nothing', { bind: () => undefined }],
    ['a bind() that returns an incomplete adapter', { bind: () => ({ list: () => ({ items: [] }) }) }],
    ['a function, which inherits bind()', () => undefined],
    ['null', null],
  ])('VERB-9: %s is refused as an adapter', (_, given) => {
    expect(() => mount(clientes, given as never)).toThrow(expect.objectContaining({ code: 'adapter-incomplete' }))
  })

  it('bind() is not called on a value that has list(), and an exception in bind() is thrown by mount()', () => {
    const adapter = { ...memoryAdapter(clientes), bind: () => expect.unreachable() }
    expect(mount(clientes, adapter).adapter).toBe(adapter)
    const broken = {
      bind(): never {
        throw new ConfigurationError('invalid-option', 'There is no such table.')
      },
    }
    expect(() => mount(clientes, broken)).toThrow('There is no such table.')
  })
})
