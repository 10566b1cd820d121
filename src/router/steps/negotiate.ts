/** The representation of the answer, before anything is changed (HDR-1). */
import { unsupportedAccept } from '../../middleware/negotiate.js'
import { representations } from '../../representation/encoding.js'
import type { Exchange } from '../exchange.js'

export function negotiate(exchange: Exchange): void {
  if (exchange.method === 'OPTIONS') return
  const found = exchange.service.representationFor(exchange.req.headers.accept)
  if (found === undefined) throw unsupportedAccept(representations.map((representation) => representation.mediaType))
  exchange.representation = found
}
