/**
 * Pre-pieces, the shipments of a courier company. Their members are those of the worked example in
 * the conventions.
 */
import { defineResource, type FromSchema } from 'express-rest-conventions'
import { party } from '../schemas/party.js'
import { codigosPostales } from './codigos-postales.js'
import { contratos } from './contratos.js'

const schema = {
  type: 'object',
  required: [
    'contratoId',
    'cpDestinoId',
    'destinatario',
    'remitente',
    'destinoInformado',
    'fechaDeEntrada',
    'lote',
    'subLote',
    'numero',
    'numeroDeEnvio',
    'sucursalDeDistribucion',
    'sucursalDeImposicion',
    'valorACobrar',
    'valorDeclarado',
  ],
  properties: {
    /** In requests and responses, the link `contrato` takes the place of this member. */
    contratoId: { type: 'string', maxLength: 100 },
    /** In requests and responses, the link `cpDestinoValidado` takes the place of this member. */
    cpDestinoId: { type: 'integer' },
    destinatario: party,
    remitente: party,
    destinoInformado: {
      type: 'object',
      title: 'DestinoInformado',
      required: ['calle', 'ciudad', 'codigoPostal', 'numero', 'pais', 'provincia'],
      properties: {
        calle: { type: 'string', maxLength: 200 },
        ciudad: { type: 'string', maxLength: 200 },
        codigoPostal: { type: 'string', maxLength: 20 },
        numero: { type: 'string', maxLength: 20 },
        pais: { type: 'string', maxLength: 200 },
        provincia: { type: 'string', maxLength: 200 },
      },
    },
    fechaDeEntrada: { type: 'string', format: 'local-date-time', maxLength: 27 },
    lote: { type: 'string', maxLength: 100 },
    subLote: { type: 'string', maxLength: 100 },
    numero: { type: 'integer' },
    numeroDeEnvio: { type: 'string', maxLength: 100 },
    sucursalDeDistribucion: { type: 'integer' },
    sucursalDeImposicion: { type: 'integer' },
    valorACobrar: { type: 'number', minimum: 0 },
    valorDeclarado: { type: 'number', minimum: 0 },
  },
} as const

export type PrePieza = FromSchema<typeof schema>

export const prePiezas = defineResource({
  collection: 'pre-piezas',
  key: 'numero',
  // If a POST omits the number, the store assigns the next number.
  assigned: true,
  schema,
  filters: {
    lote: true,
    subLote: true,
    numeroDeEnvio: true,
    sucursalDeDistribucion: { many: true },
    sucursalDeImposicion: true,
    contrato: { field: 'contratoId' },
    'destinatario.documento': true,
    'destinoInformado.ciudad': true,
    'destinoInformado.codigoPostal': true,
    fechaDesde: { field: 'fechaDeEntrada', op: 'gte' },
    fechaHasta: { field: 'fechaDeEntrada', op: 'lte' },
    valorMinimo: { field: 'valorDeclarado', op: 'gte' },
    valorMaximo: { field: 'valorDeclarado', op: 'lte' },
    telefono: { field: 'destinatario.telefonos', op: 'contains' },
    sinEmail: { field: 'destinatario.email', op: 'null' },
  },
  sort: [
    'numero',
    'fechaDeEntrada',
    'lote',
    'subLote',
    'numeroDeEnvio',
    'sucursalDeDistribucion',
    'sucursalDeImposicion',
    'valorACobrar',
    'valorDeclarado',
    'destinatario.apellido',
    'destinatario.nombre',
    'destinoInformado.ciudad',
    'destinoInformado.codigoPostal',
  ],
  search: [
    'numeroDeEnvio',
    'lote',
    'destinatario.apellido',
    'destinatario.nombre',
    'destinatario.nombreCompleto',
    'remitente.apellido',
    'remitente.nombre',
    'remitente.nombreCompleto',
    'destinoInformado.calle',
    'destinoInformado.ciudad',
  ],
  links: {
    componentes: { sub: 'componentes' },
    contrato: {
      to: contratos,
      by: 'contratoId',
      show: ['esCorporativo', 'esRecanalizable', 'esUrgente', 'estaActivo'],
    },
    cpDestinoValidado: {
      to: codigosPostales,
      by: 'cpDestinoId',
      show: ['ciudad', 'codigo', 'idCiudad', 'idPais', 'idProvincia'],
    },
  },
})
