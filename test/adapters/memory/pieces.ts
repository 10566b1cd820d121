/** The resources that most tests of the memory adapter use. */
import { defineResource } from '../../../src/definition/resource.js'

export const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

export const rutas = defineResource({
  collection: 'rutas',
  key: ['zona', 'dia'],
  schema: {
    type: 'object',
    required: ['zona', 'dia'],
    properties: { zona: { type: 'string' }, dia: { type: 'integer' } },
  },
})

export const piezas = defineResource({
  collection: 'piezas',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero'],
    properties: {
      numero: { type: 'integer' },
      lote: { type: ['string', 'null'] },
      peso: { type: ['number', 'null'] },
      urgente: { type: ['boolean', 'null'] },
      destino: {
        type: ['object', 'null'],
        properties: { cp: { type: ['integer', 'null'] }, calle: { type: 'string' } },
      },
      etiquetas: { type: 'array', items: { type: 'string' } },
      inquilino: { type: 'string' },
      clienteId: { type: ['integer', 'null'] },
      rutaZona: { type: ['string', 'null'] },
      rutaDia: { type: 'integer' },
    },
  },
  filters: {
    lote: { many: true },
    urgente: true,
    clienteId: true,
    'destino.cp': true,
    pesoDesde: { field: 'peso', op: 'gte' },
    pesoHasta: { field: 'peso', op: 'lt' },
    etiqueta: { field: 'etiquetas', op: 'contains' },
  },
  sort: ['lote', 'peso', 'urgente', 'destino.cp', 'numero'],
  search: ['lote', 'destino.calle', 'etiquetas'],
  attachedTo: [
    { of: clientes, by: 'clienteId' },
    { of: rutas, by: ['rutaZona', 'rutaDia'] },
    { of: 'carteras' },
    { of: 'almacenes' },
  ],
})

export type Pieza = NonNullable<typeof piezas.types>['record']
