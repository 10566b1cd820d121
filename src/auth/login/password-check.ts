/** Whether user and password belong together: by the hash that a team has stored, or by whatever it asks itself (AUTH-6). */
import type { Awaitable } from '../../adapters/contract.js'
import { isNobody } from '../nobody.js'
import type { BasicCredentials } from './basic-credentials.js'
import { EqualWork } from './equal-work.js'
import { type PasswordHash, parsePasswordHash, todaysCost } from './password-hash.js'
import { hashPassword, isWeaker } from './passwords.js'

/** A user as a team has stored it. */
export interface StoredUser<P> {
  /** What `hashPassword()` made. */
  readonly hash: string
  /** Who that is: `token` gets it. */
  readonly principal: P
}

/** How `login` tells whether a password is right (AUTH-6). Give `find` or `verify`. */
export interface PasswordCheckOptions<P> {
  /** The stored user of this name, which is in NFC; `undefined` or null where there is none. */
  readonly find?: (user: string) => Awaitable<StoredUser<P> | undefined | null>
  /** In place of `find`: who has this user name and password, `undefined`, null or false where nobody has. How long that takes is the team's affair then. */
  readonly verify?: (user: string, password: string) => Awaitable<P | undefined | null | false>
  /**
   * Stores a new hash for a user whose stored one, `replaced`, is weaker than today's. The answer does not wait for it; where it fails, the next login tries again. Store it
   * only where `replaced` still stands: the password may have been changed meanwhile, and the new hash is of the old one.
   */
  readonly upgrade?: (user: string, hash: string, replaced: string) => Awaitable<void>
}

/**
 * Who these credentials belong to; `undefined` where to nobody. `isGone`: whether the client no
 * longer waits for the answer; then nothing is hashed for it.
 */
export type PasswordCheck<P> = (
  credentials: BasicCredentials,
  isGone: () => boolean,
) => Promise<{ readonly principal: P } | undefined>

/** `report` hears of what must not fail a login; it never throws. */
export function makePasswordCheck<P>(
  options: PasswordCheckOptions<P>,
  report: (error: unknown) => void,
): PasswordCheck<P> {
  const { find, verify, upgrade } = options
  if (find === undefined) {
    return async ({ user, password }) => {
      const principal = await verify?.(user, password)
      return isNobody(principal) ? undefined : { principal }
    }
  }
  const work = new EqualWork()
  return async ({ user, prepared, password }, isGone) => {
    // Before the database is asked: an overload of logins must not become one of the database.
    work.refuseIfFull()
    const found = (await find(user)) ?? undefined
    const stored = found === undefined ? undefined : read(found.hash, user, report)
    const right = await work.check(prepared, stored, isGone)
    if (!right || found === undefined || stored === undefined) return undefined
    if (upgrade !== undefined && isWeaker(stored, todaysCost)) {
      hashPassword(password)
        .then((hash) => upgrade(user, hash, found.hash))
        .catch((cause) => report(new Error('A stored password could not be hashed anew.', { cause })))
    }
    return { principal: found.principal }
  }
}

function read(hash: string, user: string, report: (error: unknown) => void): PasswordHash | undefined {
  const stored = parsePasswordHash(hash)
  if (stored === undefined) {
    report(
      new Error(
        `The stored hash of the user ${JSON.stringify(user)} can not be read, so nobody logs in as them. Store one that hashPassword() makes.`,
      ),
    )
  }
  return stored
}
