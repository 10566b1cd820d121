/** The resources that two tenants share, for the tests of row-level scope. */
import { defineResource } from '../../src/index.js'

interface Tenant {
  readonly empresa: string
  readonly autor: string
}

const mine = (principal: unknown) => ({ empresa: (principal as Tenant).empresa })
const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

const empresas = defineResource({
  collection: 'empresas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text, lema: textOrNull } },
  scope: (principal) => ({ id: (principal as Tenant).empresa }),
})

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'empresa', 'nombre'],
    properties: { id: text, empresa: text, nombre: text },
  },
  search: ['nombre'],
  scope: mine,
})

const carteras = defineResource({
  collection: 'carteras',
  key: 'id',
  schema: { type: 'object', required: ['id', 'empresa'], properties: { id: text, empresa: text } },
  scope: mine,
})

/** All tenants share these records. */
const etiquetas = defineResource({
  collection: 'etiquetas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text } },
})

const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo', 'empresa', 'descripcion'],
    properties: {
      codigo: text,
      empresa: text,
      descripcion: text,
      importe: { type: ['number', 'null'] },
      marcas: { type: 'array', items: text, default: [] },
      activo: { type: 'boolean', default: true },
      clienteId: textOrNull,
    },
  },
  filters: {
    codigo: { many: true },
    descripcion: { many: true },
    empresa: true,
    importe: true,
    importeDesde: { field: 'importe', op: 'gte' },
    importeHasta: { field: 'importe', op: 'lt' },
    sinImporte: { field: 'importe', op: 'null' },
    marca: { field: 'marcas', op: 'contains' },
  },
  sort: ['descripcion', 'importe', 'empresa'],
  search: ['descripcion'],
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] }, lineas: { sub: 'lineas' } },
  attachedTo: [
    { of: clientes, by: 'clienteId' },
    { of: carteras, as: 'depositos' },
    { of: etiquetas, as: 'marcados' },
  ],
  flags: { activo: 'activo' },
  scope: mine,
})

/** A resource without a scope of its own. The resource that contains it has a scope. */
const lineas = defineResource({
  collection: 'lineas',
  key: ['contrato', 'numero'],
  schema: {
    type: 'object',
    required: ['contrato', 'numero'],
    properties: { contrato: text, numero: { type: 'integer' }, texto: textOrNull },
  },
  parent: { of: contratos, by: 'contrato' },
  sort: ['texto'],
})

/** The tenant is part of the key. */
const partes = defineResource({
  collection: 'partes',
  key: ['empresa', 'numero'],
  schema: {
    type: 'object',
    required: ['empresa', 'numero'],
    properties: { empresa: text, numero: { type: 'integer' }, texto: textOrNull },
  },
  filters: { numero: true },
  scope: mine,
})

/** The scope has two members, and one of them is nullable. */
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'empresa'],
    properties: {
      id: text,
      empresa: text,
      autor: textOrNull,
      texto: textOrNull,
      lineaContrato: textOrNull,
      lineaNumero: { type: ['integer', 'null'] },
      parteEmpresa: textOrNull,
      parteNumero: { type: ['integer', 'null'] },
    },
  },
  filters: { sinAutor: { field: 'autor', op: 'null' }, autor: true },
  links: {
    linea: { to: lineas, by: ['lineaContrato', 'lineaNumero'], show: ['texto'] },
    parte: { to: partes, by: ['parteEmpresa', 'parteNumero'] },
  },
  scope: (principal) => ({ ...(principal as Tenant) }),
})

/** The member that the scope compares is writeOnly. */
const sellos = defineResource({
  collection: 'sellos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: text, empresa: { type: 'string', writeOnly: true }, texto: textOrNull },
  },
  scope: mine,
})

/** The member that the scope compares is readOnly. */
const cierres = defineResource({
  collection: 'cierres',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: text, empresa: { type: ['string', 'null'], readOnly: true }, texto: textOrNull },
  },
  scope: mine,
})

/** The resource `contratos`, as the older API version shows it. */
export const contratosV1 = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo', 'titulo'],
    properties: { codigo: text, titulo: text, compania: text },
  },
  filters: { titulo: true },
  sort: ['titulo'],
  search: ['titulo'],
  scope: (principal) => ({ compania: (principal as Tenant).empresa }),
})

/** The definitions, by collection. */
export const definitions = {
  empresas,
  clientes,
  carteras,
  etiquetas,
  contratos,
  lineas,
  partes,
  notas,
  sellos,
  cierres,
}
