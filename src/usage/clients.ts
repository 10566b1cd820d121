/** The name of a client in counts: from its token, from the team's function, or a keyed hash. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isContainer } from '../definition/json.js'
import { principalName } from '../limits/keys.js'
import { invalidOption } from '../options/check.js'
import { unawaited } from '../promise.js'
import { longestName, unnamedClient } from './counts.js'

/** Returns the name of the client of a request; `undefined` if it has none. */
export type ClientNamer = (principal: unknown, req: IncomingMessage) => string | undefined

/** How clients are named. */
export interface ClientOptions {
  /**
   * `token`: by `azp` or `client_id` of the token's claims, where the principal is these. `hash`: by
   * a keyed hash of the principal's name alone. A function gives the name itself. Default: clients
   * are not counted apart.
   */
  readonly client?: 'token' | 'hash' | ClientNamer
  /**
   * The key of the hash (HMAC with SHA-256) that stands for callers whose token names no client: at
   * least 16 characters or bytes, the same in all processes. Without it they are `(unnamed)`.
   */
  readonly secret?: string | Uint8Array
}

/** Characters of a hash in hexadecimal digits: 64 bits. */
const hashLength = 16

/** The label of a request: never throws; empty where clients are not counted apart. */
export function clientLabels({ client, secret }: ClientOptions): (principal: unknown, req: IncomingMessage) => string {
  if (client === undefined) return () => ''
  if (client === 'hash' && secret === undefined)
    throw invalidOption('usage() with client: \'hash\' needs a secret. Give "secret", the same in all processes.')
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

/** While a token is cached its claims are the same object, so each is hashed only once. */
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

/** Names go into terminals, pages and metrics. */
const clean = (name: string): string => name.slice(0, longestName).replace(/[^\P{C}]/gu, '?')
