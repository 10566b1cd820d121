/**
 * Finds the caller of a request to a hand-written service, so that requests are counted by client.
 */
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { principals } from '../middleware/authenticate.js'

interface AuthenticatedRequest extends IncomingMessage {
  /** Set by `express-jwt`. */
  readonly auth?: unknown
  /** Set by Passport. */
  readonly user?: unknown
}

/**
 * Returns the principal that the service has set. If the service has set none, returns the claims
 * of the bearer token. The claims are not verified here, and they are ignored if the response is
 * 401.
 */
export function callerOf(req: AuthenticatedRequest, status: number): unknown {
  const known = principals.find(req)?.principal ?? req.auth ?? req.user
  if (known !== undefined && known !== null) return known
  return status === 401 ? undefined : claimsOf(req.headers.authorization)
}

const longestPayload = 8192

function claimsOf(authorization: string | undefined): unknown {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/i.exec(authorization ?? '') ?? []
  if (payload === undefined || payload.length > longestPayload) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isContainer(claims) ? claims : undefined
  } catch {
    return undefined
  }
}
