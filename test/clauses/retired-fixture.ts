/**
 * A service in which each test declares which parts are retired. Another service can serve the same
 * data without retired parts.
 */
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type ApiOptions,
  api,
  defineResource,
  endpoint,
  endpointReply,
  HttpProblem,
  type Middleware,
  mount,
} from '../../src/index.js'
import type { PartLifeOptions } from '../../src/plan/life.js'
import { type Express, listen, type Served } from './fixture.js'

const text = { type: 'string' } as const

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
})

export const pedidos = defineResource({
  collection: 'pedidos',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero'],
    properties: {
      numero: { type: 'integer' },
      nota: { type: ['string', 'null'] },
      urgente: { type: 'boolean', default: false },
    },
  },
  filters: { nota: true },
  attachedTo: [{ of: clientes, as: 'pedidos' }],
  flags: { urgente: 'urgente' },
})

const lineas = defineResource({
  collection: 'lineas',
  key: ['pedido', 'secuencia'],
  schema: {
    type: 'object',
    required: ['pedido', 'secuencia'],
    properties: { pedido: { type: 'integer' }, secuencia: { type: 'integer' }, texto: { type: 'string', default: '' } },
  },
  parent: { of: pedidos, by: 'pedido' },
})

/** The deprecations and retirements that a mount can declare. */
interface MountLives extends PartLifeOptions {
  readonly operations?: Readonly<Record<string, PartLifeOptions>>
  readonly below?: Readonly<Record<string, PartLifeOptions>>
}

/** The parts of the service that can be deprecated or retired separately. */
export interface Lives {
  readonly clientes?: MountLives
  readonly pedidos?: MountLives
  readonly lineas?: MountLives
  readonly cancelaciones?: PartLifeOptions
  readonly cancelacionesPost?: PartLifeOptions
  readonly search?: PartLifeOptions
  readonly searchPost?: PartLifeOptions
}

export function stores() {
  return {
    clientes: memoryAdapter(clientes, { records: [{ id: 1, nombre: 'Ana' }] }),
    pedidos: memoryAdapter(pedidos, {
      records: [
        { numero: 1, nota: 'a', urgente: true },
        { numero: 2, nota: null, urgente: false },
      ],
    }),
    lineas: memoryAdapter(lineas, { records: [{ pedido: 1, secuencia: 1, texto: 'tapa' }] }),
  }
}

export type Stores = ReturnType<typeof stores>

export function resourcesOf(from: Stores, lives: Lives) {
  return [
    mount(clientes, from.clientes, lives.clientes ?? {}),
    mount(pedidos, from.pedidos, {
      ...lives.pedidos,
      endpoints: [
        endpoint('cancelaciones', {
          description: 'Cancels.',
          ...lives.cancelaciones,
          methods: {
            GET: { handle: () => ({ n: 0 }) },
            POST: { ...lives.cancelacionesPost, handle: () => endpointReply({ status: 204 }) },
          },
        }),
      ],
    }),
    mount(lineas, from.lineas, lives.lineas ?? {}),
    endpoint('search', {
      description: 'Searches.',
      ...lives.search,
      methods: {
        GET: { query: { properties: { q: text } }, handle: ({ query }) => ({ q: query.q ?? null }) },
        POST: { ...lives.searchPost, body: { type: 'object' }, handle: () => ({ ok: true }) },
      },
    }),
  ]
}

export function serviceOf(from: Stores, lives: Lives, more: Partial<ApiOptions> = {}) {
  return api({
    baseUrl: 'http://api.example.com',
    principal: (req) => {
      const { 'x-user': name = 'ana' } = req.headers
      if (name === 'nobody') throw new HttpProblem('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
      return { sub: name }
    },
    permission: (principal, action) =>
      (principal as { sub: string }).sub === 'eva' && !['list', 'create', 'read'].includes(action)
        ? 'forbidden'
        : 'allow',
    onError: () => {},
    versions: { v1: { resources: resourcesOf(from, lives), routes: byHand } },
    ...more,
  })
}

const byHand: Middleware = (req, res, next) => {
  if (req.url === '/a-mano') res.end('by hand')
  else next()
}

export async function start(express: Express, service: Middleware): Promise<Omit<Served, 'data'>> {
  return listen(express().use(service) as never)
}
