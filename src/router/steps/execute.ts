/** The operation: the adapter, once where once is enough. */
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import type { Operation } from '../operations/operation.js'

export function execute(exchange: Exchange): void | Promise<void> {
  const operation = exchange.operation as Operation
  exchange.service.load.enter()
  exchange.executing = true
  return settled(operation.execute(exchange), (outcome) => {
    exchange.outcome = outcome
  })
}
