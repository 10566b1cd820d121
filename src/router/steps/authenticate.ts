/** Who asks (AUTH). Failures are counted by address (LIMIT-1). */
import { principals } from '../../middleware/authenticate.js'
import { isProblem } from '../../problem.js'
import { isPromise } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { count } from './throttle.js'

export function authenticate(exchange: Exchange): void | Promise<void> {
  const { service, req, patience } = exchange
  const { authenticate: who, principal } = service
  if (who === undefined && principal === undefined) {
    const found = principals.find(req)
    if (found !== undefined) take(exchange, found.principal)
    return
  }
  let found: unknown
  try {
    // What is there at once costs no promise.
    found = patience.settle(who === undefined ? principal?.(req) : who.identify(req))
  } catch (error) {
    return refused(exchange, error)
  }
  if (!isPromise(found)) return take(exchange, found)
  return Promise.resolve(found).then(
    (principal) => take(exchange, principal),
    (error: unknown) => refused(exchange, error),
  )
}

function take(exchange: Exchange, principal: unknown): void {
  exchange.principal = principal
  exchange.authenticated = true
}

async function refused(exchange: Exchange, error: unknown): Promise<never> {
  if (exchange.service.rateLimit !== undefined && isProblem(error) && error.code === 'unauthenticated') await count(exchange, true)
  throw error
}
