/**
 * Tests that a request and a call of `records()` with the same random body have the same result.
 */
import express from 'express'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import {
  type Adapter,
  type Api,
  api,
  defineResource,
  mount,
  type RefusedRecord,
  type Violation,
  type WrittenRecord,
} from '../../../src/index.js'
import { type ViolationCode, violationKinds } from '../../../src/violation.js'
import { listen, type Served } from '../../clauses/fixture.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import { size } from '../../size.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: {
      id: { type: 'integer', minimum: 0 },
      total: { type: 'number', minimum: 0, maximum: 1000 },
      estado: { type: 'string', enum: ['abierto', 'anulado'], default: 'abierto' },
      nota: { type: ['string', 'null'], maxLength: 5 },
      alta: { type: ['string', 'null'], format: 'local-date-time' },
      destino: {
        type: ['object', 'null'],
        required: ['calle'],
        properties: { calle: { type: 'string' }, cp: { type: 'integer', default: 1 } },
      },
      clienteId: { type: ['integer', 'null'] },
      creado: { type: 'string', readOnly: true },
      secreto: { type: 'string', writeOnly: true },
    },
  },
  links: { cliente: { to: clientes, by: 'clienteId' } },
  rules: (next, { current }) =>
    next.total === 7 || (current?.estado === 'anulado' && next.estado === 'abierto')
      ? [{ member: 'estado', detail: 'Not so.', code: 'closed', params: { was: current?.estado ?? null } }]
      : [],
  scope: () => ({ creado: 'aqui' }),
})

const baseUrl = 'https://api.example.com'
type Stores = readonly [clientes: Adapter<never, never>, pedidos: Adapter<never, never>]
const serviceOver = ([first, second]: Stores): Api =>
  api({
    baseUrl,
    principal: () => 'ana',
    permission: (_, action, resource, key) =>
      (resource === 'pedidos' && key === 6) || action === 'list'
        ? 'forbidden'
        : resource === 'clientes' && key === 3
          ? 'forbidden'
          : 'allow',
    onError: () => {},
    versions: { v1: [mount(clientes, first as never), mount(pedidos, second as never)] },
  })

const key = fc.integer({ min: 0, max: 7 })
const odd = fc.constantFrom<unknown>(null, 'x', -1, 1.5, [], {}, true, 'abierto', '\u0000', 2 ** 53)
const link = fc.oneof(
  key.map((id) => ({ id })),
  key.map((id) => ({ href: `${baseUrl}/v1/clientes/${id}`, more: 1 })),
  key.map((id) => ({ href: `/v1/clientes/${id}` })),
  fc.constantFrom({ href: `${baseUrl}/v1/pedidos/1` }, { href: null }),
)
const body = fc.record(
  {
    id: fc.oneof({ weight: 4, arbitrary: key }, odd),
    total: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 9 }) }, odd),
    estado: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('abierto', 'anulado') }, odd),
    nota: fc.oneof(fc.constantFrom('hola', 'demasiado'), odd),
    alta: fc.oneof(fc.constantFrom('2024-01-31T08:30:00', '2024-01-31T08:30:00.1234567', '2024'), odd),
    destino: fc.oneof(fc.constantFrom<unknown>({ calle: 'a' }, { cp: 2 }, { calle: 'a', x: 1 }), odd),
    cliente: fc.oneof({ weight: 3, arbitrary: link }, odd),
    creado: fc.constantFrom('aqui', 'otro'),
    secreto: fc.string({ maxLength: 3 }),
    totla: fc.constant(1),
  },
  { requiredKeys: [] },
)
const call = fc.record({
  method: fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'DELETE'),
  key,
  body,
  stale: fc.boolean(),
})
type Call = typeof call extends fc.Arbitrary<infer C> ? C : never

interface Said {
  readonly status: number
  readonly code?: unknown
  readonly detail?: unknown
  readonly errors?: readonly Violation[]
}

const reported = ({
  status,
  code,
  detail,
  errors,
}: {
  status: number
  code: unknown
  detail: unknown
  errors?: readonly Violation[]
}): Said => ({
  status,
  code,
  detail,
  errors: errors ?? [],
})

