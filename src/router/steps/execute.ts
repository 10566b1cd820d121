/** The operation: the adapter, once where once is enough. */
import type { Exchange } from '../exchange.js'

export async function execute(exchange: Exchange): Promise<void> {
  exchange.outcome = await exchange.operation?.execute(exchange)
}
