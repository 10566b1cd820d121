/** Derives store keys of bounded length from principals and addresses (LIMIT-1). */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { clientAddress } from '../http/client-address.js'

/** The maximum length of a name in a key; longer names are hashed. */
const longest = 64

/** The key of the client's address. It never equals the key of a principal. */
export function addressKey(req: IncomingMessage): string {
  return named('a', clientAddress(req))
}

/** The key for a name that a service assigns to a principal. */
export function nameKey(name: string): string {
  return named('p', name)
}

/** The key of a principal, by its own name; `undefined` if it has none. */
export function principalKey(principal: unknown): string | undefined {
  if (!isContainer(principal)) return keyOfName(principal)
  const { sub, iss } = principal as Holder
  const kept = keys.get(principal)
  if (kept !== undefined && kept.sub === sub && kept.iss === iss) return kept.key
  const key = keyOfName(principal)
  // An `iss` that is an object may change without being replaced.
  if (key !== undefined && (iss === undefined || typeof iss === 'string')) keys.set(principal, { sub, iss, key })
  return key
}

/**
 * A cached token's claims are one object, so its key is computed once. If `sub` or `iss` was
 * replaced, it is computed again.
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
 * The name of a principal: its `sub` with its `iss` (RFC 7519 4.1), or the principal itself if it
 * is a string or a number; `undefined` for others.
 */
export function principalName(principal: unknown): string | undefined {
  if (isName(principal)) return String(principal)
  if (!isContainer(principal)) return undefined
  const { sub, iss } = principal as Holder
  if (!isName(sub)) return undefined
  // Encoded as JSON, so that no subject can have the name of another issuer's subject.
  return JSON.stringify(iss === undefined ? [sub] : [iss, sub])
}

/** Empty strings and NaN are not names: all principals without a better name would share them. */
const isName = (value: unknown): value is string | number =>
  typeof value === 'string' ? value !== '' : typeof value === 'number' && !Number.isNaN(value)

/** A digest of a text, so that keys do not contain the text itself. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Hashed names have a different prefix, so that no name can equal another name's hash. */
function named(kind: 'a' | 'p', name: string): string {
  return name.length <= longest ? `${kind}:${name}` : `${kind}#${digestOf(name)}`
}
