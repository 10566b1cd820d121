/**
 * The resource `contratos` links to the resource `clientes`. A GET of a contract also reads the
 * linked record of `clientes`.
 */
import { defineResource } from '../../../src/index.js'

const text = { type: 'string' } as const

export const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
})

export const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo'],
    properties: { codigo: text, n: { type: ['integer', 'null'] }, clienteId: { type: ['integer', 'null'] } },
  },
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
})
