/** Derives store keys of bounded length from principals and IP addresses (LIMIT-1). */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { clientAddress } from '../http/client-address.js'

/** The maximum length of a name in a key; longer names are hashed. */
const longest = 64

/** The key of the client's IP address. It never equals the key of a principal. */
export function addressKey(req: IncomingMessage): string {
  return named('a', clientAddress(req))
}

/** The key for the name of a principal. */
export function nameKey(name: string): string {
  return named('p', name)
}

/** The key of a principal, derived from its name; `undefined` if the principal has no name. */
export function principalKey(principal: unknown): string | undefined {
  if (!isContainer(principal)) return keyOfName(principal)
  const { sub, iss } = principal as Holder
  const kept = keys.get(principal)
  if (kept !== undefined && kept.sub === sub && kept.iss === iss) return kept.key
  const key = keyOfName(principal)
  // If `iss` is an object, its contents may change while the object stays the same, so the key is
  // not cached.
  if (key !== undefined && (iss === undefined || typeof iss === 'string')) keys.set(principal, { sub, iss, key })
  return key
}

/**
 * The store keys of principals. The claims of a cached token are always the same object, so the
 * store key of a cached token is not computed again for each request. If `sub` or `iss` was
 * replaced, the key is computed again.
 */
const keys = new WeakMap<object, Holder & { readonly key: string }>()

/** The claims that identify the subject of a token. */
interface Holder {
  readonly sub?: unknown
  readonly iss?: unknown
}

function keyOfName(principal: unknown): string | undefined {
  const name = principalName(principal)
  return name === undefined ? undefined : nameKey(name)
}

/**
 * The name of a principal: its `sub` with its `iss`, if any (RFC 7519 4.1), or the principal itself
 * if it is a string or a number. `undefined` if there is no such value, or if the value is empty or
 * NaN.
 */
export function principalName(principal: unknown): string | undefined {
  if (isName(principal)) return String(principal)
  if (!isContainer(principal)) return undefined
  const { sub, iss } = principal as Holder
  if (!isName(sub)) return undefined
  // The name is JSON, so that a subject can't have the same name as a subject of another issuer.
  return JSON.stringify(iss === undefined ? [sub] : [iss, sub])
}

/**
 * Empty strings and NaN are not names. Otherwise all principals with such a name would share one
 * key.
 */
const isName = (value: unknown): value is string | number =>
  typeof value === 'string' ? value !== '' : typeof value === 'number' && !Number.isNaN(value)

/** A digest of a string, so that keys do not contain the string itself. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * Returns the key of a name. Hashed names and other names have different prefixes, so that a name
 * that looks like a hash can't get the key of another name.
 */
function named(kind: 'a' | 'p', name: string): string {
  return name.length <= longest ? `${kind}:${name}` : `${kind}#${digestOf(name)}`
}
