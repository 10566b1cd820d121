/**
 * Reads `If-Match` and `If-None-Match`, which the steps `execute` and `represent` check (HDR-3, HDR-4).
 * A `Prefer` that is too long is refused here, before anything is changed (VERB-13).
 */
import { checkField } from '../../http/field-length.js'
import { type Conditions, readConditions } from '../../middleware/if-match.js'
import { header } from '../../wire.js'
import type { Allowed } from '../stages.js'

export function precondition(exchange: Allowed): { readonly conditions: Conditions } {
  const { service, operation } = exchange
  const wanted = service.requireIfMatch && operation.preconditions === 'item'
  const legacy = wanted ? exchange.legacy('HDR-3') : undefined
  const { prefer } = exchange.headers
  if (prefer !== undefined) checkField(header.prefer, prefer)
  const conditions = readConditions(exchange, wanted && legacy === undefined, service.weakIfMatch)
  if (legacy === undefined || conditions.ifMatch !== undefined) return { conditions }
  return { conditions: { ...conditions, missed: () => legacy.found(header.ifMatch) } }
}
