/**
 * The resources of the curves: the benchmark's pieces with more filters, or with more links. Pieces
 * can be defined several times under different names.
 */
import { contratoSchema, piezaSchema, shown } from '../../data/resources.js'
import type { Library } from '../../servers/library.js'

/** Defines pieces with enough filters for a query with eight filters. */
export function definePieces({ defineResource }: Library, collection = 'pre-piezas') {
  const contratos = defineResource({ collection: 'contratos', key: 'codigo', schema: contratoSchema })
  const piezas = defineResource({
    collection,
    key: 'numero',
    assigned: true,
    schema: piezaSchema,
    filters: {
      lote: true,
      sucursalDeDistribucion: true,
      pais: { field: 'destinoInformado.pais' },
      fechaDesde: { field: 'fechaDeEntrada', op: 'gte' },
      fechaHasta: { field: 'fechaDeEntrada', op: 'lte' },
      valorDesde: { field: 'valorDeclarado', op: 'gte' },
      valorHasta: { field: 'valorDeclarado', op: 'lte' },
      cobroDesde: { field: 'valorACobrar', op: 'gte' },
      cobroHasta: { field: 'valorACobrar', op: 'lte' },
    },
    sort: ['fechaDeEntrada', 'numero'],
    links: { contrato: { to: contratos, by: 'contratoId', show: [...shown] } },
  })
  return { contratos, piezas }
}

const text = { type: 'string' } as const

const linkedSchema = {
  ...piezaSchema,
  required: [...piezaSchema.required, 'clienteId', 'sucursalId', 'tarifaId'],
  properties: { ...piezaSchema.properties, clienteId: text, sucursalId: text, tarifaId: text },
} as const

/**
 * The members with the keys of the four links. All four target collections have the same records
 * under the same keys.
 */
export const linkMembers = ['contratoId', 'clienteId', 'sucursalId', 'tarifaId'] as const
export const linkNames = ['contrato', 'cliente', 'sucursal', 'tarifa'] as const

/**
 * Defines pieces with links to four other resources. A link shows no members of its target unless
 * it is expanded.
 */
export function defineLinked({ defineResource }: Library) {
  const target = (collection: string) => defineResource({ collection, key: 'codigo', schema: contratoSchema })
  const targets = {
    contratos: target('contratos'),
    clientes: target('clientes'),
    sucursales: target('sucursales'),
    tarifas: target('tarifas'),
  }
  const piezas = defineResource({
    collection: 'pre-piezas',
    key: 'numero',
    schema: linkedSchema,
    filters: { sucursalDeDistribucion: true },
    sort: ['fechaDeEntrada', 'numero'],
    links: {
      contrato: { to: targets.contratos, by: 'contratoId' },
      cliente: { to: targets.clientes, by: 'clienteId' },
      sucursal: { to: targets.sucursales, by: 'sucursalId' },
      tarifa: { to: targets.tarifas, by: 'tarifaId' },
    },
  })
  return { piezas, targets }
}
