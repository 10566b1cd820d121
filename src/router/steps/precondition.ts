/** What If-Match and If-None-Match ask for; the store, or the version at hand, decides (HDR-3, HDR-4). */
import { readConditions } from '../../middleware/if-match.js'
import type { Exchange } from '../exchange.js'

export function precondition(exchange: Exchange): void {
  const { service, operation } = exchange
  const required = service.requireIfMatch && operation?.preconditions === 'item'
  exchange.conditions = readConditions(exchange, required, service.weakIfMatch)
}
