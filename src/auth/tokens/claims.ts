/** The claims of a token and what they must hold (AUTH-5; RFC 7519 4.1, RFC 8725 3.8, 3.9, 3.10). */
import { freezeThroughout } from '../../definition/fixed.js'
import { isList, isObject } from '../../definition/json.js'
import { parseJson } from '../../http/json-text.js'

/** The claims of a verified token, frozen all the way down: requests with one token share them. Times are seconds since 1970 (RFC 7519 2, NumericDate). */
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

/** How deep header and claims may nest. */
export const depth = 16

/** Seconds that `iat` may lie ahead of our clock, beside the tolerance: clocks differ, and a token from further ahead is forged or its issuer's clock broken. */
const aheadAtMost = 60

/** The claims that a payload holds, or what is wrong with it. They are frozen. */
export function readClaims(payload: Uint8Array): Claims | string {
  const json = parseJson(payload, { depth })
  if ('malformed' in json) return 'The payload is no JSON that every reader would understand alike.'
  if (!isObject(json.value)) return 'The payload is no JSON object.'
  return formFault(json.value) ?? (freezeThroughout(json.value) as Claims)
}

const forms: Readonly<Record<string, { readonly holds: (value: unknown) => boolean; readonly form: string }>> = {
  exp: { holds: Number.isFinite, form: 'a number' },
  nbf: { holds: Number.isFinite, form: 'a number' },
  iat: { holds: Number.isFinite, form: 'a number' },
  iss: { holds: (value) => typeof value === 'string', form: 'a string' },
  sub: { holds: (value) => typeof value === 'string' && value !== '', form: 'a string that is not empty' },
  aud: {
    holds: (value) => typeof value === 'string' || (isList(value) && value.every((one) => typeof one === 'string')),
    form: 'a string or strings',
  },
  jti: { holds: (value) => typeof value === 'string', form: 'a string' },
}

function formFault(claims: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.hasOwn(claims, 'exp')) return 'The claim "exp" is missing.'
  for (const name of Object.keys(forms)) {
    const rule = forms[name]
    if (rule === undefined || !Object.hasOwn(claims, name) || rule.holds(claims[name])) continue
    return `The claim "${name}" is not ${rule.form}.`
  }
  return undefined
}

/** What a service asks of claims, beyond their form. Times in seconds. */
export interface ClaimRules {
  readonly issuers: readonly string[] | undefined
  readonly audiences: readonly string[] | undefined
  readonly tolerance: number
  readonly maxAge: number | undefined
}

/** What is wrong with claims at this time, in seconds since 1970; `undefined` where nothing is. */
export function claimFault(claims: Claims, rules: ClaimRules, now: number): string | undefined {
  return timeFault(claims, rules, now) ?? issuerFault(claims, rules) ?? audienceFault(claims, rules)
}

function timeFault({ exp, nbf, iat }: Claims, { tolerance, maxAge }: ClaimRules, now: number): string | undefined {
  if (now >= exp + tolerance) return 'The token has expired.'
  if (nbf !== undefined && now < nbf - tolerance) return 'The token is not valid yet (nbf).'
  if (iat !== undefined && now < iat - tolerance - aheadAtMost) return 'The token was issued in the future (iat).'
  if (maxAge === undefined) return undefined
  if (iat === undefined) return 'The claim "iat" is missing, and "maxAge" goes by it.'
  return now >= iat + maxAge + tolerance ? 'The token is older than "maxAge".' : undefined
}

function issuerFault({ iss }: Claims, { issuers }: ClaimRules): string | undefined {
  if (issuers === undefined) return undefined
  if (iss === undefined) return 'The claim "iss" is missing.'
  return issuers.includes(iss) ? undefined : 'The token is from an issuer other than "issuer".'
}

function audienceFault({ aud }: Claims, { audiences }: ClaimRules): string | undefined {
  // RFC 7519 4.1.3: who is not among the audience must refuse, and who names none can't know that it is.
  if (audiences === undefined)
    return aud === undefined ? undefined : 'The token has an audience, and this service names none: set "audience".'
  if (aud === undefined) return 'The claim "aud" is missing.'
  const meant = typeof aud === 'string' ? [aud] : aud
  return meant.some((one) => audiences.includes(one))
    ? undefined
    : 'The token is meant for another audience than "audience".'
}

/** When claims that hold now will not hold any more, in seconds since 1970. */
export function validUntil({ exp, iat }: Claims, { tolerance, maxAge }: ClaimRules): number {
  return Math.min(exp, iat === undefined || maxAge === undefined ? exp : iat + maxAge) + tolerance
}
