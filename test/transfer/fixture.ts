/**
 * A service with exports, and a client: `begin` requests an export, and `end` reads its body.
 */
import http, { type IncomingMessage } from 'node:http'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  type ApiOptions,
  api,
  defineResource,
  type Middleware,
  type MountOptions,
  mount,
} from '../../src/index.js'
import { csv, ndjson } from '../../src/transfer/index.js'

const text = { type: 'string' } as const

export const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'nombre'],
    properties: { id: { type: 'integer' }, nombre: text, clave: { type: 'string', writeOnly: true } },
  },
  links: { pedidos: { sub: 'pedidos' } },
})

export const pedidos = defineResource({
  collection: 'pedidos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'nota'],
    properties: {
      id: { type: 'integer' },
      nota: text,
      importe: { type: ['number', 'null'] },
      urgente: { type: 'boolean', default: false },
      marcas: { type: 'array', items: text, default: [] },
      destino: {
        type: ['object', 'null'],
        required: ['calle'],
        properties: { calle: text, cp: { type: ['string', 'null'] } },
      },
      secreto: { type: 'string', writeOnly: true },
      clienteId: { type: ['integer', 'null'] },
    },
  },
  filters: { urgente: true, importeDesde: { field: 'importe', op: 'gte' } },
  sort: ['importe', 'nota'],
  search: ['nota'],
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
  attachedTo: [{ of: clientes, by: 'clienteId' }],
  page: { max: 10 },
})

export type Pedido = Parameters<NonNullable<ReturnType<typeof pedidosOf>['create']>>[0]

/** A memory adapter with the orders 1 to `count`. Every third order belongs to customer 1. */
export function pedidosOf(count: number) {
  return memoryAdapter(pedidos, {
    records: Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      nota: `nota ${i + 1}`,
      importe: i % 5 === 0 ? null : i / 4,
      urgente: i % 2 === 0,
      marcas: i === 0 ? ['a', 'b'] : [],
      destino: i === 0 ? { calle: 'Mayor 1; 2º', cp: null } : null,
      secreto: `s${i}`,
      clienteId: i % 3 === 0 ? 1 : null,
    })),
  })
}

export const clientesOf = () =>
  memoryAdapter(clientes, {
    records: [
      { id: 1, nombre: 'Ana', clave: 'hunter2' },
      { id: 2, nombre: 'Bea', clave: 'hunter3' },
    ],
  })

/** A service that exports the orders of `adapter`, by default as CSV and NDJSON. */
export function service(
  adapter: Adapter<Pedido, number> = pedidosOf(25),
  exports: Partial<NonNullable<MountOptions['exports']>> = {},
  options: Partial<ApiOptions> = {},
): Middleware {
  return api({
    onError: () => {},
    versions: {
      v1: [
        mount(pedidos, adapter, { exports: { formats: [csv(), ndjson()], ...exports } }),
        mount(clientes, clientesOf()),
      ],
    },
    ...options,
  })
}

/** How an export ended, and the data that was received until then. */
export interface Ended {
  readonly status: number
  readonly whole: boolean
  readonly text: string
}

/**
 * Requests an export. Resolves with the response as soon as its header has arrived, and does not
 * read the body.
 */
export function begin(port: number, path: string, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path, headers: { accept }, agent: false }, resolve).on('error', reject)
  })
}

/** Reads a response until it ends, or until its connection is lost. */
export function end(answer: IncomingMessage): Promise<Ended> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('error', () => {})
    answer.on('close', () =>
      resolve({ status: answer.statusCode ?? 0, whole: answer.complete, text: Buffer.concat(chunks).toString() }),
    )
  })
}
