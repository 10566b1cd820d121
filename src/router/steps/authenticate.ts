/**
 * Finds the principal of a request (AUTH). Failures are counted against the client's IP address
 * (LIMIT-1).
 */
import { principals } from '../../middleware/authenticate.js'
import { isProblem } from '../../problem.js'
import { isPromise, settled } from '../../promise.js'
import { brownoutFor } from '../brownout.js'
import type { Answered, Identified, Received, Versioned } from '../stages.js'
import { countFailure } from './throttle.js'

type Added = Pick<Identified, 'principal' | 'authenticated'>

const anonymous: Added = Object.freeze({ principal: undefined, authenticated: false })

export function authenticate(exchange: Versioned): Added | Answered | Promise<Added | Answered> {
  const { life } = exchange.version
  const found = identify(exchange)
  // The principal is now known, so exemptions from a brownout can be checked.
  if (life?.brownouts === undefined) return found
  return settled(found, (added) => brownoutFor(exchange, life, added.principal) ?? added)
}

function identify(exchange: Versioned): Added | Promise<Added> {
  if (exchange.version.open?.(exchange.path) === true) return anonymous
  const { req } = exchange
  const { authenticate: authenticator, principal } = exchange.service
  if (authenticator === undefined && principal === undefined) {
    const found = principals.find(req)
    return found === undefined ? anonymous : authenticated(found.principal)
  }
  let found: unknown
  try {
    // `waitFor` returns a promise only if the principal is a promise.
    found = exchange.timeLimit.waitFor(authenticator === undefined ? principal?.(req) : authenticator.identify(req))
  } catch (error) {
    return refused(exchange, error)
  }
  if (!isPromise(found)) return authenticated(found)
  return Promise.resolve(found).then(authenticated, (error: unknown) => refused(exchange, error))
}

const authenticated = (principal: unknown): Added => ({ principal, authenticated: true })

async function refused(exchange: Received, error: unknown): Promise<never> {
  if (isProblem(error) && error.code === 'unauthenticated') await countFailure(exchange)
  throw error
}
