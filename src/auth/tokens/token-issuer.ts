/**
 * Issues a service's own tokens, in the format that the library's verifier accepts (AUTH-2,
 * AUTH-5).
 */

import { createPublicKey, type KeyObject } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { isObject } from '../../definition/json.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import { declareFactory } from '../../options/factories.js'
import type { Kinds } from '../../options/kinds.js'
import type { ConfigurationError } from '../../problem.js'
import type { TokenAlgorithm } from './algorithms.js'
import { type Claims, readClaims } from './claims.js'
import { prepareKey, type TokenKey } from './keys.js'
import { frozenList, oneOrMore, soleText } from './token-options.js'
import { longestToken } from './token-text.js'

/** The options of `tokenIssuer()`. */
export interface TokenIssuerOptions {
  /** The secret or private key for signing. Set its `kid`, so that the key can be rotated. */
  readonly key: TokenKey
  /** The claim `iss`: the issuer of the token. Default none. */
  readonly issuer?: string
  /** The claim `aud`: the services that the token is for. Default none. */
  readonly audience?: string | readonly string[]
  /** How long a token is valid, in seconds. Default 3,600: one hour. */
  readonly lifetime?: number
  /** The member `typ` of the token's header, such as `at+jwt` (RFC 9068 2.1). Default `JWT`. */
  readonly type?: string
}

/**
 * Creates a token from claims. `sub` is the subject of the token (RFC 7519 4.1.2). Other claims are
 * optional. The times (`iat` and `exp`), the issuer and the audience are added automatically.
 */
export type TokenIssuer = <C extends { readonly sub: string }>(claims: C) => string

/**
 * The rules for the options. `key` has no rule here: `prepareKey` checks it, and its messages do
 * not contain the key.
 */
export const tokenIssuerKinds: Kinds<TokenIssuerOptions> = {
  key: 'any',
  issuer: soleText,
  audience: oneOrMore,
  lifetime: { from: 1, whole: true, unit: 'seconds' },
  type: soleText,
}

/** The claims that the issuer always sets itself. */
const reservedClaims = ['iat', 'exp'] as const

/**
 * Creates an issuer of tokens. A token contains the given claims, `iat` and `exp`, and also the
 * issuer and the audience if they are set. Its header contains the `kid` of the key, if the key has
 * one (AUTH-2, AUTH-5). The returned function throws `ConfigurationError` if the claims cannot be
 * issued, for example because a claim is undefined, or because a verifier would refuse the token.
 * Tokens are signed but not encrypted, so do not put secrets into them.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid or the key can't sign,
 * `weak-key` if the key is weak
 *
 * @example
 * const issue = tokenIssuer({
 *   key: { kid: '2026-11', algorithm: 'ES256', key: privatePem },
 *   issuer: 'https://login.example',
 *   audience: 'courier',
 * })
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
      throw refused(`the token would have more than ${longestToken} characters. Remove claims that can be looked up.`)
    return token
  }
  // If the private and public parts of the key do not match, the error is thrown here, before the
  // first login.
  if (!verifies(() => issue({ sub: what }), key, algorithm)) {
    throw invalidOption(
      `The key of ${what} creates signatures that cannot be verified. Use a key whose private and public parts match.`,
    )
  }
  return issue
}

declareFactory(tokenIssuer, 'tokenIssuer({ ... })')

function verifies(issue: () => string, key: KeyObject, algorithm: TokenAlgorithm): boolean {
  try {
    jsonwebtoken.verify(issue(), key.type === 'private' ? createPublicKey(key) : key, { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}

/**
 * Returns the complete claims of a token, parsed as a verifier will parse them. Throws
 * `ConfigurationError` if the claims cannot be issued.
 */
function checked(claims: { readonly sub: string }, fixed: object, times: object): Claims {
  if (!isObject(claims) || typeof claims.sub !== 'string')
    throw refused('"sub" is not a string. Set it to the subject of the token.')
  for (const name of [...reservedClaims, ...Object.keys(fixed)]) {
    if (Object.hasOwn(claims, name))
      throw refused(`"${name}" is set by the issuer. Remove it, or create another issuer.`)
  }
  const empty = Object.keys(claims).find((name) => claims[name as keyof typeof claims] === undefined)
  // JSON would silently omit the claim, and a service that relies on the claim would not find it.
  if (empty !== undefined) throw refused(`"${empty}" is undefined. Set a value, or remove it.`)
  const read = readClaims(Buffer.from(written({ ...claims, ...fixed, ...times })))
  if (typeof read === 'string') throw refused(`a verifier would refuse the token: ${read}`)
  return read
}

function written(claims: object): string {
  try {
    return JSON.stringify(claims)
  } catch {
    throw refused('they contain a value that JSON does not support, such as a cycle or a bigint. Use JSON values.')
  }
}

const refused = (why: string): ConfigurationError => invalidOption(`The claims of a token cannot be issued: ${why}`)
