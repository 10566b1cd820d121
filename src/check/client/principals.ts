/** Principals: their tokens, and the header field that carries them. */
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
   * The environment variable from which a script reads the token. Default: made from the name, such
   * as `READER_TOKEN`.
   */
  readonly variable?: string
  /** Templates of collections that it may not read, such as `/orders`: they must be 403 for it. */
  readonly forbidden?: readonly string[]
  /** Whether the token has expired: it must be 401 everywhere. Default false. */
  readonly expired?: boolean
  /** Whether it may only read: then `Allow` must name no write methods. Default false. */
  readonly readOnly?: boolean
}

export const variableOf = ({ name, variable }: Principal): string =>
  variable ??
  `${name
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase()}_TOKEN`

/** A header field, as its name and the text before the token. */
export function carrierOf({ header: name = header.authorization }: Principal): {
  readonly name: string
  readonly scheme: string
} {
  return { name, scheme: name.toLowerCase() === 'authorization' ? 'Bearer ' : '' }
}

/** The number of replaced characters at the end of an altered token. */
export const alteredLength = 12

/** The replacement, which differs from any signature in some characters. */
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

/** It is not secret. */
export const wrongPassword = 'not-the-password-of-this-user'

const basic = ({ user, password }: { readonly user: string; readonly password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/**
 * The header field of a caller. None without credentials.
 *
 * @param principals by name
 */
export function credentialOf(
  caller: Caller,
  principals: ReadonlyMap<string, Principal>,
  account?: Account,
): Readonly<Record<string, string>> {
  if (caller.kind === 'nobody') return {}
  if (caller.kind === 'basic') return { [header.authorization]: basic(caller) }
  if (caller.kind === 'account' || caller.kind === 'wrong-password') {
    if (account === undefined) return {}
    const password = caller.kind === 'account' ? account.password : wrongPassword
    return { [header.authorization]: basic({ user: account.user, password }) }
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
