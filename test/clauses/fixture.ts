/**
 * One service with many features, for the tests of the clauses. Each call of `serve` creates its
 * own data.
 */
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import express5 from 'express'
import { afterAll, beforeAll } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  type ApiOptions,
  adapterView,
  api,
  defineResource,
  endpoint,
  endpointReply,
  HttpProblem,
  type Middleware,
  mount,
  Unavailable,
} from '../../src/index.js'

export type Express = typeof express5
// The package alias `express4` has no type declarations.
const express4 = createRequire(import.meta.url)('express4') as Express

/** Both supported major versions of Express. Most suites run on each of them. */
export const frameworks: readonly (readonly [name: string, express: Express])[] = [
  ['Express 5', express5],
  ['Express 4', express4],
]

// --- the resources ---

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

export const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
  sort: ['nombre'],
  search: ['nombre'],
})

export const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo', 'descripcion'],
    properties: {
      codigo: text,
      descripcion: text,
      esUrgente: { type: 'boolean', default: false },
      estaActivo: { type: 'boolean', default: true },
      clienteId: { type: ['integer', 'null'] },
    },
  },
  filters: { esUrgente: true, descripcion: true },
  sort: ['codigo', 'descripcion'],
  links: { cliente: { to: clientes, by: 'clienteId' } },
  attachedTo: [{ of: clientes, by: 'clienteId' }],
  flags: { activo: 'estaActivo' },
  rules: (next) =>
    next.descripcion === 'prohibido' ? [{ member: 'descripcion', detail: 'That word is not allowed.' }] : [],
})

const carteras = defineResource({
  collection: 'carteras',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text } },
})

const piezas = defineResource({
  collection: 'piezas',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero', 'lote', 'creadoPor'],
    properties: {
      numero: { type: 'integer' },
      lote: text,
      peso: { type: ['number', 'null'] },
      estado: { type: 'string', enum: ['nueva', 'enviada', 'entregada'], default: 'nueva' },
      fecha: { type: ['string', 'null'], format: 'local-date-time' },
      marcas: { type: 'array', items: text, default: [] },
      destino: { type: 'object', required: ['calle'], properties: { calle: text, cp: { type: ['integer', 'null'] } } },
      creadoPor: { type: 'string', readOnly: true },
      secreto: { type: 'string', writeOnly: true },
      contratoId: textOrNull,
      notaId: textOrNull,
      sitio: { type: ['object', 'null'], required: ['href'], properties: { href: textOrNull, ciudad: text } },
    },
  },
  filters: {
    lote: { many: true },
    estado: true,
    peso: true,
    pesoDesde: { field: 'peso', op: 'gte' },
    pesoHasta: { field: 'peso', op: 'lt' },
    sinPeso: { field: 'peso', op: 'null' },
    fechaDesde: { field: 'fecha', op: 'gte' },
    marca: { field: 'marcas', op: 'contains' },
    'destino.cp': true,
  },
  sort: ['numero', 'lote', 'peso', 'fecha', 'destino.cp'],
  search: ['lote', 'destino.calle'],
  links: {
    contrato: { to: 'contratos', by: 'contratoId', show: ['esUrgente', 'estaActivo'] },
    nota: { to: 'notas', by: 'notaId' },
    componentes: { sub: 'componentes' },
    sitio: { external: true },
  },
  attachedTo: [{ of: carteras }],
})

const componentes = defineResource({
  collection: 'componentes',
  key: ['numeroDeCabecera', 'secuencia'],
  schema: {
    type: 'object',
    required: ['numeroDeCabecera', 'secuencia', 'nombre'],
    properties: { numeroDeCabecera: { type: 'integer' }, secuencia: { type: 'integer' }, nombre: text },
  },
  parent: { of: piezas, by: 'numeroDeCabecera' },
  sort: ['nombre'],
})

/**
 * A resource whose key is an arbitrary Unicode string. Its records can link to each other.
 */
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: text, texto: { type: 'string', default: '' }, anteriorId: textOrNull },
  },
  filters: { texto: true, id: true },
  links: { anterior: { to: 'notas', by: 'anteriorId' } },
})

