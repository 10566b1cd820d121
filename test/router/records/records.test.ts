import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../../src/index.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, nombre: { type: 'string', default: '' } },
  },
})
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: {
      id: { type: 'integer' },
      total: { type: 'number', minimum: 0 },
      estado: { type: 'string', enum: ['abierto', 'anulado'], default: 'abierto' },
      clienteId: { type: ['integer', 'null'] },
      creado: { type: 'string', readOnly: true },
    },
  },
  links: { cliente: { to: clientes, by: 'clienteId' } },
  rules: (next) => (next.total === 13 ? [{ member: 'total', detail: 'Not 13.' }] : []),
})
const lineas = defineResource({
  collection: 'lineas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'pedidoId'],
    properties: { id: { type: 'integer' }, pedidoId: { type: 'integer' }, n: { type: 'integer', default: 1 } },
  },
  parent: { of: pedidos, by: 'pedidoId' },
})

function serve() {
  const data = { clientes: memoryAdapter(clientes), pedidos: memoryAdapter(pedidos), lineas: memoryAdapter(lineas) }
  const service = api({
    versions: { v1: [mount(clientes, data.clientes), mount(pedidos, data.pedidos), mount(lineas, data.lineas)] },
  })
  const as = { principal: undefined }
  return {
    service,
    data,
    clientes: service.records(clientes, as),
    pedidos: service.records(pedidos, as),
    lineas: service.records(lineas, as),
  }
}

describe('records() of a job', () => {
  it('creates, patches, replaces and removes records, with the same checks as for a request', async () => {
    const { clientes, pedidos } = serve()
    expect(await clientes.create({ id: 7 })).toMatchObject({
      record: { id: 7, nombre: '' },
      key: 7,
      href: '/v1/clientes/7',
    })
    expect(await pedidos.create({ id: 1, total: 5, clienteId: 7 })).toMatchObject({
      record: { id: 1, total: 5, estado: 'abierto', clienteId: 7 },
    })
    expect(await pedidos.create({ id: 2, total: 5, cliente: { href: '/v1/clientes/7' } })).toMatchObject({
      record: { clienteId: 7 },
    })
    expect(await pedidos.create({ id: 3, total: -1, clienteId: 8 })).toMatchObject({
      problem: { code: 'invalid-body', errors: [{ pointer: '/total' }] },
    })
    expect(await pedidos.create({ id: 3, total: 13, clienteId: 8 })).toMatchObject({
      problem: {
        errors: [
          { pointer: '/cliente', code: 'reference' },
          { pointer: '/total', code: 'rule' },
        ],
      },
    })
    const patched = await pedidos.patch(1, { estado: 'anulado' })
    if ('problem' in patched) throw patched.problem
    expect(patched.record.estado).toBe('anulado')
    expect(await pedidos.patch(1, { total: 6 }, { expected: 'no' })).toMatchObject({ problem: { code: 'stale' } })
    expect(await pedidos.replace(1, { ...patched.record, total: 9 }, { expected: patched.version })).toMatchObject({
      record: { total: 9, clienteId: 7 },
    })
    expect(await pedidos.remove(1)).toEqual({ removed: true })
    expect(await pedidos.remove(1)).toMatchObject({ problem: { code: 'absent' } })
  })

  it('creates many records, or reports the violations of each record', async () => {
    const { pedidos, lineas } = serve()
    expect(
      await pedidos.createAll([
        { id: 1, total: 1 },
        { id: 2 },
        { id: 1, total: 13 },
        { id: 4, total: 1, clienteId: 5 },
      ]),
    ).toMatchObject({
      made: [],
      problem: {
        errors: [
          { pointer: '/1/total', code: 'required' },
          { pointer: '/2/total', code: 'rule' },
          { pointer: '/2/id', code: 'duplicate' },
          { pointer: '/3/cliente', code: 'reference' },
        ],
      },
    })
    expect(
      await pedidos.checkAll(
        [
          { id: 1, total: 1 },
          { id: 1, total: 1 },
        ],
        { from: 10 },
      ),
    ).toMatchObject({
      problem: { errors: [{ pointer: '/11/id', code: 'duplicate' }] },
    })
    expect(
      await pedidos.createAll([
        { id: 1, total: 1 },
        { id: 2, total: 2 },
      ]),
    ).toMatchObject({ made: [{ key: 1 }, { key: 2 }] })
    expect(await lineas.createAll([{ id: 1, pedidoId: 1 }, { id: 2, pedidoId: 3 }, { id: 3 }])).toMatchObject({
      problem: {
        errors: [
          { pointer: '/1/pedidoId', code: 'reference' },
          { pointer: '/2/pedidoId', code: 'required' },
        ],
      },
    })
    expect(await lineas.create({ id: 1, pedidoId: 2 })).toMatchObject({ href: '/v1/pedidos/2/lineas/1' })
    expect(await lineas.patch(1, { n: 4 })).toMatchObject({ record: { n: 4 }, href: '/v1/pedidos/2/lineas/1' })
  })
})
