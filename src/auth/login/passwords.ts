/** Hashes and checks passwords, and detects outdated hashes (AUTH-6). */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { HttpProblem } from '../../problem.js'
import { hashing } from './hashing-queue.js'
import { longestPassword, prepareOpaqueString } from './opaque-string.js'
import {
  type Cost,
  currentCost,
  formatPasswordHash,
  memoryOf,
  type PasswordHash,
  parsePasswordHash,
  workOf,
} from './password-hash.js'
import { derive } from './scrypt-threads.js'

/** The options for hashing a password. */
export interface PasswordOptions {
  /**
   * The binary logarithm of scrypt's parameter N, from 15 to 17. With 15, a hash needs 32 MiB and a
   * few tenths of a second. Each increment doubles both the memory and the time. Default 15.
   */
  readonly cost?: number
}

const saltLength = 16
const hashLength = 32

/**
 * Hashes a password for storage. The result is a PHC string of scrypt with a random salt (AUTH-6).
 * A process hashes at most two passwords at a time. Rejects with the problem `rule` (422) if the
 * password is not a string, is empty, is longer than 1,024 bytes, contains a control character, or
 * is not well-formed Unicode. Rejects with `Unavailable` (503) if the hashing would have to wait
 * about 4 seconds or more for its turn, and with `ConfigurationError` if an option is invalid.
 *
 * @example
 * const hash = await hashPassword(password) // '$scrypt$ln=15,r=8,p=3$...'
 * await users.insert({ name, hash })
 */
export async function hashPassword(password: string, options: PasswordOptions = {}): Promise<string> {
  const cost = costOf('hashPassword()', options)
  const prepared = prepareOpaqueString(password)
  if (prepared === undefined) {
    throw new HttpProblem('rule', {
      detail:
        `A password is a string of at least one character and at most ${longestPassword} bytes of UTF-8, without ` +
        'control characters.',
    })
  }
  const salt = randomBytes(saltLength)
  const hash = await hashing.run(workOf(cost), () => derive(prepared, salt, hashLength, cost))
  return formatPasswordHash({ ...cost, salt, hash })
}

/**
 * Whether a password matches a stored hash (AUTH-6). The parameters are read from the hash. The
 * result is false for a password that `hashPassword()` refuses, such as an empty one. Rejects with
 * `Unavailable` (503) if the check would have to wait about 4 seconds or more for its turn. Rejects
 * with `ConfigurationError` if the hash is not an scrypt hash, needs more than 256 MiB of memory,
 * or needs more than about 21 times the work of the current parameters.
 *
 * @example
 * if (!(await checkPassword(password, user.hash))) throw new HttpProblem('unauthenticated')
 */
export async function checkPassword(password: string, hash: string): Promise<boolean> {
  const stored = parsePasswordHash(hash)
  if (stored === undefined) {
    throw invalidOption('checkPassword() cannot parse the hash. Pass a hash created by hashPassword().')
  }
  const prepared = prepareOpaqueString(password)
  return prepared !== undefined && hashing.run(workOf(stored), () => matches(prepared, stored))
}

/**
 * Whether a normalized password matches a stored hash. Call this function only inside
 * `hashing.run()`.
 */
export async function matches(prepared: string, stored: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(prepared, stored.salt, stored.hash.length, stored), stored.hash)
}

/**
 * Whether an attack on a stored hash needs less memory or less work than an attack on a new hash
 * with these options. Also true if the stored hash cannot be parsed. If the result is true, hash
 * the password again at the next login, because the password is not available at any other time.
 * Throws `ConfigurationError` if an option is invalid.
 */
export function needsRehash(hash: string, options: PasswordOptions = {}): boolean {
  const cost = costOf('needsRehash()', options)
  const stored = parsePasswordHash(hash)
  return stored === undefined || isWeaker(stored, cost)
}

/**
 * Whether an attack on a hash of cost `cost` needs less work or less memory than an attack on a
 * hash of cost `than`.
 */
export function isWeaker(cost: Cost, than: Cost): boolean {
  return workOf(cost) < workOf(than) || memoryOf({ ...cost, p: 1 }) < memoryOf({ ...than, p: 1 })
}

export const passwordKinds: Kinds<PasswordOptions> = { cost: { oneOf: [15, 16, 17] } }

function costOf(what: string, options: PasswordOptions): Cost {
  const { cost = currentCost.ln } = checkOptions<PasswordOptions>(what, options, passwordKinds)
  return { ...currentCost, ln: cost }
}