/** A resource with a composite key of two strings. Both strings may need escaping. */
const tramos = defineResource({
  collection: 'tramos',
  key: ['desde', 'hasta'],
  schema: {
    type: 'object',
    required: ['desde', 'hasta'],
    properties: { desde: text, hasta: text, km: { type: 'number', default: 0 } },
  },
})

/** Each principal has its own documents. */
const documentos = defineResource({
  collection: 'documentos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'de'],
    properties: { id: text, de: text, titulo: { type: 'string', default: '' } },
  },
  scope: (principal) => ({ de: (principal as { name: string }).name }),
})

const sucursales = defineResource({
  collection: 'sucursales',
  key: 'nomenclatura',
  schema: {
    type: 'object',
    required: ['nomenclatura'],
    properties: { nomenclatura: text, abierta: { type: 'boolean' } },
  },
  flags: { abierta: 'abierta' },
})

/** Open objects: any member is allowed. */
export const bolsas = defineResource({
  collection: 'bolsas',
  key: 'id',
  schema: { type: 'object', required: ['id'], additionalProperties: true, properties: { id: { type: 'integer' } } },
})

const encargos = defineResource({
  collection: 'encargos',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text } },
})

const facturas = defineResource({
  collection: 'facturas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, total: { type: 'number', default: 0 } },
  },
  page: { size: 2, max: 10, first: 0 },
})

/** The id of a record determines how the adapter behaves for that record. */
const averias = defineResource({
  collection: 'averias',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text, x: { type: 'integer' } } },
})

const contratosV1 = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo', 'nombre'],
    properties: { codigo: text, nombre: text, esUrgente: { type: 'boolean', default: false } },
  },
  filters: { nombre: true },
  sort: ['nombre'],
})

// --- the data ---

export interface Counts {
  [call: string]: number
}

/** Counts the calls of an adapter, by `collection.method`. */
function counting<T, K>(name: string, adapter: Adapter<T, K>, counts: Counts): Adapter<T, K> {
  return new Proxy(adapter, {
    get(target, method, receiver) {
      const found = Reflect.get(target, method, receiver) as unknown
      if (typeof found !== 'function') return found
      return (...rest: unknown[]) => {
        const call = `${name}.${String(method)}`
        counts[call] = (counts[call] ?? 0) + 1
        return (found as (...rest: unknown[]) => unknown).apply(target, rest)
      }
    },
  })
}

/** Wraps an adapter so that each call has a random delay before and after it. */
export function withRandomDelays<T, K>(adapter: Adapter<T, K>, most = 3): Adapter<T, K> {
  return new Proxy(adapter, {
    get(target, method, receiver) {
      const found = Reflect.get(target, method, receiver) as unknown
      if (typeof found !== 'function') return found
      return async (...rest: unknown[]) => {
        await pause(Math.random() * most)
        const result = (found as (...rest: unknown[]) => unknown).apply(target, rest)
        await pause(Math.random() * most)
        return result
      }
    },
  })
}

export interface Seen {
  /** The signals that the adapter of `averias` received, by id. */
  readonly signals: Map<string, AbortSignal>
}

function troubled(seen: Seen): Adapter<{ id: string; x?: number }, string> {
  const trouble = (id: string, call: { readonly signal: AbortSignal }): never | Promise<never> => {
    seen.signals.set(id, call.signal)
    if (id.startsWith('hang')) return new Promise<never>(() => {})
    if (id === 'down') throw new Unavailable({ retryAfter: 7 })
    if (id === 'refused') throw Object.assign(new Error('The quota is used up.'), { status: 429, expose: true })
    if (id === 'nothing') throw undefined
    if (id === 'secret') throw new Error('password=hunter2 at db.internal')
    if (id === 'unwritable') throw new HttpProblem('rule', { headers: { 'X-Broken': 'a\r\nb' } })
    if (id === 'uncodable')
      throw new HttpProblem('rule', { errors: [{ detail: 'x', allowed: [1n as unknown as number] }] })
    throw new Error(id)
  }
  const record = (id: string) => ({ value: { id, x: 1 }, version: '1' })
  return {
    async list(_request, call) {
      return trouble('list', call)
    },
    read([id = ''], call) {
      if (id === 'unversioned') return [{ value: { id }, version: 3 as unknown as string }]
      if (id === 'keyless') return [{ value: {} as { id: string }, version: '1' }]
      if (id === 'garbage') return 'garbage' as never
      if (id.startsWith('write')) return [record(id)]
      if (id.startsWith('odd')) return [{ value: { id }, version: id }]
      return trouble(id, call)
    },
    create: (value, call) => trouble(value.id, call),
    replace(id, value, expected, call) {
      if (id.startsWith('odd')) return expected === undefined || expected === id ? { value, version: id } : 'stale'
      if (id === 'write-stale') return 'stale'
      if (id === 'write-undefined') return undefined as never
      return trouble(id.replace('write-', ''), call)
    },
    remove: (id, _expected, call) => trouble(id, call),
  }
}

