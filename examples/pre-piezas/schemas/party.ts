const text = { type: ['string', 'null'], maxLength: 254 } as const

/** The sender or recipient of a pre-piece. All members are optional. */
export const party = {
  type: 'object',
  title: 'Parte',
  properties: {
    apellido: text,
    documento: text,
    nombre: text,
    nombreCompleto: text,
    email: text,
    tipoDocumento: text,
    telefonos: { type: 'array', items: { type: 'string', maxLength: 50 }, maxItems: 20, default: [] },
  },
} as const
