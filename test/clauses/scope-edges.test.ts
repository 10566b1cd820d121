/**
 * Row-level scopes together with parents in the URL, links, searches, slow writes and flags.
 */
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  type ApiOptions,
  api,
  ConfigurationError,
  defineResource,
  type Mount,
  mount,
} from '../../src/index.js'
import { callOf, listRequest } from '../adapters/memory/requests.js'
import { listen, type Served } from './fixture.js'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const integer = { type: 'integer' } as const
const mine = (principal: unknown) => ({ empresa: String(principal) })

let served: Omit<Served, 'data'> | undefined
afterEach(() => served?.close())

async function serve(mounts: readonly Mount[], options: Partial<ApiOptions> = {}) {
  served = await listen(
    express().use(
      api({ versions: { v1: mounts }, principal: ({ headers }) => headers['x-tenant'], onError: () => {}, ...options }),
    ),
  )
  const { send } = served
  return (tenant: string, method: string, path: string, body?: unknown, headers = {}) =>
    send(method, `/v1/${path}`, { 'x-tenant': tenant, 'x-request-id': 'r', ...headers }, body)
}

const documentos = defineResource({
  collection: 'documentos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'empresa'],
    properties: { id: text, empresa: text, titulo: textOrNull, publico: { type: 'boolean', default: false } },
  },
  search: ['titulo'],
  flags: { publico: 'publico' },
  scope: mine,
})

describe('a scope together with the parent in the URL', () => {
  const empresas = defineResource({
    collection: 'empresas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: text } },
  })
  const partes = defineResource({
    collection: 'partes',
    key: ['empresa', 'numero'],
    schema: {
      type: 'object',
      required: ['empresa', 'numero'],
      properties: { empresa: text, numero: integer, texto: textOrNull },
    },
    parent: { of: empresas, by: 'empresa' },
    scope: mine,
  })
  const parts = () =>
    memoryAdapter(partes, { records: [1, 2].flatMap((numero) => ['a', 'b'].map((empresa) => ({ empresa, numero }))) })

  it('PATH-7: a POST below the parent of another tenant gets 422 and stores nothing', async () => {
    const data = parts()
    const send = await serve([
      mount(empresas, memoryAdapter(empresas, { records: [{ id: 'a' }, { id: 'b' }] })),
      mount(partes, data),
    ])
    const refused = await send('a', 'POST', 'empresas/b/partes', { numero: 7 })
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([422, '/empresa'])
    expect((await send('a', 'POST', 'empresas/b/partes', { numero: 7, empresa: 'b' })).status).toBe(422)
    expect((await send('a', 'GET', 'empresas/a/partes')).headers['x-total-count']).toBe('2')
    expect((await send('b', 'GET', 'empresas/b/partes')).headers['x-total-count']).toBe('2')
    const made = await send('a', 'POST', 'empresas/a/partes', { numero: 7 })
    expect(made.headers.location).toMatch(/empresas\/a\/partes\/empresa=a,numero=7$/)
  })

  it('PATH-7: below the parent of another tenant, the list is empty and every item gets 404', async () => {
    const send = await serve([
      mount(empresas, memoryAdapter(empresas, { records: [{ id: 'a' }, { id: 'b' }] })),
      mount(partes, parts()),
    ])
    const list = await send('a', 'GET', 'empresas/b/partes')
    expect([list.status, list.json, list.headers['x-total-count']]).toEqual([200, [], '0'])
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'PUT' || method === 'PATCH' ? { texto: 'x' } : undefined
      for (const id of ['empresa=b,numero=1', 'empresa=a,numero=1']) {
        const there = await send('a', method, `empresas/b/partes/${id}`, body)
        expect(there.status, `${method} ${id}`).toBe(404)
      }
    }
    expect((await send('b', 'GET', 'empresas/b/partes')).json.map(({ texto }: { texto: unknown }) => texto)).toEqual([
      null,
      null,
    ])
  })
})

