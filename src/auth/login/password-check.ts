/** Checks user and password, by a stored hash or by the service's own function (AUTH-6). */
import type { Awaitable } from '../../adapters/contract.js'
import { isNoPrincipal } from '../no-principal.js'
import type { BasicCredentials } from './basic-credentials.js'
import { EqualWork } from './equal-work.js'
import { currentCost, type PasswordHash, parsePasswordHash } from './password-hash.js'
import { hashPassword, isWeaker } from './passwords.js'

/** A stored user. */
export interface StoredUser<P> {
  /** The hash created by `hashPassword()`. */
  readonly hash: string
  /** The principal of this user, passed to `token`. */
  readonly principal: P
}

/** How `login` checks passwords (AUTH-6). Set either `find` or `verify`. */
export interface PasswordCheckOptions<P> {
  /**
   * Returns the stored user of this name, which is in NFC; `undefined` or null if there is none.
   */
  readonly find?: (user: string) => Awaitable<StoredUser<P> | undefined | null>
  /**
   * Used instead of `find`. Returns the principal for this user name and password, or `undefined`,
   * null or false if they are not valid. Equal timing for all users is then up to this function.
   */
  readonly verify?: (user: string, password: string) => Awaitable<P | undefined | null | false>
  /**
   * Stores a new hash for a user whose stored hash, `replaced`, is weaker than the current
   * parameters. The login does not wait for it; if it fails, the next login tries again. Store the
   * hash only if `replaced` is still stored: the password may have been changed in the meantime,
   * and the new hash is for the old one.
   */
  readonly upgrade?: (user: string, hash: string, replaced: string) => Awaitable<void>
}

/**
 * Returns the principal for credentials; `undefined` if they are not valid. `isGone`: whether the
 * client no longer waits for the response; nothing is hashed then.
 */
export type PasswordCheck<P> = (
  credentials: BasicCredentials,
  isGone: () => boolean,
) => Promise<{ readonly principal: P } | undefined>

/** `report` is called with errors that do not fail a login. It must not throw. */
export function makePasswordCheck<P>(
  options: PasswordCheckOptions<P>,
  report: (error: unknown) => void,
): PasswordCheck<P> {
  const { find, verify, upgrade } = options
  if (find === undefined) {
    return async ({ user, password }) => {
      const principal = await verify?.(user, password)
      return isNoPrincipal(principal) ? undefined : { principal }
    }
  }
  const work = new EqualWork()
  return async ({ user, prepared, password }, isGone) => {
    // Before the database query, so that too many logins do not overload the database.
    work.refuseIfFull()
    const found = (await find(user)) ?? undefined
    const stored = found === undefined ? undefined : read(found.hash, user, report)
    const right = await work.check(prepared, stored, isGone)
    if (!right || found === undefined || stored === undefined) return undefined
    if (upgrade !== undefined && isWeaker(stored, currentCost)) {
      hashPassword(password)
        .then((hash) => upgrade(user, hash, found.hash))
        .catch((cause) => report(new Error('A stored password could not be rehashed.', { cause })))
    }
    return { principal: found.principal }
  }
}

function read(hash: string, user: string, report: (error: unknown) => void): PasswordHash | undefined {
  const stored = parsePasswordHash(hash)
  if (stored === undefined) {
    report(
      new Error(
        `The stored hash of the user ${JSON.stringify(user)} cannot be parsed, so the user cannot log in. Store ` +
          'a hash created by hashPassword().',
      ),
    )
  }
  return stored
}
