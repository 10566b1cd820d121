/** Tests that the operations respond as their descriptions say. */
import express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, endpoint, mount } from '../../src/index.js'
import { concernsItem } from '../../src/plan/operation.js'
import { compileRoutes } from '../../src/plan/routes.js'
import { operations } from '../../src/router/operations/index.js'
import { listen } from '../clauses/fixture.js'

type Cliente = { id: number; nombre: string }
type Pedido = { numero: number; cliente?: number | null; urgente?: boolean; total: number }

const clientes = defineResource<Cliente>()({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['nombre'], properties: { id: { type: 'integer' }, nombre: { type: 'string' } } },
})
const pedidos = defineResource<Pedido>()({
  collection: 'pedidos',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['total'],
    properties: {
      numero: { type: 'integer' },
      cliente: { type: ['integer', 'null'] },
      urgente: { type: 'boolean' },
      total: { type: 'number' },
    },
  },
  attachedTo: [{ of: clientes, by: 'cliente' }],
  flags: { urgente: 'urgente' },
})

const handle = { handle: () => ({ done: true }) }
const methods = { GET: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle }

const mounts = () => [
  mount(clientes, memoryAdapter(clientes, { records: [{ id: 1, nombre: 'Ana' }] })),
  mount(pedidos, memoryAdapter(pedidos, { records: [{ numero: 7, total: 5, cliente: 1, urgente: true }] }), {
    endpoints: [endpoint('notas', { description: 'Notes of an order.', methods })],
  }),
  endpoint('informes', { description: 'Reports.', methods }),
]

/** An example path for each kind of URL. */
const paths = {
  collection: '/v1/pedidos',
  item: '/v1/pedidos/7',
  flag: '/v1/pedidos/7/urgente',
  'item-endpoint': '/v1/pedidos/7/notas',
  members: '/v1/clientes/1/pedidos',
  member: '/v1/clientes/1/pedidos/7',
  endpoint: '/v1/informes',
  document: '/v1/openapi',
  any: '/v1/pedidos',
} as const

const bodies = {
  record: (method: string) => ({ numero: method === 'POST' ? 8 : 7, total: 9 }),
  patch: () => ({ total: 10 }),
}

describe('every operation', () => {
  it('has a unique name, and a unique pair of method and kind of URL', () => {
    const places = operations.map(({ target, method }) => `${method} ${target}`)
    expect(new Set(places).size).toBe(operations.length)
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length)
  })

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s responds with the status in its description',
    async (_, operation) => {
      const service = await listen(express().use(api({ describe: true, versions: { v1: mounts() } })))
      try {
        const { target, method, body, statuses, headStatus } = operation
        const sent = body === 'record' || body === 'patch' ? bodies[body](method) : undefined
        const send = async (as: string) =>
          fetch(service.origin + paths[target], {
            method: as,
            redirect: 'manual',
            ...(sent === undefined
              ? {}
              : { body: JSON.stringify(sent), headers: { 'Content-Type': 'application/json' } }),
          })
        const { status } = await send(method)
        expect(status).toBe(statuses === 'any' ? 200 : statuses[0])
        if (method === 'GET') expect((await send('HEAD')).status).toBe(headStatus ?? status)
      } finally {
        await service.close()
      }
    },
  )

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s checks the permission for the actions in its description',
    async (_, operation) => {
      const asked: string[] = []
      const service = await listen(
        express().use(
          api({
            describe: true,
            principal: () => 'eva',
            permission: (_principal, action, resource, key) => {
              if (resource !== 'clientes') asked.push(key === undefined ? action : `${action} ${key}`)
              return 'allow'
            },
            versions: { v1: mounts() },
          }),
        ),
      )
      try {
        const { name, target, method, actions } = operation
        await fetch(service.origin + paths[target], { method, redirect: 'manual' })
        const key = target !== 'any' && concernsItem(target) ? ' 7' : ''
        // OPTIONS has no action of its own. It checks the permissions of the methods that Allow may
        // list.
        const expected = name === 'options' ? ['list', 'create'] : actions.map((action) => action + key)
        expect([...new Set(asked)]).toEqual(expected)
      } finally {
        await service.close()
      }
    },
  )
})

it('VERB-9: an operation that is added to the list of operations is routed, and appears in Allow', () => {
  const [list] = operations
  const queried = { ...(list as (typeof operations)[number]), name: 'query', method: 'POST', target: 'item' } as const
  const { resources } = compileRoutes([...operations, queried], mounts())
  const [, found] = resources
  expect(found?.item.allow).toBe('GET, HEAD, PUT, PATCH, DELETE, POST, OPTIONS')
  expect(found?.item.operations.get('POST')).toBe(queried)
  expect(found?.collection.operations.get('POST')?.name).toBe('create')
})
