/**
 * Postal codes. The link `cpDestinoValidado` of a pre-piece leads to one of them. Pages of the list
 * are also available as CSV.
 */
import { defineResource, type FromSchema, representation } from 'express-rest-conventions'

const schema = {
  type: 'object',
  required: ['codigo', 'ciudad', 'idCiudad', 'idPais', 'idProvincia'],
  properties: {
    codigo: { type: 'integer' },
    ciudad: { type: 'string', maxLength: 200 },
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

const columns = ['codigo', 'ciudad', 'idCiudad', 'idPais', 'idProvincia'] as const

/** A cell of a CSV file. A value with a comma, a quote or a line break is quoted (RFC 4180). */
const cell = (value: string | number): string =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value)

export const codigosPostalesInCsv = representation<CodigoPostal>('text/csv; charset=utf-8', {
  list: (page) =>
    [columns, ...page.map((one) => columns.map((column) => one[column]))]
      .map((row) => `${row.map(cell).join(',')}\r\n`)
      .join(''),
})
