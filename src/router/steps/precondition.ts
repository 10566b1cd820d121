/** Reads `If-Match` and `If-None-Match`. The steps `execute` and `represent` check them (HDR-3, HDR-4). */
import { type Conditions, readConditions } from '../../middleware/if-match.js'
import type { Allowed } from '../stages.js'

export function precondition(exchange: Allowed): { readonly conditions: Conditions } {
  const { service, operation } = exchange
  const required = service.requireIfMatch && operation.preconditions === 'item'
  return { conditions: readConditions(exchange, required, service.weakIfMatch) }
}
