/**
 * The resources of every server: the shipments of a courier company (pre-pieces, here called
 * pieces), and the contracts that they link to. The schemas are plain JSON Schema, so that all
 * servers can validate with them.
 */

const text = { type: 'string' } as const

export const piezaSchema = {
  type: 'object',
  required: [
    'contratoId',
    'destinatario',
    'destinoInformado',
    'fechaDeEntrada',
    'lote',
    'numero',
    'numeroDeEnvio',
    'sucursalDeDistribucion',
    'valorACobrar',
    'valorDeclarado',
  ],
  properties: {
    /** In representations, the link `contrato` takes the place of this member. */
    contratoId: text,
    destinatario: {
      type: 'object',
      required: ['apellido', 'documento', 'email', 'nombre', 'telefonos'],
      properties: {
        apellido: text,
        documento: text,
        email: { type: ['string', 'null'] },
        nombre: text,
        telefonos: { type: 'array', items: text },
      },
    },
    destinoInformado: {
      type: 'object',
      required: ['calle', 'ciudad', 'codigoPostal', 'numero', 'pais', 'provincia'],
      properties: { calle: text, ciudad: text, codigoPostal: text, numero: text, pais: text, provincia: text },
    },
    fechaDeEntrada: { type: 'string', format: 'local-date-time' },
    lote: text,
    numero: { type: 'integer' },
    numeroDeEnvio: text,
    sucursalDeDistribucion: { type: 'integer' },
    valorACobrar: { type: 'number', minimum: 0 },
    valorDeclarado: { type: 'number', minimum: 0 },
  },
} as const

export const contratoSchema = {
  type: 'object',
  required: ['codigo', 'descripcion', 'esCorporativo', 'esUrgente', 'estaActivo', 'tipoDeServicio'],
  properties: {
    codigo: text,
    descripcion: text,
    esCorporativo: { type: 'boolean' },
    esUrgente: { type: 'boolean' },
    estaActivo: { type: 'boolean' },
    tipoDeServicio: text,
  },
} as const

/** The members that a link to a contract shows. */
export const shown = ['esCorporativo', 'esUrgente', 'estaActivo'] as const

export interface Pieza {
  readonly contratoId: string
  readonly destinatario: {
    readonly apellido: string
    readonly documento: string
    readonly email: string | null
    readonly nombre: string
    readonly telefonos: string[]
  }
  readonly destinoInformado: {
    readonly calle: string
    readonly ciudad: string
    readonly codigoPostal: string
    readonly numero: string
    readonly pais: string
    readonly provincia: string
  }
  readonly fechaDeEntrada: string
  readonly lote: string
  readonly numero: number
  readonly numeroDeEnvio: string
  readonly sucursalDeDistribucion: number
  readonly valorACobrar: number
  readonly valorDeclarado: number
}

export interface Contrato {
  readonly codigo: string
  readonly descripcion: string
  readonly esCorporativo: boolean
  readonly esUrgente: boolean
  readonly estaActivo: boolean
  readonly tipoDeServicio: string
}
