/** Who is counted: principals and addresses as keys of a store, of bounded length (LIMIT-1). */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientAddress } from '../http/client-address.js'

/** Characters of a name that a key holds as it is; a longer one is hashed. */
const longest = 64

/** The key of an address. No key of a principal equals it. */
export function addressKey(req: IncomingMessage): string {
  return named('a', clientAddress(req))
}

/** The key of a principal's name. */
export function principalKey(name: string): string {
  return named('p', name)
}

/** The name of a principal: its `sub` with its `iss` (RFC 7519 4.1), or itself where it is a text or a number; `undefined` for others. */
export function principalName(principal: unknown): string | undefined {
  if (isName(principal)) return String(principal)
  if (typeof principal !== 'object' || principal === null) return undefined
  const { sub, iss } = principal as { readonly sub?: unknown; readonly iss?: unknown }
  if (!isName(sub)) return undefined
  // As JSON both, so that no subject spells the name of another issuer's.
  return JSON.stringify(iss === undefined ? [sub] : [iss, sub])
}

/** What is empty, or no number, names nobody: all who have no better one would share it. */
const isName = (value: unknown): value is string | number =>
  typeof value === 'string' ? value !== '' : typeof value === 'number' && !Number.isNaN(value)

/** A text that says nothing of what it stands for, and is always the same for it. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** A hashed name begins otherwise: nobody can name themselves like somebody's hash. */
function named(kind: 'a' | 'p', name: string): string {
  return name.length <= longest ? `${kind}:${name}` : `${kind}#${digest(name)}`
}
