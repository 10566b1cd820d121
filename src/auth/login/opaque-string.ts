/** Passwords as people type them, in one form whatever their keyboard sends: the profile OpaqueString (RFC 8265 4.2). */

/** Bytes of UTF-8 that a password may have: more than anybody types, less than would cost us much to prepare. */
export const longestPassword = 1024

/**
 * The password in the form that is hashed: other spaces become U+0020, then NFC. `undefined` where it is none: empty, over 1,024 bytes, with a control character, or no
 * Unicode at all. Characters that this Unicode does not know yet are let through: what is hashed today must not be refused or changed by a newer one.
 */
export function prepareOpaqueString(password: string): string | undefined {
  // A sign-up without the member is a request like any other.
  if (typeof password !== 'string' || password.length > longestPassword || /[\p{Cc}\p{Cs}]/u.test(password))
    return undefined
  const prepared = password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
  return prepared === '' || Buffer.byteLength(prepared) > longestPassword ? undefined : prepared
}