const writtenBy = {
  onCreate: <T>(value: T) => ({ ...value, creadoPor: 'store' }),
  onUpdate: <T>(value: T) => ({ ...value, creadoPor: 'store' }),
}

/**
 * 12 pieces with increasing weights. The weight of every fourth piece is null. The pieces belong to
 * the contracts C1 and C2 in turn, except the sixth (it links to a contract that does not exist)
 * and the seventh (it has no contract).
 */
export const pieces = Array.from({ length: 12 }, (_, i) => ({
  numero: i + 1,
  lote: i < 6 ? 'A' : 'B',
  peso: i % 4 === 3 ? null : i / 2,
  estado: (['nueva', 'enviada', 'entregada'] as const)[i % 3] ?? 'nueva',
  fecha: `2024-01-${String(i + 1).padStart(2, '0')}T08:00:00.0000001`,
  marcas: i % 2 === 0 ? ['fragil'] : [],
  destino: { calle: `Calle Mayor ${i}`, cp: i === 0 ? null : 28000 + i },
  creadoPor: 'store',
  secreto: `s${i}`,
  contratoId: i === 5 ? 'ausente' : i === 6 ? null : i % 2 === 0 ? 'C1' : 'C2',
  notaId: i === 0 ? 'a/b?c#d' : null,
  sitio: i === 0 ? { href: '/sucursales/MAD', ciudad: 'Madrid' } : null,
}))

export function data(counts: Counts = {}, seen: Seen = { signals: new Map() }) {
  const contracts = memoryAdapter(contratos, {
    records: [
      { codigo: 'C1', descripcion: 'uno', esUrgente: true, estaActivo: true, clienteId: 1 },
      { codigo: 'C2', descripcion: 'dos', esUrgente: false, estaActivo: false, clienteId: null },
    ],
  })
  return {
    clientes: memoryAdapter(clientes, {
      records: [
        { id: 1, nombre: 'Ana' },
        { id: 2, nombre: 'Bea' },
      ],
    }),
    contratos: contracts,
    carteras: memoryAdapter(carteras, { records: [{ id: 'k1' }, { id: 'k2' }] }),
    piezas: memoryAdapter(piezas, { records: pieces, ...writtenBy }),
    componentes: memoryAdapter(componentes, {
      records: [
        { numeroDeCabecera: 1, secuencia: 1, nombre: 'tapa' },
        { numeroDeCabecera: 1, secuencia: 2, nombre: 'fondo' },
        { numeroDeCabecera: 2, secuencia: 1, nombre: 'tapa' },
      ],
    }),
    notas: memoryAdapter(notas, { records: [{ id: 'a/b?c#d', texto: 'x', anteriorId: null }] }),
    tramos: memoryAdapter(tramos),
    documentos: memoryAdapter(documentos, {
      records: [
        { id: 'd1', de: 'ana', titulo: 'suyo' },
        { id: 'd2', de: 'eva', titulo: 'ajeno' },
      ],
    }),
    sucursales: memoryAdapter(sucursales, { records: [{ nomenclatura: 'MAD', abierta: true }] }),
    bolsas: memoryAdapter(bolsas, { records: [{ id: 1 }, { id: 2 }] }),
    facturas: memoryAdapter(facturas, { records: [{ id: 1 }, { id: 2 }, { id: 3 }] }),
    averias: troubled(seen),
    counts,
    seen,
  }
}

