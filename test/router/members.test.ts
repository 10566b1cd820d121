import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

const integer = { type: 'integer' } as const
const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: integer } },
})
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: integer, clienteId: { type: ['integer', 'null'] } } },
  attachedTo: [{ of: clientes, by: 'clienteId' }],
})
let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

describe('preconditions of detach', () => {
  it.each([
    [
      'with an outdated version in If-None-Match, the adapter checks the version that was read',
      { 'If-None-Match': '"old.x"' },
      true,
    ],
    ['with "If-Match: *", the adapter checks no version', { 'If-Match': '*' }, false],
    ['without a precondition, the adapter checks no version', {}, false],
  ])('HDR-3: %s', async (_, headers, pinned) => {
    const under = memoryAdapter(notas, { records: [{ id: 1, clienteId: 5 }] })
    const expected: (string | undefined)[] = []
    const adapter = {
      ...under,
      detach: (...given: Parameters<typeof under.detach>) => {
        expected.push(given[2])
        return under.detach(...given)
      },
    }
    const [stored] = under.read([1], {
      principal: undefined,
      scope: {},
      requestId: 'r',
      signal: new AbortController().signal,
    })
    const people = mount(clientes, memoryAdapter(clientes, { records: [{ id: 5 }] }))
    open = await listen(express().use(api({ versions: { v1: [people, mount(notas, adapter)] } })))
    expect((await open.send('DELETE', '/v1/clientes/5/notas/1', headers)).status).toBe(204)
    expect(expected).toEqual([pinned ? stored?.version : undefined])
  })
})
