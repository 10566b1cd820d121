/**
 * A service with records in memory or in PostgreSQL. It has several kinds of resources with entity
 * tags.
 */
import compression from 'compression'
import express from 'express'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  type ApiOptions,
  api,
  defineResource,
  endpoint,
  type Middleware,
  mount,
} from '../../src/index.js'
import { openPostgres, tableOf } from '../adapters/postgres/stores.js'
import { listen, type Served } from '../clauses/fixture.js'

const text = { type: 'string' } as const

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
})
const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo'],
    properties: {
      codigo: text,
      descripcion: { type: 'string', default: '' },
      activo: { type: 'boolean', default: true },
      clienteId: { type: ['integer', 'null'] },
    },
  },
  filters: { descripcion: true },
  sort: ['codigo', 'descripcion'],
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
  attachedTo: [{ of: clientes, by: 'clienteId' }],
  flags: { activo: 'activo' },
})
const lineas = defineResource({
  collection: 'lineas',
  key: ['codigo', 'linea'],
  schema: {
    type: 'object',
    required: ['codigo', 'linea'],
    properties: { codigo: text, linea: { type: 'integer' }, texto: { type: 'string', default: '' } },
  },
  parent: { of: contratos, by: 'codigo' },
})
/** Each caller has its own notes, at URLs that all callers share. */
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'de'],
    properties: { id: text, de: text, texto: { type: 'string', default: '' } },
  },
  scope: (principal) => ({ de: String(principal) }),
})

/**
 * Like `notas`, but shared caches may also store the responses, separately for each caller's
 * credentials.
 */
const avisos = defineResource({
  collection: 'avisos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'de'],
    properties: { id: text, de: text, texto: { type: 'string', default: '' } },
  },
  scope: (principal) => ({ de: String(principal) }),
  cacheControl: 'public, no-cache',
})

const rows = {
  clientes: [
    { id: 1, nombre: 'Ana' },
    { id: 2, nombre: 'Bea' },
  ],
  contratos: [
    { codigo: 'C1', descripcion: 'uno', activo: true, clienteId: 1 },
    { codigo: 'C2', descripcion: 'dos', activo: false, clienteId: null },
  ],
  lineas: [{ codigo: 'C1', linea: 1, texto: 'x' }],
  notas: [
    { id: 'de-ana', de: 'ana', texto: 'secreto de ana' },
    { id: 'de-eva', de: 'eva', texto: 'secreto de eva' },
  ],
}

type Any = Adapter<never, never>
type Adapters = Readonly<Record<keyof typeof rows, Any>>

/** The middleware `compression`, for bodies of any size. */
export const packing = (): Middleware => compression({ threshold: 0 }) as unknown as Middleware

interface Opened {
  readonly adapters: Adapters
  close(): Promise<void>
}

function openMemory(): Promise<Opened> {
  const adapters = {
    clientes: memoryAdapter(clientes, { records: rows.clientes }),
    contratos: memoryAdapter(contratos, { records: rows.contratos }),
    lineas: memoryAdapter(lineas, { records: rows.lineas }),
    notas: memoryAdapter(notas, { records: rows.notas }),
  } as unknown as Adapters
  return Promise.resolve({ adapters, close: async () => {} })
}

async function openTables(): Promise<Opened> {
  const store = await openPostgres()
  const adapters = {
    clientes: await tableOf(store, clientes, { table: 'clientes' }),
    contratos: await tableOf(store, contratos, { table: 'contratos' }),
    lineas: await tableOf(store, lineas, { table: 'lineas' }),
    notas: await tableOf(store, notas, { table: 'notas' }),
  }
  await store.sql(`INSERT INTO clientes (id, nombre) VALUES (1, 'Ana'), (2, 'Bea');
    INSERT INTO contratos (codigo, descripcion, activo, cliente_id) VALUES ('C1', 'uno', true, 1), ('C2', 'dos', false, NULL);
    INSERT INTO lineas (codigo, linea, texto) VALUES ('C1', 1, 'x');
    INSERT INTO notas (id, de, texto) VALUES ('de-ana', 'ana', 'secreto de ana'), ('de-eva', 'eva', 'secreto de eva')`)
  return { adapters: adapters as unknown as Adapters, close: () => store.close() }
}

export const grounds: readonly (readonly [name: string, open: () => Promise<Opened>])[] = [
  ['memory', openMemory],
  ['PostgreSQL', openTables],
]

/** Starts the service below `/v1`. The middlewares `before` run in front of it. */
export async function serveOver(
  open: () => Promise<Opened>,
  options: Partial<ApiOptions> = {},
  before: readonly Middleware[] = [],
): Promise<Omit<Served, 'data'>> {
  const { adapters, close } = await open()
  const versions: ApiOptions['versions'] = {
    v1: [
      mount(clientes, adapters.clientes as never),
      mount(contratos, adapters.contratos as never),
      mount(lineas, adapters.lineas as never),
      mount(notas, adapters.notas as never),
      mount(avisos, memoryAdapter(avisos, { records: rows.notas })),
      endpoint('recuento', {
        description: 'Always returns the same value.',
        methods: { GET: { handle: () => ({ recuento: 7 }) }, POST: { handle: () => ({ recuento: 7 }) } },
      }),
      endpoint('silencio', { description: 'Returns nothing.', methods: { GET: { handle: () => undefined } } }),
    ],
  }
  const app = express()
  for (const middleware of before) app.use(middleware)
  const served = await listen(
    app.use(api({ principal: () => 'ana', versions, onError: () => {}, ...options } as ApiOptions)),
  )
  return {
    ...served,
    close: async () => {
      await served.close()
      await close()
    },
  }
}
