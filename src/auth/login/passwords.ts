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
   * The binary logarithm of scrypt's N, from 15 to 17. 15 needs 32 MiB and some tenths of a second;
   * each step doubles both. Default 15.
   */
  readonly cost?: number
}

const saltLength = 16
const hashLength = 32

/**
 * Hashes a password for storage, as a PHC string of scrypt with a random salt (AUTH-6). At most two
 * passwords are hashed at a time. Rejects with the problem `rule` (422) if the password is not a
 * string, is empty, is over 1,024 bytes or has control characters; with `Unavailable` (503) if the
 * hash would wait about 4 seconds or more; and with `ConfigurationError` if an option is invalid.
 *
 * @example await users.insert({ name, hash: await hashPassword(password) }) // '$scrypt$ln=15,r=8,p=3$...'
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
 * Whether a password matches a stored hash, whose parameters are read from the hash (AUTH-6). False
 * for a password that could not have been stored, such as an empty one. Rejects with `Unavailable`
 * (503) if the check would wait about 4 seconds or more, and with `ConfigurationError` if the hash
 * is not one of scrypt, or needs more than 256 MiB or 21 times the work of the current parameters.
 *
 * @example if (!(await checkPassword(password, user.hash))) throw new HttpProblem('unauthenticated')
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
 * Whether a prepared password matches a stored hash. Call it within a turn of the hashing queue.
 */
export async function matches(prepared: string, stored: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(prepared, stored.salt, stored.hash.length, stored), stored.hash)
}

/**
 * Whether a stored hash needs less memory or work to attack than the current parameters, or can't
 * be parsed. Rehash the password at the next login, the only time it is available. Throws
 * `ConfigurationError` if an option is invalid.
 */
export function needsRehash(hash: string, options: PasswordOptions = {}): boolean {
  const cost = costOf('needsRehash()', options)
  const stored = parsePasswordHash(hash)
  return stored === undefined || isWeaker(stored, cost)
}

/** Whether an attack costs less work or memory with `cost` than with `than`. */
export function isWeaker(cost: Cost, than: Cost): boolean {
  return workOf(cost) < workOf(than) || memoryOf({ ...cost, p: 1 }) < memoryOf({ ...than, p: 1 })
}

export const passwordKinds: Kinds<PasswordOptions> = { cost: { oneOf: [15, 16, 17] } }

function costOf(what: string, options: PasswordOptions): Cost {
  const { cost = currentCost.ln } = checkOptions<PasswordOptions>(what, options, passwordKinds)
  return { ...currentCost, ln: cost }
}