describe('scopes of containing resources', () => {
  const libros = defineResource({
    collection: 'libros',
    key: 'id',
    schema: { type: 'object', required: ['id', 'empresa'], properties: { id: text, empresa: text } },
    scope: mine,
  })
  const capitulos = defineResource({
    collection: 'capitulos',
    key: ['libro', 'n'],
    schema: { type: 'object', required: ['libro', 'n'], properties: { libro: text, n: integer } },
    parent: { of: libros, by: 'libro' },
  })
  const parrafos = defineResource({
    collection: 'parrafos',
    key: ['libro', 'n', 'm'],
    schema: {
      type: 'object',
      required: ['libro', 'n', 'm'],
      properties: { libro: text, n: integer, m: integer, texto: textOrNull },
    },
    parent: { of: capitulos, by: ['libro', 'n'] },
  })
  const citas = defineResource({
    collection: 'citas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: integer,
        libro: textOrNull,
        n: { type: ['integer', 'null'] },
        m: { type: ['integer', 'null'] },
      },
    },
    links: { parrafo: { to: parrafos, by: ['libro', 'n', 'm'], show: ['texto'] } },
  })

  it('REP-1, REP-2, REP-7: a link to a record below two parents respects the scope of the topmost parent', async () => {
    const reads: string[] = []
    const counted = <T, K>(name: string, adapter: Adapter<T, K>): Adapter<T, K> => ({
      ...adapter,
      read: (keys, call) => {
        reads.push(`${name} ${keys.length}`)
        return adapter.read(keys, call)
      },
    })
    const owners = ['a', 'b'] as const
    const send = await serve([
      mount(
        libros,
        counted(
          'libros',
          memoryAdapter(libros, { records: owners.map((empresa) => ({ id: `l${empresa}`, empresa })) }),
        ),
      ),
      mount(
        capitulos,
        counted(
          'capitulos',
          memoryAdapter(capitulos, { records: owners.map((empresa) => ({ libro: `l${empresa}`, n: 1 })) }),
        ),
      ),
      mount(
        parrafos,
        counted(
          'parrafos',
          memoryAdapter(parrafos, {
            records: owners.flatMap((empresa) =>
              [1, 2].map((m) => ({ libro: `l${empresa}`, n: 1, m, texto: `de ${empresa}` })),
            ),
          }),
        ),
      ),
      mount(
        citas,
        memoryAdapter(citas, {
          records: [
            { id: 1, libro: 'la', n: 1, m: 1 },
            { id: 2, libro: 'la', n: 1, m: 2 },
            { id: 3, libro: 'lb', n: 1, m: 1 },
          ],
        }),
      ),
    ])
    const shown = await send('a', 'GET', 'citas')
    expect(shown.json.map(({ parrafo }: { parrafo: { texto?: string } }) => parrafo.texto)).toEqual([
      'de a',
      'de a',
      undefined,
    ])
    expect(reads.sort()).toEqual(['capitulos 2', 'libros 2', 'parrafos 3'])
    const expanded = await send('a', 'GET', 'citas?expand=parrafo')
    expect(expanded.json.map(({ parrafo }: { parrafo: object }) => 'm' in parrafo)).toEqual([true, true, false])
    const body = (libro: string) => ({ parrafo: { libro, n: 1, m: 1 } })
    expect((await send('a', 'PATCH', 'citas/1', body('lb'))).json.errors).toEqual(
      (await send('a', 'PATCH', 'citas/1', body('lz'))).json.errors,
    )
    expect((await send('a', 'PATCH', 'citas/3', body('la'))).status).toBe(200)
    expect((await send('b', 'PATCH', 'citas/1', body('lb'))).status).toBe(200)
  })

  it('PATH-7: below a resource with a scope, a resource with "attachedTo" needs its own scope', () => {
    const grupos = defineResource({
      collection: 'grupos',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: text } },
    })
    const loose = defineResource({
      collection: 'parrafos',
      key: ['libro', 'n', 'm'],
      schema: { type: 'object', required: ['libro', 'n', 'm'], properties: { libro: text, n: integer, m: integer } },
      parent: { of: capitulos, by: ['libro', 'n'] },
      attachedTo: [{ of: grupos }],
    })
    const versions = (resource: typeof loose) => ({
      v1: [libros, capitulos, resource, grupos].map((one) => mount(one as never, memoryAdapter(one as never) as never)),
    })
    expect(() => api({ versions: versions(loose) })).toThrow(ConfigurationError)
    expect(() => api({ versions: versions(loose) })).toThrow(/"libros".*"parrafos" has no scope/)
    expect(() => api({ versions: versions({ ...loose, scope: () => ({ libro: 'la' }) }) })).not.toThrow()
  })
})

