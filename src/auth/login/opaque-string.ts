/**
 * Normalizes passwords by the profile OpaqueString (RFC 8265 4.2), so that a password matches
 * although two keyboards encode the same characters differently.
 */

/**
 * The maximum length of a password, in bytes of UTF-8. This is more than anyone types, and a string
 * of this length is cheap to normalize.
 */
export const longestPassword = 1024

/**
 * Normalizes a password for hashing. Space characters other than U+0020 (the ordinary space) are
 * replaced with U+0020, and then the string is converted to NFC. Returns `undefined` if the
 * password is empty, is longer than 1,024 bytes, contains a control character, or is not
 * well-formed Unicode. Also returns `undefined` if the value is not a string. Other characters that
 * the profile disallows are accepted, such as unassigned ones: which characters are unassigned
 * depends on the Unicode version of Node.js.
 */
export function prepareOpaqueString(password: string): string | undefined {
  // A JavaScript caller may pass another type, for example if a sign-up has no password.
  if (typeof password !== 'string' || password.length > longestPassword || /[\p{Cc}\p{Cs}]/u.test(password))
    return undefined
  const prepared = password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
  return prepared === '' || Buffer.byteLength(prepared) > longestPassword ? undefined : prepared
}
