/**
 * Contracts. `contratos/{id}/activo` is the member `estaActivo` as a sub-resource.
 * `clientes/{id}/contratos` are the contracts of a client.
 */
import { defineResource, type FromSchema } from 'express-rest-conventions'
import { ciclo, direccionPostal } from '../schemas/external-link.js'

const schema = {
  type: 'object',
  required: [
    'cicloDeDistribucion',
    'cicloDeReenvio',
    'cicloDeRendicionParaEntrega',
    'cicloDeRendicionParaNoEntrega',
    'codigoDeContratoInterno',
    'descripcion',
    'direccionPostal',
    'esCorporativo',
    'esRecanalizable',
    'esUrgente',
    'estaActivo',
    'iditg',
    'tipoDeServicio',
  ],
  properties: {
    cicloDeDistribucion: ciclo,
    cicloDeReenvio: ciclo,
    cicloDeRendicionParaEntrega: ciclo,
    cicloDeRendicionParaNoEntrega: ciclo,
    /**
     * In requests and responses, the link `cliente` takes the place of this member. Null if the
     * contract has no client.
     */
    clienteId: { type: ['integer', 'null'] },
    codigoDeContratoInterno: { type: 'string', maxLength: 100 },
    descripcion: { type: 'string', maxLength: 500 },
    direccionPostal,
    esCorporativo: { type: 'boolean' },
    esRecanalizable: { type: 'boolean' },
    esUrgente: { type: 'boolean' },
    estaActivo: { type: 'boolean' },
    iditg: { type: 'string', maxLength: 100 },
    tipoDeServicio: { type: 'string', maxLength: 100 },
  },
} as const

export type Contrato = FromSchema<typeof schema>

export const contratos = defineResource({
  collection: 'contratos',
  key: 'codigoDeContratoInterno',
  schema,
  filters: {
    cliente: { field: 'clienteId' },
    sinCliente: { field: 'clienteId', op: 'null' },
    esCorporativo: true,
    esRecanalizable: true,
    esUrgente: true,
    estaActivo: true,
    tipoDeServicio: { many: true },
  },
  sort: ['codigoDeContratoInterno', 'descripcion', 'esUrgente', 'estaActivo', 'tipoDeServicio'],
  search: ['codigoDeContratoInterno', 'descripcion', 'tipoDeServicio'],
  links: {
    // The target is a name and not a definition, because each version has its own `clientes`.
    cliente: { to: 'clientes', by: 'clienteId' },
    cicloDeDistribucion: { external: true },
    cicloDeReenvio: { external: true },
    cicloDeRendicionParaEntrega: { external: true },
    cicloDeRendicionParaNoEntrega: { external: true },
    direccionPostal: { external: true },
  },
  attachedTo: [{ of: 'clientes', by: 'clienteId' }],
  flags: { activo: 'estaActivo' },
})
