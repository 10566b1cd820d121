import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Adapter,
  type AdapterCall,
  api,
  defineResource,
  type ListRequest,
  mount,
  type Refused,
} from '../../src/index.js'
import { listen, problem, type Served } from '../clauses/fixture.js'

const text = { type: 'string' } as const
const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text } },
})
const envios = defineResource({
  collection: 'envios',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: text,
      'a.b': text,
      fechaDeEntrada: text,
      clienteId: text,
      destinatario: { type: 'object', properties: { nombre: text, 'calle/1': text } },
    },
  },
  filters: {
    fechaDesde: { field: 'fechaDeEntrada', op: 'gte' },
    fechaHasta: { field: 'fechaDeEntrada', op: 'lt' },
    'destinatario.nombre': true,
  },
  sort: ['fechaDeEntrada'],
  search: ['fechaDeEntrada'],
  links: { cliente: { to: clientes, by: 'clienteId' } },
  attachedTo: [{ of: clientes, by: 'clienteId' }],
})
let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

const stored = (id: string) => ({ value: { id }, version: '1' })

async function serve(refused: Refused, seen: ListRequest[] = [], calls: [string, AdapterCall][] = []) {
  const reads = (keys: readonly string[], call: AdapterCall) => {
    calls.push(['read', call])
    return keys.map((id) => stored(id))
  }
  const people: Adapter<{ id: string }, string> = { list: () => ({ items: [], total: 0 }), read: reads }
  const adapter: Adapter<object, string> = {
    list(request, call) {
      seen.push(request)
      calls.push(['list', call])
      const refuses = request.where.length > 0 || request.search !== undefined || request.seek !== undefined
      return refuses ? { items: [], refused } : { items: [stored('x')], total: 9, more: true, seekable: true }
    },
    read: reads,
    create: () => refused,
    replace(_key, _value, _expected, call) {
      calls.push(['replace', call])
      return refused
    },
  }
  const entries = [mount(clientes, people), mount(envios, adapter as never)]
  open = await listen(express().use(api({ versions: { v1: entries }, timeout: 5_000, onError: () => {} })))
  return open.send
}

describe('a list request that the store refuses', () => {
  const unfit = (members: string[]): Refused => ({
    refused: 'rule',
    members,
    why: 'holds U+0000, which this store cannot keep',
  })

  it("QUERY-1: the problem names every filter of a refused member, and gives the store's reason", async () => {
    const send = await serve(unfit(['fechaDeEntrada', 'destinatario.nombre']))
    const answer = await send('GET', '/v1/envios?fechaHasta=%00&fechaDesde=a&destinatario.nombre=x&limit=3')
    expect(problem(answer)).toEqual({
      status: 400,
      code: 'invalid-query',
      named: ['fechaDesde', 'fechaHasta', 'destinatario.nombre'],
    })
    expect(answer.json.errors[0]).toMatchObject({
      detail: '"fechaDesde" holds U+0000, which this store cannot keep.',
      code: 'rule',
      clause: 'QUERY-1',
    })
    expect(problem(await send('GET', '/v1/envios?fechaDesde=%00')).named).toEqual(['fechaDesde'])
  })

  it('QUERY-3: if the store names no members, the problem names the parameter "q"', async () => {
    const send = await serve(unfit([]))
    const { json } = await send('GET', '/v1/envios?q=%00')
    expect(json.errors).toEqual([
      { parameter: 'q', detail: '"q" holds U+0000, which this store cannot keep.', code: 'rule', clause: 'QUERY-3' },
    ])
  })

  it('QUERY-7: a cursor whose values the store refuses is reported as invalid', async () => {
    const send = await serve(unfit(['fechaDeEntrada']))
    const { link } = (await send('GET', '/v1/envios?sort=fechaDeEntrada&limit=1')).headers
    const [, next = ''] = /<http:\/\/[^/]*([^>]*)>; rel="next"/.exec(String(link)) ?? []
    expect((await send('GET', next)).json.errors).toEqual([
      expect.objectContaining({ parameter: 'after', code: 'hint', clause: 'QUERY-7' }),
    ])
  })

  it('QUERY-1: if the refused value did not come from the query string, no record matches', async () => {
    const send = await serve(unfit(['clienteId']))
    const { status, json, headers } = await send('GET', '/v1/envios?fechaDesde=a')
    expect([status, json, headers['x-total-count']]).toEqual([200, [], '0'])
    expect((await send('GET', '/v1/clientes/c/envios/x')).status).toBe(404)
  })

  it('QUERY-1: a refusal without a reason gets a message of the library', async () => {
    const send = await serve({ refused: 'rule', members: ['fechaDeEntrada'] })
    expect((await send('GET', '/v1/envios?fechaDesde=a')).json.detail).toBe(
      '"fechaDesde" violates a rule of the store.',
    )
  })
})

describe('a record that the store refuses', () => {
  const refusal = async (refused: Refused) => (await (await serve(refused))('POST', '/v1/envios', {}, { id: 'n' })).json

  it('ERR-2: the members that the store names become pointers into the request body', async () => {
    const members = ['destinatario.nombre', 'destinatario.calle/1', 'a.b', 'clienteId']
    const { status, code, errors } = await refusal({ refused: 'duplicate', members })
    expect([status, code]).toEqual([422, 'duplicate'])
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/destinatario/nombre',
      '/destinatario/calle~11',
      '/a.b',
      '/cliente',
    ])
    expect(errors.at(-1).detail).toBe('"cliente" is taken already.')
    expect(errors[0].detail).toBe('"destinatario.nombre" is taken already.')
  })

  it('ERR-2: the detail is the reason that the store gives, or else a message of the library', async () => {
    const why = 'holds a date with seven digits, of which this store keeps six'
    expect((await refusal({ refused: 'rule', members: ['clienteId'], why })).detail).toBe(`"cliente" ${why}.`)
    await open?.close()
    expect(await refusal({ refused: 'rule', members: [], why })).toMatchObject({
      status: 422,
      code: 'rule',
      detail: `The record ${why}.`,
    })
    await open?.close()
    expect((await refusal({ refused: 'rule', members: [] })).detail).toBe('The record violates a rule of the store.')
  })
})

describe('calls of the adapter', () => {
  it('HDR-3: the adapter calls of a write require fresh data, and contain the remaining time of the request', async () => {
    const calls: [string, AdapterCall][] = []
    const send = await serve({ refused: 'rule', members: [] }, [], calls)
    const madeCalls = () => calls.splice(0).map(([name, { fresh }]) => [name, fresh])
    await send('GET', '/v1/envios?expand=cliente')
    await send('HEAD', '/v1/envios/x')
    expect(madeCalls()).toEqual([
      ['list', false],
      ['read', false],
    ])
    await send('PATCH', '/v1/envios/x', {}, { cliente: { id: 'c' } })
    await send('POST', '/v1/clientes/c/envios', {}, { id: 'n' })
    expect([...new Set(calls.map(([name]) => name))]).toEqual(['read', 'replace'])
    const left = calls[0]?.[1].left?.() ?? 0
    expect(left > 0 && left <= 5_000).toBe(true)
    expect(madeCalls().every(([, fresh]) => fresh)).toBe(true)
  })
})
