/** Runs the operation. */
import { isPromise } from '../../promise.js'
import { beginExport } from '../export.js'
import type { Outcome } from '../operations/operation.js'
import type { Parsed } from '../stages.js'
import { admit } from './admit.js'

type Added = { readonly outcome: Outcome }

export function execute(exchange: Parsed): Added | Promise<Added> {
  const { operation, progress, representation, service } = exchange
  // The step `admit` has already checked the number of executing requests. But other requests may
  // have begun while the body arrived.
  admit(exchange)
  if (representation.transfer !== undefined) beginExport(exchange)
  progress.beginExecution(service.load)
  const outcome = operation.execute(exchange)
  return isPromise(outcome) ? outcome.then(added) : { outcome }
}

const added = (outcome: Outcome): Added => ({ outcome })
