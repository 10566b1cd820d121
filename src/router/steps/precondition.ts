/** What If-Match and If-None-Match ask for; the store, or the version at hand, decides (HDR-3, HDR-4). */
import { readConditions } from '../../middleware/if-match.js'
import type { Exchange } from '../exchange.js'

export function precondition(exchange: Exchange): void {
  const { reads, method, service, operation } = exchange
  // A POST makes something new, but below an item it changes that item.
  const updates = !reads && (method !== 'POST' || operation?.name === 'callBelow')
  exchange.conditions = readConditions(exchange, service.requireIfMatch && updates, service.weakIfMatch)
}
