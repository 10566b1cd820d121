/** The operation: the adapter, once where once is enough. */
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { beginExport } from '../export.js'
import type { Operation } from '../operations/operation.js'
import { admit } from './admit.js'

export function execute(exchange: Exchange): void | Promise<void> {
  const operation = exchange.operation as Operation
  // Many requests may have passed this check before the first of them got here.
  admit(exchange)
  if (exchange.representation.transfer !== undefined) beginExport(exchange)
  exchange.service.load.executing += 1
  exchange.executing = true
  return settled(operation.execute(exchange), (outcome) => {
    exchange.outcome = outcome
  })
}