async function byRequest({ send }: Pick<Served, 'send'>, { method, key: id, body: sent, stale }: Call): Promise<Said> {
  const path = method === 'POST' ? '/v1/pedidos' : `/v1/pedidos/${id}`
  const conditions = stale && method !== 'POST' ? { 'if-match': '"none.x"' } : {}
  const { status, json } = await send(method, path, conditions, method === 'DELETE' ? undefined : sent)
  return status < 300 ? { status } : reported(json)
}

async function byRecords(service: Api, within: unknown, { method, key: id, body: sent, stale }: Call): Promise<Said> {
  const own = service.records(pedidos, { principal: 'ana', ...(within === undefined ? {} : { within }) })
  const expected = stale ? { expected: 'none' } : {}
  const given = structuredClone(sent)
  const result: WrittenRecord<unknown, unknown> | { readonly removed: true } | RefusedRecord =
    method === 'POST'
      ? await own.create(sent as never)
      : method === 'PUT'
        ? await own.replace(id, sent as never, expected)
        : method === 'PATCH'
          ? await own.patch(id, sent as never, expected)
          : await own.remove(id, expected)
  expect(sent, 'records() does not change the given body').toEqual(given)
  if ('problem' in result) return reported(result.problem as never)
  return { status: method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200 }
}

function checkParams({ errors = [] }: Said): void {
  for (const { code = '', params = {} } of errors) {
    if (code === 'closed') continue
    expect(violationKinds).toHaveProperty([code])
    const names: readonly string[] = violationKinds[code as ViolationCode]
    expect(names.map((name) => name.replace('?', ''))).toEqual(expect.arrayContaining(Object.keys(params)))
    expect(Object.keys(params)).toEqual(expect.arrayContaining(names.filter((name) => !name.endsWith('?'))))
  }
}

const start = [0, 1, 2, 3].map((id) => ({ id }))
const orders = [
  { id: 0, total: 1, estado: 'abierto', creado: 'aqui', clienteId: 1 },
  { id: 1, total: 2, estado: 'anulado', creado: 'aqui', clienteId: 9, secreto: 's' },
  { id: 2, total: 3, estado: 'abierto', creado: 'otro' },
]
const walk = fc.array(call, { minLength: 1, maxLength: 6 })

/**
 * Sends requests to one store, and makes the same changes in another store through `records()`. The
 * results must be equal.
 */
async function compare(
  requests: Pick<Served, 'send'>,
  service: Api,
  within: unknown,
  calls: readonly Call[],
): Promise<void> {
  for (const one of calls) {
    const said = await byRequest(requests, one)
    expect(await byRecords(service, within, one)).toEqual(said)
    checkParams(said)
  }
}