export type Data = ReturnType<typeof data>

export function build(from: Data, options: Partial<ApiOptions> = {}): Middleware {
  const { counts } = from
  const readOnly: Adapter<{ nomenclatura: string; abierta?: boolean }, string> = {
    list: (request, call) => from.sucursales.list(request, call),
    read: (keys, call) => from.sucursales.read(keys, call),
  }
  const orders: Adapter<{ id: string }, string> = {
    list: () => ({ items: [] }),
    read: (keys) => keys.map(() => undefined),
    create: ({ id }) => (id === 'later' ? { accepted: id } : { nothing: true }),
  }
  const current = [
    mount(clientes, from.clientes),
    mount(contratos, counting('contratos', from.contratos, counts)),
    mount(carteras, from.carteras),
    mount(piezas, counting('piezas', from.piezas, counts)),
    mount(componentes, from.componentes),
    mount(notas, counting('notas', from.notas, counts)),
    mount(tramos, from.tramos),
    mount(documentos, from.documentos),
    mount(sucursales, readOnly),
    mount(bolsas, withRandomDelays(from.bolsas)),
    mount(encargos, orders),
    mount(facturas, from.facturas, { area: 'tax', item: ['GET', 'DELETE'] }),
    // An adapter must throw only problems that the mount declares.
    mount(averias, from.averias, {
      describe: { operations: { read: { problems: ['rule', 'too-many-requests'] } } },
    }),
    endpoint('search', {
      description: 'Looks for a text everywhere.',
      methods: {
        GET: {
          query: { properties: { q: text, n: { type: 'integer' } }, required: ['q'] },
          handle: ({ query }) => ({ found: query.q, n: query.n ?? null }),
        },
      },
    }),
    endpoint('informes', {
      description: 'Starts a report.',
      methods: {
        POST: {
          body: { type: 'object', required: ['como'], properties: { como: text } },
          describe: { responses: { 201: {}, 202: {}, 204: {} } },
          handle: ({ body }) => {
            switch ((body as { como: string }).como) {
              case 'luego':
                return endpointReply({ status: 202, headers: { location: '/v8/notas/7' } })
              case 'sin sitio':
                return endpointReply({ status: 201, body: { id: 7 } })
              case 'vacio':
                return endpointReply({ status: 204, body: { never: 'sent' } })
              case 'nunca':
                return new Promise(() => {})
              default:
                return undefined
            }
          },
        },
      },
    }),
  ]
  return api({
    timeout: 400,
    bodyLimit: 20_000,
    principal: (req) => {
      const name = req.headers['x-user'] ?? 'ana'
      if (name === 'nobody') throw new HttpProblem('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
      if (name === 'hang') return new Promise(() => {})
      return { name }
    },
    onError: () => {},
    versions: {
      v1: {
        resources: [
          mount(
            contratosV1,
            adapterView(from.contratos, { rename: { nombre: 'descripcion' }, hides: ['estaActivo', 'clienteId'] }),
          ),
        ],
        deprecated: '2024-01-01T00:00:00Z',
        sunset: '2099-01-01T00:00:00Z',
        successor: 'v8',
      },
      v8: { resources: current, routes: handWritten },
      v0: 'retired',
      v2: {
        resources: [mount(contratosV1, adapterView(from.contratos, { rename: { nombre: 'descripcion' } }))],
        sunset: '2020-01-01',
        retireAtSunset: true,
      },
    },
    ...options,
  })
}

/**
 * Hand-written routes: `/a-mano` responds, `/a-medias` fails halfway, and `/roto` fails. All other
 * paths call `next()`.
 */
export function handWritten(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
  const { url } = req
  if (url === '/a-mano') res.writeHead(200, { 'Content-Type': 'text/plain' }).end('by hand')
  else if (url === '/a-medias') {
    res.write('half')
    next(new Error('broken'))
  } else if (url === '/roto') next(new HttpProblem('forbidden'))
  else next()
}

// --- the service, and a client that returns responses unchanged ---

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the members that it reads
  readonly json: any
}

