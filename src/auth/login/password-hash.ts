/**
 * The format of hashed passwords: PHC strings of scrypt (RFC 7914), such as
 * `$scrypt$ln=15,r=8,p=3$salt$hash` (AUTH-6).
 */

/** The cost parameters of scrypt. */
export interface Cost {
  /** The binary logarithm of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/**
 * The parameters of new hashes: N = 2^15, r = 8, p = 3. The OWASP Password Storage Cheat Sheet
 * lists several sets of parameters with equal strength, including this set. A hash needs 32 MiB of
 * memory.
 */
export const currentCost: Cost = Object.freeze({ ln: 15, r: 8, p: 3 })

export interface PasswordHash extends Cost {
  readonly salt: Buffer
  readonly hash: Buffer
}

/**
 * The maximum cost of a stored hash: `memory` in bytes, and `work` in steps. A hash that an
 * attacker has written into the database must not exhaust memory or block the process for hours.
 */
const bounds = { memory: 256 * 1024 * 1024, work: 2 ** 24 }

/** The number of steps of a hash. The duration of the hash is proportional to this number. */
export const workOf = ({ ln, r, p }: Cost): number => 2 ** ln * r * p

/** The bytes of memory that a hash needs (RFC 7914 2). */
export const memoryOf = ({ ln, r, p }: Cost): number => 128 * r * (2 ** ln + p)

const pattern =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/**
 * Parses a stored hash. Returns `undefined` if the value is not an scrypt hash. Also returns
 * `undefined` if the hash needs more than 256 MiB of memory or more than 2^24 steps (about 21 times
 * the steps of the current parameters).
 */
export function parsePasswordHash(text: unknown): PasswordHash | undefined {
  const [, ln, r, p, salt, hash] = (typeof text === 'string' && pattern.exec(text)) || []
  if (hash === undefined) return undefined
  const read = {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt as string, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
  return memoryOf(read) <= bounds.memory && workOf(read) <= bounds.work ? read : undefined
}

export function formatPasswordHash({ ln, r, p, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
