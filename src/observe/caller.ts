/** Who has called a hand-written service, as far as counts need to know. */
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { principals } from '../middleware/authenticate.js'

interface AuthenticatedRequest extends IncomingMessage {
  /** What `express-jwt` leaves. */
  readonly auth?: unknown
  /** What Passport leaves. */
  readonly user?: unknown
}

/**
 * What the service has found out about the caller, else the claims of the bearer token. These are
 * not verified here: whoever is refused (401) has none.
 */
export function callerOf(req: AuthenticatedRequest, status: number): unknown {
  const known = principals.find(req)?.principal ?? req.auth ?? req.user
  if (known !== undefined && known !== null) return known
  return status === 401 ? undefined : claimsOf(req.headers.authorization)
}

const longestToken = 8192

function claimsOf(authorization: string | undefined): unknown {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/i.exec(authorization ?? '') ?? []
  if (payload === undefined || payload.length > longestToken) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isContainer(claims) ? claims : undefined
  } catch {
    return undefined
  }
}
