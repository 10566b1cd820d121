/** The claims of a token, and their validation (AUTH-5; RFC 7519 4.1, RFC 8725 3.8, 3.9, 3.10). */
import { freezeThroughout } from '../../definition/fixed.js'
import { isList, isObject } from '../../definition/json.js'
import { parseJson } from '../../http/json-text.js'

/**
 * The claims of a verified token. They are deeply frozen, because all requests with the same token
 * share them. Times are in seconds since 1970 (RFC 7519 2, NumericDate).
 */
export interface Claims {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string | readonly string[]
  readonly exp: number
  readonly nbf?: number
  readonly iat?: number
  readonly jti?: string
  readonly [name: string]: unknown
}

/** The maximum nesting depth of a token's header and claims. */
export const maxDepth = 16

/**
 * How far `iat` may be in the future, in seconds, in addition to the clock tolerance. The clocks of
 * two machines differ slightly. If `iat` is further ahead, the token is forged or the issuer's
 * clock is wrong.
 */
const maxSecondsAhead = 60

/** Returns the frozen claims of a payload, or a message that says why the payload is not valid. */
export function readClaims(payload: Uint8Array): Claims | string {
  const json = parseJson(payload, { depth: maxDepth })
  if ('malformed' in json) return 'The payload is not JSON, or different JSON parsers may read it in different ways.'
  if (!isObject(json.value)) return 'The payload is not a JSON object.'
  return typeFault(json.value) ?? (freezeThroughout(json.value) as Claims)
}

const claimTypes: Readonly<Record<string, { readonly isValid: (value: unknown) => boolean; readonly form: string }>> = {
  exp: { isValid: Number.isFinite, form: 'a number' },
  nbf: { isValid: Number.isFinite, form: 'a number' },
  iat: { isValid: Number.isFinite, form: 'a number' },
  iss: { isValid: (value) => typeof value === 'string', form: 'a string' },
  sub: { isValid: (value) => typeof value === 'string' && value !== '', form: 'a non-empty string' },
  aud: {
    isValid: (value) => typeof value === 'string' || (isList(value) && value.every((one) => typeof one === 'string')),
    form: 'a string or a list of strings',
  },
  jti: { isValid: (value) => typeof value === 'string', form: 'a string' },
}

function typeFault(claims: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.hasOwn(claims, 'exp')) return 'The claim "exp" is missing.'
  for (const name of Object.keys(claimTypes)) {
    const rule = claimTypes[name]
    if (rule === undefined || !Object.hasOwn(claims, name) || rule.isValid(claims[name])) continue
    return `The claim "${name}" is not ${rule.form}.`
  }
  return undefined
}

/** The values that a service requires in claims. `tolerance` and `maxAge` are in seconds. */
export interface ClaimRules {
  readonly issuers: readonly string[] | undefined
  readonly audiences: readonly string[] | undefined
  readonly tolerance: number
  readonly maxAge: number | undefined
}

/**
 * Returns a message that says why the claims are not valid, or `undefined` if they are valid. `now`
 * is the current time in seconds since 1970.
 */
export function claimFault(claims: Claims, rules: ClaimRules, now: number): string | undefined {
  return timeFault(claims, rules, now) ?? issuerFault(claims, rules) ?? audienceFault(claims, rules)
}

function timeFault({ exp, nbf, iat }: Claims, { tolerance, maxAge }: ClaimRules, now: number): string | undefined {
  if (now >= exp + tolerance) return 'The token has expired.'
  if (nbf !== undefined && now < nbf - tolerance) return 'The token is not valid yet (nbf).'
  if (iat !== undefined && now < iat - tolerance - maxSecondsAhead) return 'The token was issued in the future (iat).'
  if (maxAge === undefined) return undefined
  if (iat === undefined) return 'The claim "iat" is missing, but the option "maxAge" requires it.'
  return now >= iat + maxAge + tolerance ? 'The token is older than the option "maxAge" allows.' : undefined
}

function issuerFault({ iss }: Claims, { issuers }: ClaimRules): string | undefined {
  if (issuers === undefined) return undefined
  if (iss === undefined) return 'The claim "iss" is missing.'
  return issuers.includes(iss) ? undefined : 'The token is from an issuer that is not in the option "issuer".'
}

function audienceFault({ aud }: Claims, { audiences }: ClaimRules): string | undefined {
  // A service must refuse a token if the service is not in the token's audience (RFC 7519 4.1.3).
  // Without the option `audience`, the service cannot know whether it is in this audience.
  if (audiences === undefined)
    return aud === undefined
      ? undefined
      : 'The token has an audience, but no audience is configured: set the option "audience".'
  if (aud === undefined) return 'The claim "aud" is missing.'
  const intended = typeof aud === 'string' ? [aud] : aud
  return intended.some((one) => audiences.includes(one))
    ? undefined
    : 'The token is for an audience that is not in the option "audience".'
}

/**
 * Returns the time at which the claims expire, in seconds since 1970, including the tolerance. The
 * claims must be valid at the time of the call.
 */
export function validUntil({ exp, iat }: Claims, { tolerance, maxAge }: ClaimRules): number {
  return Math.min(exp, iat === undefined || maxAge === undefined ? exp : iat + maxAge) + tolerance
}
