/**
 * Reads `If-Match` and `If-None-Match`. The steps `execute` and `represent` check these
 * preconditions later (HDR-3, HDR-4). If `Prefer` is too long, the request is refused here, before
 * anything is changed (VERB-13).
 */
import { checkField } from '../../http/field-length.js'
import { type Conditions, readConditions } from '../../middleware/if-match.js'
import { header } from '../../wire.js'
import type { Allowed } from '../stages.js'

export function precondition(exchange: Allowed): { readonly conditions: Conditions } {
  const { service, operation } = exchange
  const required = service.requireIfMatch && operation.preconditions === 'item'
  const { prefer } = exchange.headers
  if (prefer !== undefined) checkField(header.prefer, prefer)
  return { conditions: required ? requiredConditions(exchange) : readConditions(exchange, false, service.weakIfMatch) }
}

/**
 * Returns the preconditions of a change that requires `If-Match`. If the legacy behavior for HDR-3
 * still applies, a request without `If-Match` is accepted. The result then has the function
 * `missed`, which reports a finding for the request.
 */
function requiredConditions(exchange: Allowed): Conditions {
  const legacy = exchange.legacy('HDR-3')
  const conditions = readConditions(exchange, legacy === undefined, exchange.service.weakIfMatch)
  if (legacy === undefined || conditions.ifMatch !== undefined) return conditions
  return { ...conditions, missed: () => legacy.found(header.ifMatch) }
}
