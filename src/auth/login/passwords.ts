/** Stored passwords: made, checked, and known to be of yesterday's strength (AUTH-6). */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { HttpProblem } from '../../problem.js'
import { hashing } from './hashing-queue.js'
import { longestPassword, prepareOpaqueString } from './opaque-string.js'
import {
  type Cost,
  formatPasswordHash,
  memoryOf,
  type PasswordHash,
  parsePasswordHash,
  todaysCost,
  workOf,
} from './password-hash.js'
import { derive } from './scrypt-threads.js'

/** What a password is to be stored with. */
export interface PasswordOptions {
  /** The binary logarithm of scrypt's N, from 15 to 17: 32 MiB and some tenths of a second, each step doubles both. Default 15. */
  readonly cost?: number
}

const saltLength = 16
const hashLength = 32

/**
 * The password as it is to be stored, as a PHC string of scrypt with a salt of its own (AUTH-6). No
 * more than two passwords are hashed at a time. Rejects with the problem `rule` (422) where the
 * password is no text, is empty, over 1,024 bytes or has control characters, with `Unavailable`
 * (503) where the hash would wait some 4 seconds or more for its turn, and with
 * `ConfigurationError` for an option that makes no sense.
 *
 * @example await users.insert({ name, hash: await hashPassword(password) }) // '$scrypt$ln=15,r=8,p=3$...'
 */
export async function hashPassword(password: string, options: PasswordOptions = {}): Promise<string> {
  const cost = costOf('hashPassword()', options)
  const prepared = prepareOpaqueString(password)
  if (prepared === undefined) {
    throw new HttpProblem('rule', {
      detail: `A password is a text. It must have at least one character and no more than ${longestPassword} bytes of UTF-8, and no control characters.`,
    })
  }
  const salt = randomBytes(saltLength)
  const hash = await hashing.run(workOf(cost), () => derive(prepared, salt, hashLength, cost))
  return formatPasswordHash({ ...cost, salt, hash })
}

/**
 * True where this is the password that was stored (AUTH-6). Its parameters are read from the hash.
 * A password that could not have been stored, such as an empty one, is false. Rejects with
 * `Unavailable` (503) where the check would wait some 4 seconds or more for its turn, and with
 * `ConfigurationError` where the hash is not one of scrypt's, or asks for more than 256 MiB or 21
 * times today's work.
 *
 * @example if (!(await checkPassword(password, user.hash))) throw new HttpProblem('unauthenticated')
 */
export async function checkPassword(password: string, hash: string): Promise<boolean> {
  const stored = parsePasswordHash(hash)
  if (stored === undefined) {
    throw invalidOption('checkPassword() can not read the hash. Give it one that hashPassword() has made.')
  }
  const prepared = prepareOpaqueString(password)
  return prepared !== undefined && hashing.run(workOf(stored), () => matches(prepared, stored))
}

/** Whether a prepared password is the stored one. Call it within a turn of the hashing queue. */
export async function matches(prepared: string, stored: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(prepared, stored.salt, stored.hash.length, stored), stored.hash)
}

/**
 * True where a stored hash needs less memory or work to try out than today's, or can not be read: hash the password anew at the next login, the only time it is known.
 * Throws `ConfigurationError` for an option that makes no sense.
 */
export function needsRehash(hash: string, options: PasswordOptions = {}): boolean {
  const cost = costOf('needsRehash()', options)
  const stored = parsePasswordHash(hash)
  return stored === undefined || isWeaker(stored, cost)
}

/** True where `cost` asks less of an attacker than `than`, in work or in memory. */
export function isWeaker(cost: Cost, than: Cost): boolean {
  return workOf(cost) < workOf(than) || memoryOf({ ...cost, p: 1 }) < memoryOf({ ...than, p: 1 })
}

export const passwordKinds: Kinds<PasswordOptions> = { cost: { oneOf: [15, 16, 17] } }

function costOf(what: string, options: PasswordOptions): Cost {
  const { cost = todaysCost.ln } = checkOptions<PasswordOptions>(what, options, passwordKinds)
  return { ...todaysCost, ln: cost }
}
