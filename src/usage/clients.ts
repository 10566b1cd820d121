/** Names clients for counts: by their token, by the service's own function, or by a keyed hash. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { principalName } from '../limits/keys.js'
import { invalidOption } from '../options/check.js'
import { unawaited } from '../promise.js'
import { longestName, unnamedClient } from './counts.js'

/** Returns the name of the client of a request; `undefined` if the client has no name. */
export type ClientNamer = (principal: unknown, req: IncomingMessage) => string | undefined

/** How clients are distinguished. */
export interface ClientOptions {
  /**
   * How clients are named. `token`: by the claim `azp` or `client_id`, if the principal consists of
   * the claims of a token. `hash`: by a keyed hash of the principal's name. A function returns the
   * name itself. Default: clients are not distinguished.
   */
  readonly client?: 'token' | 'hash' | ClientNamer
  /**
   * The key of the hash (HMAC with SHA-256): at least 16 characters or bytes, the same in all
   * processes. If neither the token nor the function provides a name, the client's name is the
   * keyed hash of the principal's name. If this hash can't be computed (no `secret`, or a principal
   * without a name), or if the function throws, the client's name is `(unnamed)`.
   */
  readonly secret?: string | Uint8Array
}

/** The length of a hash in hexadecimal digits. 16 digits are 64 bits. */
const hashLength = 16

/**
 * Returns a function that names the client of a request. The returned function never throws. The
 * name is empty if clients are not distinguished. Throws `ConfigurationError` if `hash` has no
 * secret.
 */
export function clientLabels({ client, secret }: ClientOptions): (principal: unknown, req: IncomingMessage) => string {
  if (client === undefined) return () => ''
  if (client === 'hash' && secret === undefined)
    throw invalidOption(
      'usage() with client: \'hash\' needs a secret. Set "secret" to the same value in all processes.',
    )
  const key = secret === undefined ? undefined : createSecretKey(Buffer.from(secret as string))
  const named = typeof client === 'function' ? client : client === 'token' ? tokenClient : () => undefined
  return (principal, req) => {
    try {
      const name = unawaited(named(principal, req))
      if (typeof name === 'string' && name !== '') return clean(name)
      return hashed(key, principal)
    } catch {
      return unnamedClient
    }
  }
}

/** The client that a token was issued to (OpenID Connect Core 2, RFC 9068 2.2). */
export function tokenClient(principal: unknown): string | undefined {
  if (!isContainer(principal)) return undefined
  const { azp, client_id: clientId } = principal as { readonly azp?: unknown; readonly client_id?: unknown }
  for (const name of [azp, clientId]) if (typeof name === 'string' && name !== '') return name
  return undefined
}

/**
 * The known hashes, by principal. The claims of a cached token are always the same object, so each
 * cached token is hashed only once.
 */
const hashes = new WeakMap<object, { readonly key: KeyObject; readonly hash: string }>()

function hashed(key: KeyObject | undefined, principal: unknown): string {
  if (key === undefined) return unnamedClient
  const known = isContainer(principal) ? hashes.get(principal) : undefined
  if (known?.key === key) return known.hash
  const name = principalName(principal)
  if (name === undefined) return unnamedClient
  const hash = `hmac:${createHmac('sha256', key).update(name).digest('hex').slice(0, hashLength)}`
  if (isContainer(principal)) hashes.set(principal, { key, hash })
  return hash
}

/**
 * Truncates a name, and replaces control characters and all other characters of the Unicode
 * category C, because names are shown in terminals, pages and metrics.
 */
const clean = (name: string): string => name.slice(0, longestName).replace(/[^\P{C}]/gu, '?')
