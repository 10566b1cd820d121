/**
 * The components of a pre-piece, at `pre-piezas/{id}/componentes`. The key of a component consists
 * of the number of its pre-piece and a sequence number.
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
  // The path determines the pre-piece. The store assigns the sequence number within the pre-piece.
  assigned: ['secuencia'],
  schema,
  filters: { descripcion: true, pesoMinimo: { field: 'peso', op: 'gte' }, pesoMaximo: { field: 'peso', op: 'lte' } },
  sort: ['secuencia', 'descripcion', 'peso'],
  links: { prePieza: { to: prePiezas, by: 'numeroDeCabecera' } },
  parent: { of: prePiezas, by: 'numeroDeCabecera' },
})
