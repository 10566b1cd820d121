/** The secrets of one run: the key that signs tokens, and the only account. */
import { randomBytes, scryptSync } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { type Account, cost, keyOf } from '../by-hand/access.js'
import { loginUser } from './checks.js'

/** The secrets as plain data, which can be sent to other processes. */
export interface Secrets {
  readonly secret: string
  readonly password: string
  readonly account: Account
}

export interface Keys {
  readonly password: string
  token(scope: string): string
  /** Returns a token that is signed with another key. */
  forged(): string
  isToken(text: string): boolean
}

export function makeSecrets(): Secrets {
  const password = randomBytes(12).toString('base64url')
  const salt = randomBytes(16)
  const hash = scryptSync(password, salt, 32, cost)
  return {
    secret: randomBytes(32).toString('base64'),
    password,
    account: { user: loginUser, salt: salt.toString('base64'), hash: hash.toString('base64') },
  }
}

export function keysOf({ secret, password }: Secrets): Keys {
  const key = keyOf(secret)
  const sign = (scope: string, by: typeof key): string =>
    jwt.sign({ sub: 'bench', scope }, by, { algorithm: 'HS256', expiresIn: '12h' })
  return {
    password,
    token: (scope) => sign(scope, key),
    forged: () => sign('*:read *:write', keyOf(randomBytes(32).toString('base64'))),
    isToken(text) {
      try {
        jwt.verify(text, key, { algorithms: ['HS256'] })
        return true
      } catch {
        return false
      }
    },
  }
}
