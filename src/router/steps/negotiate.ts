/** The representation of the answer, before anything is changed (HDR-1). */
import { unsupportedAccept } from '../../middleware/negotiate.js'
import type { Exchange } from '../exchange.js'

export function negotiate(exchange: Exchange): void {
  if (exchange.method === 'OPTIONS') return
  const offers = exchange.service.formats.of(exchange)
  const found = offers.choose(exchange.headers.accept)
  if (found === undefined) throw unsupportedAccept(offers.types)
  exchange.representation = found
}
