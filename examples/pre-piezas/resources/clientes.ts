/**
 * Clients of the courier company, in two versions of the API over the same data. The member
 * `razonSocial` of v8 is called `nombre` in v1. `adapterView()` renames it for v1, so no other file
 * handles this difference.
 */
import { type Adapter, adapterView, defineResource, type FromSchema } from 'express-rest-conventions'

const common = {
  cuit: { type: 'string', maxLength: 13, pattern: '^[0-9]{2}-[0-9]{8}-[0-9]$' },
  email: { type: ['string', 'null'], maxLength: 254 },
} as const

const schema = {
  type: 'object',
  required: ['id', 'razonSocial', 'cuit'],
  properties: { id: { type: 'integer' }, razonSocial: { type: 'string', minLength: 1, maxLength: 200 }, ...common },
} as const

const schemaV1 = {
  type: 'object',
  required: ['id', 'nombre', 'cuit'],
  properties: { id: { type: 'integer' }, nombre: { type: 'string', minLength: 1, maxLength: 200 }, ...common },
} as const

export type Cliente = FromSchema<typeof schema>
export type ClienteV1 = FromSchema<typeof schemaV1>

export const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  assigned: true,
  schema,
  filters: { cuit: true, email: true, razonSocial: true },
  sort: ['id', 'razonSocial', 'cuit'],
  search: ['razonSocial', 'cuit'],
  links: { contratos: { sub: 'contratos' } },
})

export const clientesV1 = defineResource({
  collection: 'clientes',
  key: 'id',
  assigned: true,
  schema: schemaV1,
  filters: { cuit: true, email: true, nombre: true },
  sort: ['id', 'nombre', 'cuit'],
  search: ['nombre', 'cuit'],
  links: { contratos: { sub: 'contratos' } },
})

/** Returns a view of the adapter of v8, with the member names of v1. */
export function asClientesV1(adapter: Adapter<Cliente, number>): Adapter<ClienteV1, number> {
  return adapterView<ClienteV1, number>(adapter, { rename: { nombre: 'razonSocial' } })
}
