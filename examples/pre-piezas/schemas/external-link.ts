/** Links to other services. A record stores all members of such a link, including `href`. */

/** A delivery cycle of the operations service. */
export const ciclo = {
  type: 'object',
  title: 'Ciclo',
  required: ['href', 'permiteReenvio'],
  properties: {
    href: { type: 'string', maxLength: 2_000 },
    permiteEntregaEnMostrador: { type: ['boolean', 'null'] },
    permiteReenvio: { type: 'boolean' },
  },
} as const

/** A postal address in the geography service. Members that are not known are null or absent. */
export const direccionPostal = {
  type: 'object',
  title: 'DireccionPostal',
  properties: {
    href: { type: ['string', 'null'], maxLength: 2_000 },
    idLocalidad: { type: ['integer', 'null'] },
    idPais: { type: ['integer', 'null'] },
    idProvincia: { type: ['integer', 'null'] },
    iditg: { type: ['string', 'null'], maxLength: 100 },
  },
} as const
