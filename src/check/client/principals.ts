/**
 * Principals, which are callers with a token, and the header fields that carry their credentials.
 */
import { isObject, type JsonObject } from '../../definition/json.js'
import { header } from '../../wire.js'
import type { Caller } from './exchange.js'

/** A user that can log in (AUTH-2). */
export interface Account {
  readonly user: string
  readonly password: string
}

/** A caller with a token. */
export interface Principal {
  /** The name in reports, such as `reader`. */
  readonly name: string
  readonly token: string
  /** The header field that carries the token. Default `Authorization`, with the scheme `Bearer`. */
  readonly header?: string
  /**
   * The environment variable from which a script reads the token. The default is derived from the
   * name: `reader` becomes `READER_TOKEN`.
   */
  readonly variable?: string
  /**
   * The path templates of collections that the principal must not read, such as `/orders`. The
   * service must respond with 403 if the principal requests them.
   */
  readonly forbidden?: readonly string[]
  /**
   * Whether the token has expired. If so, the service must respond with 401 to each request of the
   * principal. Default false.
   */
  readonly expired?: boolean
  /**
   * Whether the principal may only read. If so, `Allow` must contain no write methods in responses
   * to the principal. Default false.
   */
  readonly readOnly?: boolean
}

export const variableOf = ({ name, variable }: Principal): string =>
  variable ??
  `${name
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase()}_TOKEN`

/**
 * The header field that carries the token of a principal: the name of the field, and the prefix of
 * its value before the token.
 */
export function carrierOf({ header: name = header.authorization }: Principal): {
  readonly name: string
  readonly scheme: string
} {
  return { name, scheme: name.toLowerCase() === 'authorization' ? 'Bearer ' : '' }
}

/** The number of replaced characters at the end of an altered token. */
export const alteredLength = 12

/**
 * The string that replaces the end of a token. No real signature is expected to end with this
 * string.
 */
export const alteredEnd = 'Q'.repeat(alteredLength)

/** The header of a JSON Web Token with the algorithm "none". */
export const unsignedHead = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')

/** The claims of a JSON Web Token; `undefined` for any other token. */
export function claimsOf(token: string): JsonObject | undefined {
  const [head, claims, , ...more] = token.split('.').map(decoded)
  return more.length === 0 && isObject(head) && typeof head.alg === 'string' && isObject(claims) ? claims : undefined
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** The wrong password that checks send. It is not secret. */
export const wrongPassword = 'not-the-password-of-this-user'

/** The value of `Authorization` for Basic authentication. */
export const basicOf = ({ user, password }: { readonly user: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/**
 * The header field with the credentials of a caller. Empty if the caller has no credentials.
 *
 * @param principals - the principals, by their names
 */
export function credentialOf(
  caller: Caller,
  principals: ReadonlyMap<string, Principal>,
  account?: Account,
): Readonly<Record<string, string>> {
  if (caller.kind === 'nobody') return {}
  if (caller.kind === 'basic') return { [header.authorization]: basicOf(caller) }
  if (caller.kind === 'account' || caller.kind === 'wrong-password') {
    if (account === undefined) return {}
    const password = caller.kind === 'account' ? account.password : wrongPassword
    return { [header.authorization]: basicOf({ user: account.user, password }) }
  }
  if (caller.kind === 'session') return { [header.token]: caller.token }
  const [first] = principals.values()
  const principal = caller.kind === 'forged' ? first : principals.get(caller.name)
  if (principal === undefined) return {}
  const { name, scheme } = carrierOf(principal)
  if (caller.kind === 'forged') return { [name]: `${scheme}${caller.token}` }
  const { token } = principal
  if (caller.kind === 'unsigned') return { [name]: `${scheme}${unsignedHead}.${token.split('.')[1] ?? ''}.` }
  return { [name]: `${scheme}${caller.kind === 'altered' ? `${token.slice(0, -alteredLength)}${alteredEnd}` : token}` }
}