type Send = (
  method: string,
  path: string,
  headers?: Record<string, string | string[]>,
  body?: unknown,
) => Promise<Answer>

export interface Served {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly send: Send
  readonly data: Data
  close(): Promise<void>
}

/** Serves a handler on a free port. */
export async function listen(handler: http.RequestListener): Promise<Omit<Served, 'data'>> {
  const server = http.createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    send: (method, path, headers = {}, body) => request(port, agent, method, path, headers, body),
    close: () =>
      new Promise<void>((resolve) => {
        agent.destroy()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export async function serve(
  express: Express,
  options: Partial<ApiOptions> = {},
  before: readonly Middleware[] = [],
): Promise<Served> {
  const from = data()
  const app = express()
  for (const middleware of before) app.use(middleware)
  app.use(build(from, options))
  return { ...(await listen(app)), data: from }
}

/** Starts a service that all tests of a suite share. The service is closed after the suite. */
export function shared(express: Express): Pick<Served, 'send' | 'origin' | 'port'> {
  let service: Served | undefined
  const found = (): Served => service as Served
  beforeAll(async () => {
    service = await serve(express)
  })
  afterAll(() => service?.close())
  return {
    send: (...rest) => found().send(...rest),
    get origin() {
      return found().origin
    },
    get port() {
      return found().port
    },
  }
}

/**
 * Sends a request. Neither normalizes the path nor follows redirects. A body that is neither a
 * string nor bytes is sent as JSON. A request with a body gets `Content-Type: application/json`,
 * unless it has a `Content-Type`. It gets a `Content-Length`, unless it has a `Content-Length` or
 * `Transfer-Encoding`.
 */
function request(
  port: number,
  agent: http.Agent,
  method: string,
  path: string,
  headers: Record<string, string | string[]>,
  body: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const bytes =
      body === undefined
        ? undefined
        : typeof body === 'string' || body instanceof Uint8Array
          ? body
          : JSON.stringify(body)
    const typed = bytes === undefined || hasType(headers) ? headers : { 'Content-Type': 'application/json', ...headers }
    const sized =
      bytes === undefined || hasLength(typed) ? typed : { ...typed, 'Content-Length': String(Buffer.byteLength(bytes)) }
    const req = http.request({ host: '127.0.0.1', port, agent, method, path, headers: sized }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const all = Buffer.concat(chunks).toString()
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: all,
          json: all === '' ? undefined : parsed(all),
        })
      })
    })
    req.on('error', reject)
    req.end(bytes)
  })
}

const hasType = (headers: Record<string, unknown>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
const hasLength = (headers: Record<string, unknown>): boolean =>
  Object.keys(headers).some((name) => ['content-length', 'transfer-encoding'].includes(name.toLowerCase()))

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * Sends bytes over a new connection. Returns everything that arrives until the server closes the
 * connection, or until nothing more has arrived for `quiet` ms. Waits for the first bytes for at
 * most 3 seconds.
 */
export function wire(port: number, bytes: string | Buffer, quiet = 150): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    let all = ''
    let timer: NodeJS.Timeout | undefined
    const done = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(all)
    }
    const wait = (): void => {
      clearTimeout(timer)
      timer = setTimeout(done, quiet)
    }
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      all += chunk.toString('latin1')
      wait()
    })
    socket.on('error', done)
    socket.on('close', done)
    timer = setTimeout(done, 3_000)
  })
}

/**
 * Returns the status and the code of a problem (ERR-3). `named` contains the parameters, pointers
 * or header fields that the `errors` of the problem name.
 */
export function problem(answer: Answer): { status: number; code: unknown; named: unknown[] } {
  const { errors = [] } = (answer.json ?? {}) as {
    errors?: { parameter?: string; pointer?: string; header?: string }[]
  }
  return {
    status: answer.status,
    code: answer.json?.code,
    named: errors.map(({ parameter, pointer, header }) => parameter ?? pointer ?? header),
  }
}
