/** Who asks (AUTH). Failures are counted by address (LIMIT-1). */
import { principals } from '../../middleware/authenticate.js'
import { isProblem } from '../../problem.js'
import { isPromise } from '../../promise.js'
import type { Identified, Received } from '../stages.js'
import { count } from './throttle.js'

type Asking = Pick<Identified, 'principal' | 'authenticated'>

const anybody: Asking = Object.freeze({ principal: undefined, authenticated: false })

export function authenticate(exchange: Received): Asking | Promise<Asking> {
  const { req } = exchange
  const { authenticate: who, principal } = exchange.service
  if (who === undefined && principal === undefined) {
    const found = principals.find(req)
    return found === undefined ? anybody : known(found.principal)
  }
  let found: unknown
  try {
    // What is there at once costs no promise.
    found = exchange.patience.settle(who === undefined ? principal?.(req) : who.identify(req))
  } catch (error) {
    return refused(exchange, error)
  }
  if (!isPromise(found)) return known(found)
  return Promise.resolve(found).then(known, (error: unknown) => refused(exchange, error))
}

const known = (principal: unknown): Asking => ({ principal, authenticated: true })

async function refused(exchange: Received, error: unknown): Promise<never> {
  if (exchange.service.rateLimit !== undefined && isProblem(error) && error.code === 'unauthenticated') await count(exchange, true)
  throw error
}
