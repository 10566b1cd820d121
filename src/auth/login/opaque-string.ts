/**
 * Normalizes passwords, so that keyboards do not matter: the profile OpaqueString (RFC 8265 4.2).
 */

/**
 * The maximum length of a password in bytes of UTF-8: more than anyone types, and cheap to
 * normalize.
 */
export const longestPassword = 1024

/**
 * Normalizes a password for hashing: other spaces become U+0020, then NFC. `undefined` if it is not
 * valid: empty, over 1,024 bytes, with a control character, or not well-formed Unicode. Unassigned
 * characters are accepted: a newer version of Unicode must not refuse or change a password that was
 * hashed before.
 */
export function prepareOpaqueString(password: string): string | undefined {
  // Untyped input, such as a sign-up without a password, is possible.
  if (typeof password !== 'string' || password.length > longestPassword || /[\p{Cc}\p{Cs}]/u.test(password))
    return undefined
  const prepared = password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
  return prepared === '' || Buffer.byteLength(prepared) > longestPassword ? undefined : prepared
}
