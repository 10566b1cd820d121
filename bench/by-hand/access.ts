/** Hand-written tokens, limits and passwords, with Node and `jsonwebtoken`. */
import { createSecretKey, type KeyObject, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import jwt from 'jsonwebtoken'
import { Problem } from './problem.js'

export interface Caller {
  readonly sub: string
  readonly scope: string
}

/** Built once: jsonwebtoken converts a text key on every call, at fifty times the cost. */
export const keyOf = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'base64'))

const refused = (detail: string): Problem =>
  new Problem(401, 'Authentication is required', detail, { 'WWW-Authenticate': 'Bearer realm="api"' })

/** Returns the caller of `Authorization: Bearer`. Throws a 401. */
export function authenticate(field: string | undefined, key: KeyObject): Caller {
  if (field === undefined || !field.startsWith('Bearer ')) throw refused('Send a token in Authorization.')
  try {
    return jwt.verify(field.slice(7), key, { algorithms: ['HS256'] }) as unknown as Caller
  } catch {
    throw refused('The token is not valid.')
  }
}

/** Checks scopes such as `pre-piezas:read`, or `*:read`. Throws a 403. */
export function authorize({ scope }: Caller, action: 'read' | 'write'): void {
  const scopes = scope.split(' ')
  if (!scopes.includes(`*:${action}`) && !scopes.includes(`pre-piezas:${action}`))
    throw new Problem(403, 'That is not allowed', `The token lacks pre-piezas:${action}.`)
}

/** Too high to be reached here. */
export const limit = 1_000_000_000

/**
 * A fixed window of one minute for each caller: returns the remaining requests, or throws a 429.
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

/** The cost that the OWASP Password Storage Cheat Sheet recommends, and that the library uses. */
export const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const hashing = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Returns the user of Basic credentials, or throws a 401 after the same work. */
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
