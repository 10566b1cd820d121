/**
 * Tests that the service's own code can modify the new record of a PATCH without changing the
 * stored record. A new record that only the library can modify may share unchanged values with the
 * stored record.
 */
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { type MemoryAdapter, memoryAdapter } from '../../src/adapters/memory/index.js'
import { type Adapter, defineResource, problems, type ResourceDefinition, resourceRouter } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

interface Nota {
  id: number
  texto?: string
  autor?: { nombre: string; veces: number }
}
const schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    texto: { type: 'string' },
    autor: {
      type: 'object',
      required: ['nombre', 'veces'],
      properties: { nombre: { type: 'string' }, veces: { type: 'integer' } },
    },
  },
} as const
const records = [{ id: 1, texto: 'a', autor: { nombre: 'Ana', veces: 1 } }]
const counted = (value: Nota): Nota => {
  if (value.autor !== undefined) value.autor.veces += 1
  return value
}

let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

async function patched(make: () => [definition: ResourceDefinition<Nota, number>, adapter: Adapter<Nota, number>]) {
  const [definition, adapter] = make()
  open = await listen(express().use('/v1', resourceRouter(definition, adapter)).use(problems()))
  const { status, json } = await open.send('PATCH', '/v1/notas/1', {}, { texto: 'b' })
  return { status, json, stored: (await open.send('GET', '/v1/notas/1')).json }
}
const plain = (): ResourceDefinition<Nota, number> => defineResource({ collection: 'notas', key: 'id', schema })
const inMemory = (definition: ResourceDefinition<Nota, number>): MemoryAdapter<Nota, number> =>
  memoryAdapter(definition, { records })

describe('VERB-5: PATCH', () => {
  const changed = { id: 1, texto: 'b', autor: { nombre: 'Ana', veces: 2 } }

  it('lets the function onUpdate of the memory adapter modify everything that it gets', async () => {
    const found = await patched(() => [plain(), memoryAdapter(plain(), { records, onUpdate: counted })])
    expect(found).toEqual({ status: 200, json: changed, stored: changed })
  })

  it('lets an adapter that wraps another adapter modify everything that it gets', async () => {
    const found = await patched(() => {
      const definition = plain()
      const inner = inMemory(definition)
      return [
        definition,
        { ...inner, replace: (key, value, expected, call) => inner.replace(key, counted(value), expected, call) },
      ]
    })
    expect(found).toEqual({ status: 200, json: changed, stored: changed })
  })

  it('lets a replace() that the service assigns to a memory adapter modify everything that it gets', async () => {
    const found = await patched(() => {
      const definition = plain()
      const adapter = inMemory(definition)
      const { replace } = adapter
      adapter.replace = (key, value, expected, call) => replace(key, counted(value), expected, call)
      return [definition, adapter]
    })
    expect(found).toEqual({ status: 200, json: changed, stored: changed })
  })

  it('gives the function `rules` a record that shares no objects with the stored record', async () => {
    const shared: boolean[] = []
    const found = await patched(() => {
      const definition = defineResource({
        collection: 'notas',
        key: 'id',
        schema,
        rules(next, { current }) {
          shared.push(next.autor === current?.autor, Object.isFrozen(next.autor))
          return []
        },
      })
      return [definition, inMemory(definition)]
    })
    expect(shared).toEqual([false, false])
    expect(found.stored).toEqual({ id: 1, texto: 'b', autor: { nombre: 'Ana', veces: 1 } })
  })

  it('to a plain memory adapter stores a record that shares unchanged values with the previous record', async () => {
    const seen: unknown[] = []
    await patched(() => {
      const definition = plain()
      const adapter = inMemory(definition)
      const { read } = adapter
      adapter.read = (keys, call) => {
        const found = read(keys, call)
        seen.push(found[0]?.value.autor)
        return found
      }
      return [definition, adapter]
    })
    expect(seen.length).toBeGreaterThan(1)
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toEqual({ nombre: 'Ana', veces: 1 })
  })
})
