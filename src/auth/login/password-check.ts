/**
 * Checks a user name and a password, with a stored hash or with the service's own function
 * (AUTH-6).
 */
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
  /** The principal of this user. It is passed to the option `token` of `login()`. */
  readonly principal: P
}

/** How `login` checks passwords (AUTH-6). Set either `find` or `verify`. */
export interface PasswordCheckOptions<P> {
  /**
   * Returns the stored user with this name, or `undefined` or null if there is none. The name is in
   * Unicode Normalization Form C (NFC).
   */
  readonly find?: (user: string) => Awaitable<StoredUser<P> | undefined | null>
  /**
   * An alternative to `find`. Returns the principal for this user name and password, or
   * `undefined`, null or false if they are not valid. This function must itself take the same time
   * for all users, whether or not they exist.
   */
  readonly verify?: (user: string, password: string) => Awaitable<P | undefined | null | false>
  /**
   * Stores a new hash for a user whose stored hash, `replaced`, is weaker than a hash with the
   * current parameters. The login does not wait for this function. If the function fails, the next
   * login tries again. Store the new hash only if `replaced` is still the stored hash. If another
   * hash is stored, the password has been changed in the meantime, and the new hash belongs to the
   * old password.
   */
  readonly upgrade?: (user: string, hash: string, replaced: string) => Awaitable<void>
}

/**
 * Returns the principal for these credentials, or `undefined` if they are not valid. `isGone` tells
 * whether the client no longer waits for the response. If so, nothing is hashed.
 */
export type PasswordCheck<P> = (
  credentials: BasicCredentials,
  isGone: () => boolean,
) => Promise<{ readonly principal: P } | undefined>

/**
 * Creates a password check. `report` is called with errors that the response does not show, and
 * must not throw.
 */
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
    // If the hashing queue is full, the login is refused before the database query, so that too
    // many logins do not overload the database.
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

function read(hash: unknown, user: string, report: (error: unknown) => void): PasswordHash | undefined {
  const stored = parsePasswordHash(hash)
  if (stored === undefined) {
    const name = JSON.stringify(user)
    report(
      new Error(
        typeof hash === 'string'
          ? `The stored hash of the user ${name} cannot be parsed, so the user cannot log in. Store a hash created by ` +
              'hashPassword().'
          : `The value that find() returned for the user ${name} has no string "hash", so the user cannot log in. ` +
              'Return { hash, principal }, with a hash created by hashPassword().',
      ),
    )
  }
  return stored
}
