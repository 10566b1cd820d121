/** What may be done here: adapter and definition together (VERB-7, VERB-9). */
import { methodNotAllowed } from '../../middleware/methods.js'
import type { Exchange } from '../exchange.js'
import { operations } from '../operations/index.js'

export function allow(exchange: Exchange): void {
  const { route, method } = exchange
  const name = route?.operations.get(method)
  if (route === undefined || name === undefined)
    throw methodNotAllowed(method, route?.allow ?? '', route?.kind === 'collection' || route?.kind === 'members')
  exchange.operation = operations[name]
}
