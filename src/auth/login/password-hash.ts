/** How a hashed password is written: PHC strings of scrypt (RFC 7914), `$scrypt$ln=15,r=8,p=3$salt$hash` (AUTH-6). */

/** What a hashing costs. */
export interface Cost {
  /** The binary logarithm of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/**
 * N = 2^15, r = 8, p = 3: one of the sets that the OWASP Password Storage Cheat Sheet holds equal;
 * the others want more memory or more time.
 */
export const todaysCost: Cost = Object.freeze({ ln: 15, r: 8, p: 3 })

export interface PasswordHash extends Cost {
  readonly salt: Buffer
  readonly hash: Buffer
}

/** A hash may ask for no more than this: whoever can write one into the database must not be able to take the process's memory or hours. */
const most = { memory: 256 * 1024 * 1024, work: 2 ** 24 }

/** Steps of a hashing: what its time is proportional to. */
export const workOf = ({ ln, r, p }: Cost): number => 2 ** ln * r * p

/** Bytes that a hashing needs at once (RFC 7914 2). */
export const memoryOf = ({ ln, r, p }: Cost): number => 128 * r * (2 ** ln + p)

const pattern =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** Reads a stored hash; `undefined` where it is none of scrypt's, or asks for more than 256 MiB or 2^24 steps (21 times today's). */
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
  return memoryOf(read) <= most.memory && workOf(read) <= most.work ? read : undefined
}

export function formatPasswordHash({ ln, r, p, salt, hash }: PasswordHash): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
