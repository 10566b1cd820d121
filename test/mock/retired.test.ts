import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, endpoint, mount } from './library.js'
import { mocked } from './mocked.js'

const notes = defineResource({
  collection: 'notes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

it('VER-2: a mock has the same retired and deprecated parts as its service', async () => {
  const resources = [
    mount(notes, memoryAdapter(notes), { retired: true }),
    mount(orders, memoryAdapter(orders), {
      operations: { remove: { retired: true }, list: { deprecated: { since: '2026-01-01' } } },
    }),
  ]
  const get = {
    GET: { handle: () => ({}), describe: { responses: { 200: { description: 'a', schema: { const: 'a' } } } } },
  }
  const endpoints = [
    endpoint('gone', { description: 'No longer served.', retired: true, methods: get }),
    endpoint('late', { description: 'Still served.', deprecated: { since: '2026-01-01' }, methods: get }),
  ]
  const mock = await mocked(
    api({ versions: { v1: { resources: [...resources, ...endpoints], paths: { '/old': { retired: true } } } } }),
  )
  expect((await mock.ask('/v1/gone')).status).toBe(410)
  expect((await mock.ask('/v1/late')).headers.get('deprecation')).toBe('@1767225600')
  expect((await mock.ask('/v1/notes/1')).status).toBe(410)
  expect((await mock.ask('/v1/old/1')).status).toBe(410)
  const list = await mock.ask('/v1/orders')
  expect([list.status, list.headers.get('deprecation')]).toEqual([200, '@1767225600'])
  expect((await mock.ask('/v1/orders/1', { method: 'DELETE' })).status).toBe(410)
})
