/** Postal codes: what `cpDestinoValidado` of a piece links to. */
import { defineResource, type FromSchema } from 'express-rest-conventions'

const schema = {
  type: 'object',
  required: ['codigo', 'ciudad', 'idCiudad', 'idPais', 'idProvincia'],
  properties: {
    codigo: { type: 'integer' },
    ciudad: { type: 'string' },
    idCiudad: { type: 'integer' },
    idPais: { type: 'integer' },
    idProvincia: { type: 'integer' },
  },
} as const

export type CodigoPostal = FromSchema<typeof schema>

export const codigosPostales = defineResource({
  collection: 'codigos-postales',
  key: 'codigo',
  schema,
  filters: { ciudad: true, idPais: true, idProvincia: true },
  sort: ['codigo', 'ciudad', 'idProvincia'],
  search: ['ciudad'],
})
