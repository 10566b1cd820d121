/**
 * A service with endpoints below its items: orders (`pedidos`), and stages (`tramos`) that belong
 * to customers (`clientes`). Each call of `serve` creates its own data.
 */
import express5 from 'express'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type ApiOptions,
  api,
  defineResource,
  type EndpointItem,
  endpoint,
  endpointReply,
  mount,
} from '../../src/index.js'
import { preconditionFailed } from '../../src/middleware/index.js'
import { type Express, listen } from '../clauses/fixture.js'

const text = { type: 'string' } as const

export const pedidos = defineResource({
  collection: 'pedidos',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero', 'dueno'],
    properties: {
      numero: { type: 'integer' },
      dueno: text,
      estado: { type: 'string', default: 'nuevo' },
      motivo: { type: ['string', 'null'] },
    },
  },
  scope: (principal) => (principal === 'admin' ? {} : { dueno: String(principal) }),
})

export const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

export const tramos = defineResource({
  collection: 'tramos',
  key: ['clienteId', 'parte'],
  schema: {
    type: 'object',
    required: ['clienteId', 'parte'],
    properties: { clienteId: { type: 'integer' }, parte: text, km: { type: 'integer', default: 0 } },
  },
  parent: { of: clientes, by: 'clienteId' },
})

export function serve(options: Partial<ApiOptions> = {}, express: Express = express5) {
  const data = {
    pedidos: memoryAdapter(pedidos, {
      records: [
        { numero: 7, dueno: 'ana' },
        { numero: 8, dueno: 'eva' },
      ].map((one) => ({ ...one, estado: 'nuevo', motivo: null })),
    }),
    clientes: memoryAdapter(clientes, { records: [{ id: 1 }, { id: 2 }] }),
    tramos: memoryAdapter(tramos, { records: [{ clienteId: 1, parte: 'a', km: 5 }] }),
  }
  const calls: EndpointItem[] = []
  const errors: unknown[] = []
  const cancelaciones = endpoint<
    EndpointItem<{ numero: number; dueno: string; estado?: string; motivo?: string | null }, number>
  >()('cancelaciones', {
    description: 'Cancels an order, for a reason.',
    methods: {
      POST: {
        body: { type: 'object', required: ['motivo'], properties: { motivo: { type: 'string', minLength: 1 } } },
        describe: { problems: ['rule'] },
        handle: async ({ item, body, callOf }) => {
          calls.push(item)
          const next = { ...item.record, estado: 'cancelado', motivo: body.motivo }
          const saved = await data.pedidos.replace(item.key, next, item.version, callOf('pedidos'))
          if (saved === 'stale') throw preconditionFailed()
          if (typeof saved === 'string' || 'refused' in saved) throw new Error(JSON.stringify(saved))
          return endpointReply({ status: 200, body: { estado: 'cancelado' }, version: saved.version })
        },
      },
      GET: { handle: ({ item }) => ({ motivo: item.record.motivo ?? null, href: item.href }) },
    },
  })
  const pruebas = endpoint('pruebas', {
    description: 'Has all methods except POST.',
    methods: {
      GET: { handle: () => undefined },
      PUT: { handle: ({ item }) => void calls.push(item as EndpointItem) },
      PATCH: { handle: () => endpointReply({ status: 204 }) },
      DELETE: { handle: () => undefined },
    },
  })
  const pesos = endpoint('pesos', {
    description: 'What the stage weighs.',
    methods: { GET: { handle: ({ item }) => item }, POST: { handle: ({ item }) => [item] } },
  })
  const resources = [
    mount(pedidos, data.pedidos, { endpoints: [cancelaciones, pruebas] }),
    mount(clientes, data.clientes),
    mount(tramos, data.tramos, { endpoints: [pesos] }),
  ]
  const handler = api({
    principal: (req) => req.headers['x-user'] ?? 'ana',
    onError: ({ error }) => errors.push(error),
    versions: { v1: { resources, deprecated: '2024-01-01', successor: 'v2' }, v2: resources, v0: 'retired' },
    ...options,
  })
  return listen(express().use(handler)).then((service) => ({ ...service, data, calls, errors }))
}
