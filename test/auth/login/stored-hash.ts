/** Creates stored hashes of any strength for tests. `hashPassword()` creates only strong hashes. */
import { randomBytes, scryptSync } from 'node:crypto'
import { type Cost, formatPasswordHash } from '../../../src/auth/login/password-hash.js'

export function storedHash(password: string, cost: Cost): string {
  const salt = randomBytes(16)
  const hash = scryptSync(password, salt, 32, { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 300 * 1024 * 1024 })
  return formatPasswordHash({ ...cost, salt, hash })
}

/** Returns a stored hash of random bytes, which no password matches. Nothing is hashed. */
storedHash.format = (cost: Cost): string =>
  formatPasswordHash({ ...cost, salt: randomBytes(16), hash: randomBytes(32) })
