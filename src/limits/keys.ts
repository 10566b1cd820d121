/** Who is counted: principals and addresses as keys of a store, of bounded length (LIMIT-1). */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { clientAddress } from '../http/client-address.js'

/** Characters of a name that a key holds as it is; a longer one is hashed. */
const longest = 64

/** The key of an address. No key of a principal equals it. */
export function addressKey(req: IncomingMessage): string {
  return named('a', clientAddress(req))
}

/** The key of a name that a service gives a principal. */
export function nameKey(name: string): string {
  return named('p', name)
}

/** The key of a principal by its own name; `undefined` where it has none. */
export function principalKey(principal: unknown): string | undefined {
  if (!isContainer(principal)) return keyOfName(principal)
  const { sub, iss } = principal as Holder
  const kept = keys.get(principal)
  if (kept !== undefined && kept.sub === sub && kept.iss === iss) return kept.key
  const key = keyOfName(principal)
  // What is no text may change and stay the same object.
  if (key !== undefined && (iss === undefined || typeof iss === 'string')) keys.set(principal, { sub, iss, key })
  return key
}

/** A token's claims are one object as long as it is cached: its key is made once. Who changes them in place gets another. */
const keys = new WeakMap<object, Holder & { readonly key: string }>()

/** What names the holder of a token. */
interface Holder {
  readonly sub?: unknown
  readonly iss?: unknown
}

function keyOfName(principal: unknown): string | undefined {
  const name = principalName(principal)
  return name === undefined ? undefined : nameKey(name)
}

/** The name of a principal: its `sub` with its `iss` (RFC 7519 4.1), or itself where it is a text or a number; `undefined` for others. */
export function principalName(principal: unknown): string | undefined {
  if (isName(principal)) return String(principal)
  if (!isContainer(principal)) return undefined
  const { sub, iss } = principal as Holder
  if (!isName(sub)) return undefined
  // As JSON both, so that no subject spells the name of another issuer's.
  return JSON.stringify(iss === undefined ? [sub] : [iss, sub])
}

/** What is empty, or no number, names nobody: all who have no better one would share it. */
const isName = (value: unknown): value is string | number =>
  typeof value === 'string' ? value !== '' : typeof value === 'number' && !Number.isNaN(value)

/** A text that says nothing of what it stands for, and is always the same for it. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** A hashed name begins otherwise: nobody can name themselves like somebody's hash. */
function named(kind: 'a' | 'p', name: string): string {
  return name.length <= longest ? `${kind}:${name}` : `${kind}#${digestOf(name)}`
}
