/** The operation: the adapter, once where once is enough. */
import { isPromise } from '../../promise.js'
import { beginExport } from '../export.js'
import type { Outcome } from '../operations/operation.js'
import type { Parsed } from '../stages.js'
import { admit } from './admit.js'

type Found = { readonly outcome: Outcome }

export function execute(exchange: Parsed): Found | Promise<Found> {
  const { operation, progress, representation, service } = exchange
  // Many requests may have passed this check before the first of them got here.
  admit(exchange)
  if (representation.transfer !== undefined) beginExport(exchange)
  progress.executes(service.load)
  const outcome = operation.execute(exchange)
  return isPromise(outcome) ? outcome.then(found) : { outcome }
}

const found = (outcome: Outcome): Found => ({ outcome })
