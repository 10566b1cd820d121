/** Chooses the representation of the answer, before anything is changed (HDR-1). */
import { unsupportedAccept } from '../../middleware/negotiate.js'
import { json, type Representation } from '../../representation/encoding.js'
import type { Allowed } from '../stages.js'

export function negotiate(exchange: Allowed): { readonly representation: Representation } {
  if (exchange.method === 'OPTIONS') return { representation: json }
  const offers = exchange.service.formats.of(exchange)
  const representation = offers.choose(exchange.headers.accept)
  if (representation === undefined) throw unsupportedAccept(offers.types)
  return { representation }
}
