/** What If-Match and If-None-Match ask for; the store, or the version at hand, decides (HDR-3, HDR-4). */
import { readConditions } from '../../middleware/if-match.js'
import type { Exchange } from '../exchange.js'

export function precondition(exchange: Exchange): void {
  const { req, reads, method, service } = exchange
  exchange.conditions = readConditions(req, service.requireIfMatch && !reads && method !== 'POST', service.weakIfMatch)
}
