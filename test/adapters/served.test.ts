import express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type Adapter, adapterView, api, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'

type Row = Record<string, unknown>

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo'],
    properties: {
      codigo: { type: 'string' },
      titular: { type: ['integer', 'null'] },
      pagador: { type: ['integer', 'null'] },
    },
  },
  attachedTo: [
    { of: clientes, by: 'titular' },
    { of: clientes, by: 'pagador', as: 'facturas' },
  ],
})

describe('adapters behind a service', () => {
  it('PATH-7: a write through one association does not set another association with the same parent', async () => {
    const data = memoryAdapter(contratos, { records: [{ codigo: 'a' }] })
    const entries = [mount(clientes, memoryAdapter(clientes, { records: [{ id: 5 }] })), mount(contratos, data)]
    const { send, close } = await listen(express().use(api({ versions: { v1: entries } })))
    expect((await send('PUT', '/v1/clientes/5/facturas/a')).status).toBe(204)
    expect((await send('POST', '/v1/clientes/5/facturas', {}, { codigo: 'b' })).status).toBe(201)
    expect((await send('GET', '/v1/contratos')).json).toEqual([
      { codigo: 'a', titular: null, pagador: 5 },
      { codigo: 'b', titular: null, pagador: 5 },
    ])
    expect((await send('GET', '/v1/clientes/5/contratos')).json).toEqual([])
    const { json, headers } = await send('GET', '/v1/clientes/5/facturas?limit=1')
    expect(json).toHaveLength(1)
    expect(headers.link).toContain('/v1/clientes/5/facturas?')
    await close()
  })

  it('HDR-3: through a view, PUT and DELETE succeed after a lost race, but a PUT with If-Match gets 412', async () => {
    const data = memoryAdapter(contratos, { records: [{ codigo: 'a', pagador: 1 }] }) as unknown as Required<
      Adapter<Row, string>
    >
    let races = 2
    const busy = {
      ...data,
      async replace(...[key, value, expected, call]: Parameters<typeof data.replace>) {
        if (races-- > 0) await data.replace('a', { codigo: 'a', pagador: 2 }, undefined, call)
        return data.replace(key, value, expected, call)
      },
      remove: (...[key, expected, call]: Parameters<typeof data.remove>) =>
        races-- > 0 ? 'stale' : data.remove(key, expected, call),
    }
    const older = defineResource({
      collection: 'contratos',
      key: 'codigo',
      schema: {
        type: 'object',
        required: ['codigo'],
        properties: { codigo: { type: 'string' }, titular: { type: ['integer', 'null'] } },
      },
    })
    const { send, close } = await listen(
      express().use(api({ versions: { v1: [mount(older, adapterView(busy, { hides: ['pagador'] }) as never)] } })),
    )
    expect((await send('PUT', '/v1/contratos/a', {}, { titular: 7 })).status).toBe(200)
    expect(
      (
        await data.read(['a'], { principal: undefined, scope: {}, requestId: '', signal: new AbortController().signal })
      )[0]?.value,
    ).toEqual({
      codigo: 'a',
      titular: 7,
      pagador: 2,
    })
    const { headers } = await send('GET', '/v1/contratos/a')
    races = 1
    expect((await send('PUT', '/v1/contratos/a', { 'If-Match': headers.etag as string }, { titular: 8 })).status).toBe(
      412,
    )
    races = 1
    expect((await send('DELETE', '/v1/contratos/a')).status).toBe(204)
    await close()
  })
})