describe('a scope together with searches, slow changes and flags', () => {
  it('QUERY-3: the order of search results does not reveal how often other tenants use a word', async () => {
    const own = [
      { id: 'a1', empresa: 'a', titulo: 'uno' },
      { id: 'a2', empresa: 'a', titulo: 'dos' },
    ]
    const orders = new Set<string>()
    for (const titulo of ['uno', 'dos', 'tres']) {
      const others = Array.from({ length: 50 }, (_, i) => ({ id: `b${i}`, empresa: 'b', titulo }))
      const send = await serve([
        mount(documentos, memoryAdapter(documentos, { records: [...own, ...others] as never })),
      ])
      const { json } = await send('a', 'GET', 'documentos?q=uno%20OR%20dos')
      orders.add(json.map(({ id }: { id: string }) => id).join())
      await served?.close()
    }
    expect([...orders]).toEqual(['a1,a2'])
  })

  it('HDR-3: a slow change does not delay callers whose scope excludes the record', async () => {
    const data = memoryAdapter(documentos, { records: [{ id: 'b1', empresa: 'b' }] as never })
    let begun = (): void => {}
    let finish = (): void => {}
    const underWay = new Promise<void>((resolve) => {
      begun = resolve
    })
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = {
      ...data,
      async replace(...rest: Parameters<typeof data.replace>) {
        begun()
        await held
        return data.replace(...rest)
      },
    }
    const send = await serve([mount(documentos, slow)])
    const theirs = send('b', 'PATCH', 'documentos/b1', { titulo: 'largo' })
    await underWay
    // These responses arrive while the slow change is still running.
    const answers = await Promise.all(
      [{ titulo: 'x' }, {}]
        .map((body) => send('a', 'PATCH', 'documentos/b1', body))
        .concat(send('a', 'PUT', 'documentos/b1/publico')),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    finish()
    expect((await theirs).json.titulo).toBe('largo')
  })

  it('PATH-8: DELETE of a flag gets 422 if the scope requires the flag', async () => {
    const publicos = { ...documentos, scope: () => ({ publico: true }) }
    const records = [
      { id: '1', empresa: 'b', publico: true },
      { id: '2', empresa: 'b', publico: false },
    ]
    const send = await serve([mount(publicos, memoryAdapter(publicos, { records: records as never }))])
    const refused = await send('a', 'DELETE', 'documentos/1/publico')
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([422, '/publico'])
    expect((await send('a', 'GET', 'documentos/1/publico')).status).toBe(204)
    expect((await send('a', 'PUT', 'documentos/1/publico')).status).toBe(204)
    expect((await send('a', 'PUT', 'documentos/2/publico')).status).toBe(404)
  })
})

describe('the scope that an adapter receives', () => {
  const turnos = defineResource({
    collection: 'turnos',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id', 'dia'],
      properties: { id: integer, dia: { type: 'string', format: 'local-date-time' }, texto: textOrNull },
    },
    scope: (principal) => principal as { dia: string },
  })

  it('REP-4: date-times in the scope have seven fractional digits, like stored date-times', async () => {
    const data = memoryAdapter(turnos, { records: [{ id: 1, dia: '2024-01-01T00:00:00.5' }] as never })
    const send = await serve([mount(turnos, data)], { principal: () => ({ dia: '2024-01-01T00:00:00.50' }) })
    expect((await send('a', 'GET', 'turnos')).headers['x-total-count']).toBe('1')
    expect((await send('a', 'PATCH', 'turnos/1', { texto: 'x' })).status).toBe(200)
    expect((await send('a', 'POST', 'turnos', { id: 2 }, { prefer: 'return=representation' })).json.dia).toBe(
      '2024-01-01T00:00:00.5000000',
    )
  })

  it('a null value in the scope of a call matches no record of the memory adapter', () => {
    const data = memoryAdapter(turnos, { records: [{ id: 1, dia: '2024-01-01T00:00:00', texto: null }] as never })
    const call = callOf({ scope: { texto: null as never } })
    expect(data.read([1], call)).toEqual([undefined])
    expect(data.remove(1, undefined, call)).toBe('absent')
    expect(data.list(listRequest({ sort: 'id' }), call).items).toEqual([])
  })

  it('modifying the object that the scope function returned does not change the scope of its request', async () => {
    const given = { dia: '2024-01-01T00:00:00.0000000' }
    const scopes: unknown[] = []
    const data = memoryAdapter(turnos, { records: [{ id: 1, dia: given.dia }] as never })
    const meddling = {
      ...data,
      read(...[keys, call]: Parameters<typeof data.read>) {
        scopes.push(call.scope)
        Reflect.deleteProperty(given, 'dia')
        return data.read(keys, call)
      },
      replace(...rest: Parameters<typeof data.replace>) {
        scopes.push(rest[3].scope)
        return data.replace(...rest)
      },
    }
    const send = await serve([mount(turnos, meddling)], { principal: () => given })
    expect((await send('a', 'PATCH', 'turnos/1', { texto: 'x' })).status).toBe(200)
    expect(scopes).toEqual([{ dia: '2024-01-01T00:00:00.0000000' }, { dia: '2024-01-01T00:00:00.0000000' }])
  })
})
