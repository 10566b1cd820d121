/**
 * The components of a piece. The piece contains them. The key consists of the number of the piece
 * and a sequence number.
 */
import { defineResource, type FromSchema } from 'express-rest-conventions'
import { prePiezas } from './pre-piezas.js'

const schema = {
  type: 'object',
  required: ['numeroDeCabecera', 'secuencia', 'descripcion', 'peso'],
  properties: {
    numeroDeCabecera: { type: 'integer' },
    secuencia: { type: 'integer', minimum: 1 },
    descripcion: { type: 'string', maxLength: 500 },
    peso: { type: 'number', minimum: 0 },
  },
} as const

export type Componente = FromSchema<typeof schema>

export const componentes = defineResource({
  collection: 'componentes',
  key: ['numeroDeCabecera', 'secuencia'],
  // The path determines the piece. The store assigns the sequence number within the piece.
  assigned: ['secuencia'],
  schema,
  filters: { descripcion: true, pesoMinimo: { field: 'peso', op: 'gte' }, pesoMaximo: { field: 'peso', op: 'lte' } },
  sort: ['secuencia', 'descripcion', 'peso'],
  links: { prePieza: { to: prePiezas, by: 'numeroDeCabecera' } },
  parent: { of: prePiezas, by: 'numeroDeCabecera' },
})
