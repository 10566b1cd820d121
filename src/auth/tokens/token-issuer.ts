/** Tokens of a service's own (AUTH-2, AUTH-5): signed so that its own verifier takes them. */

import { createPublicKey, type KeyObject } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { isObject } from '../../definition/json.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import type { ConfigurationError } from '../../problem.js'
import type { TokenAlgorithm } from './algorithms.js'
import { type Claims, readClaims } from './claims.js'
import { prepareKey, type TokenKey } from './keys.js'
import { frozenList, oneOrMore, soleText } from './token-options.js'
import { longestToken } from './token-text.js'

/** How tokens are made. */
export interface TokenIssuerOptions {
  /** The secret or private key that signs. Give it a `kid`: then it can be followed by another one. */
  readonly key: TokenKey
  /** The claim `iss`: who has issued the token. Default none. */
  readonly issuer?: string
  /** The claim `aud`: whom the token is meant for. Default none. */
  readonly audience?: string | readonly string[]
  /** Seconds that a token is valid. Default 3,600: one hour. */
  readonly lifetime?: number
  /** The header `typ`, such as `at+jwt` (RFC 9068 2.1). Default `JWT`. */
  readonly type?: string
}

/** Makes a token of what a team says of the caller: `sub`, whom it is for (RFC 7519 4.1.2), and claims of its own. Times, issuer and audience are the issuer's part. */
export type TokenIssuer = <C extends { readonly sub: string }>(claims: C) => string

/** What a key may be, `prepareKey` says: no message may hold any of it. */
export const tokenIssuerKinds: Kinds<TokenIssuerOptions> = {
  key: 'any',
  issuer: soleText,
  audience: oneOrMore,
  lifetime: { from: 1, whole: true, unit: 'seconds' },
  type: soleText,
}

/** Claims that a caller of the issuer can't give. */
const ours = ['iat', 'exp'] as const

/**
 * Issues tokens: `sub` and claims of the team's own, with `iat`, `exp`, issuer and audience set and the key's `kid` in the header (AUTH-2, AUTH-5). Throws
 * `ConfigurationError` where an option makes no sense, the key is weak or can't sign; the function it gives throws one for claims that are undefined, or of which a
 * verifier would refuse the token. A token is signed, not encrypted: put no secret into it.
 *
 * @example
 * const issue = tokenIssuer({ key: { kid: '2026-11', algorithm: 'ES256', key: privatePem }, issuer: 'https://login.example', audience: 'courier' })
 * const token = issue({ sub: user.id, roles: user.roles })
 */
export function tokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  const what = 'tokenIssuer()'
  const given = checkOptions<TokenIssuerOptions>(what, options, tokenIssuerKinds)
  const { kid, algorithm, key } = prepareKey(`The key of ${what}`, given.key, 'sign')
  const { issuer, audience, lifetime = 3600, type = 'JWT' } = given
  const fixed = {
    ...(issuer === undefined ? {} : { iss: issuer }),
    ...(audience === undefined ? {} : { aud: typeof audience === 'string' ? audience : frozenList(audience) }),
  }
  const header = { alg: algorithm, typ: type }
  const signing = { algorithm, header, ...(kid === undefined ? {} : { keyid: kid }) }

  const issue: TokenIssuer = (claims) => {
    const iat = Math.floor(Date.now() / 1000)
    const token = jsonwebtoken.sign(checked(claims, fixed, { iat, exp: iat + lifetime }), key, signing)
    if (token.length > longestToken)
      throw refused(`they make a token of more than ${longestToken} characters. Leave out what can be looked up.`)
    return token
  }
  // A key whose halves do not belong together shows here, and not at the first login.
  if (!verifies(() => issue({ sub: what }), key, algorithm)) {
    throw invalidOption(`The key of ${what} makes signatures that do not verify. Give a key that is whole.`)
  }
  return issue
}

function verifies(issue: () => string, key: KeyObject, algorithm: TokenAlgorithm): boolean {
  try {
    jsonwebtoken.verify(issue(), key.type === 'private' ? createPublicKey(key) : key, { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}

/** The claims as they will stand on the wire, read as a verifier will read them. */
function checked(claims: { readonly sub: string }, fixed: object, times: object): Claims {
  if (!isObject(claims) || typeof claims.sub !== 'string') throw refused('"sub" is no text. Say whom the token is for.')
  for (const name of [...ours, ...Object.keys(fixed)]) {
    if (Object.hasOwn(claims, name))
      throw refused(`"${name}" is set by the issuer. Leave it out, or make another issuer.`)
  }
  const empty = Object.keys(claims).find((name) => claims[name as keyof typeof claims] === undefined)
  // JSON would leave it out without a word, and a service that goes by it would see none.
  if (empty !== undefined) throw refused(`"${empty}" is undefined. Give it a value, or leave it out.`)
  const read = readClaims(Buffer.from(written({ ...claims, ...fixed, ...times })))
  if (typeof read === 'string') throw refused(`a verifier would refuse the token: ${read}`)
  return read
}

function written(claims: object): string {
  try {
    return JSON.stringify(claims)
  } catch {
    throw refused('they hold what JSON can not write: a cycle or a bigint. Give JSON values.')
  }
}

const refused = (why: string): ConfigurationError => invalidOption(`The claims of a token can not be issued: ${why}`)