describe('requests and records() give the same results and store the same records', () => {
  const closing: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  it('with memory stores', async () => {
    const [asked, own] = [0, 1].map(() => [
      memoryAdapter(clientes, { records: start }),
      memoryAdapter(pedidos),
    ]) as unknown as [Stores, Stores]
    const served = await listen(express().use(serviceOver(asked)))
    closing.push(() => served.close())
    const service = serviceOver(own)
    await fc.assert(
      fc.asyncProperty(walk, async (calls) => {
        for (const [, adapter] of [asked, own]) await refill(adapter as never)
        await compare(served, service, undefined, calls)
        expect(await records(own[1] as never)).toEqual(await records(asked[1] as never))
      }),
      { numRuns: size(25, 100) },
    )
  }, 120_000)

  const plain = { principal: undefined, scope: {}, requestId: '', signal: new AbortController().signal }

  async function refill(adapter: Adapter<unknown, unknown>): Promise<void> {
    for (const value of await records(adapter)) await adapter.remove?.((value as { id: number }).id, undefined, plain)
    for (const order of orders) await adapter.create?.(order, plain)
  }

  /** All records of an adapter, without their versions. */
  async function records(adapter: Adapter<unknown, unknown>): Promise<readonly unknown[]> {
    const sort = [{ field: 'id', path: ['id'], descending: false }]
    return (await adapter.list({ where: [], sort, page: 1, size: 100, offset: 0 }, plain)).items.map(
      ({ value }) => value,
    )
  }

  const table = (name: string) => ({ table: name, version: { column: 'v' } }) as const
  const ddl = (prefix: string) =>
    [
      tableDdl(clientes, table(`${prefix}clientes`) as never),
      tableDdl(pedidos, table(`${prefix}pedidos`) as never),
    ].join(';\n')
  const storesIn = (client: never, prefix: string) =>
    [
      postgresAdapter(client, { ...table(`${prefix}clientes`), resource: clientes } as never),
      postgresAdapter(client, { ...table(`${prefix}pedidos`), resource: pedidos } as never),
    ] as unknown as Stores
  const fill = async (sql: (text: string) => Promise<unknown>, prefix: string) => {
    await sql(`DELETE FROM ${prefix}pedidos; DELETE FROM ${prefix}clientes;
      INSERT INTO ${prefix}clientes (id) VALUES (0), (1), (2), (3);
      INSERT INTO ${prefix}pedidos (id, total, estado, creado, cliente_id, secreto)
        VALUES (0, 1, 'abierto', 'aqui', 1, NULL), (1, 2, 'anulado', 'aqui', 9, 's'), (2, 3, 'abierto', 'otro', NULL, NULL)`)
  }

  it('with PostgreSQL, in transactions that are committed or rolled back', async () => {
    const place: Place = await freshSchema()
    closing.push(() => place.drop())
    await place.sql(`${ddl('a_')};\n${ddl('b_')}`)
    const pool = new pg.Pool({ connectionString: place.url, max: 4 })
    closing.push(() => pool.end())
    const served = await listen(express().use(serviceOver(storesIn(pool as never, 'a_'))))
    closing.push(() => served.close())
    const own = serviceOver(storesIn(pool as never, 'b_'))
    await own.ready()
    const stored = (prefix: string) =>
      place.sql(`SELECT to_jsonb(p) - 'v' AS record FROM ${prefix}pedidos p ORDER BY id`)
    await fc.assert(
      fc.asyncProperty(walk, fc.boolean(), async (calls, commits) => {
        for (const prefix of ['a_', 'b_']) await fill((text) => place.sql(text), prefix)
        const before = await stored('b_')
        const tx = await pool.connect()
        try {
          await tx.query('BEGIN')
          await compare(served, own, tx, calls)
          expect(await stored('b_')).toEqual(before)
          await tx.query(commits ? 'COMMIT' : 'ROLLBACK')
        } finally {
          tx.release()
        }
        expect(await stored('b_')).toEqual(commits ? await stored('a_') : before)
      }),
      { numRuns: size(6, 20) },
    )
  }, 120_000)

  it('with PGlite, in one transaction', async () => {
    const { client, release } = await lentPglite()
    closing.push(release)
    await client.exec(`${ddl('a_')};\n${ddl('b_')}`)
    const served = await listen(express().use(serviceOver(storesIn(client as never, 'a_'))))
    closing.push(() => served.close())
    const own = serviceOver(storesIn(client as never, 'b_'))
    const stored = async (prefix: string) =>
      (await client.query(`SELECT to_jsonb(p) - 'v' AS record FROM ${prefix}pedidos p ORDER BY id`)).rows
    await fc.assert(
      fc.asyncProperty(walk, async (calls) => {
        for (const prefix of ['a_', 'b_']) await fill((text) => client.exec(text), prefix)
        // PGlite has only one connection. The requests run first, because during the transaction
        // they would wait for the connection.
        const said: Said[] = []
        for (const one of calls) said.push(await byRequest(served, one))
        await client.transaction(async (tx) => {
          for (const [i, one] of calls.entries()) expect(await byRecords(own, tx, one)).toEqual(said[i])
        })
        expect(await stored('b_')).toEqual(await stored('a_'))
      }),
      { numRuns: size(4, 12) },
    )
  }, 120_000)
})
