/** Chooses the representation of the response, before anything is changed (HDR-1). */
import { unsupportedAccept } from '../../middleware/negotiate.js'
import { json, type Representation } from '../../representation/encoding.js'
import { header } from '../../wire.js'
import type { Allowed } from '../stages.js'

export function negotiate(exchange: Allowed): { readonly representation: Representation } {
  if (exchange.method === 'OPTIONS') return { representation: json }
  const offers = exchange.service.formats.of(exchange)
  const representation = offers.choose(exchange.headers.accept)
  return { representation: representation ?? unaccepted(exchange, offers.types) }
}

/**
 * Handles an `Accept` that matches no representation. Throws a 415, or does what the service did
 * before it adopted the conventions.
 */
function unaccepted(exchange: Allowed, types: readonly string[]): Representation {
  const legacy = exchange.legacy('HDR-1')
  legacy?.found(header.accept)
  if (legacy?.settings.as === 'json') return json
  throw unsupportedAccept(types, legacy?.settings.as)
}
