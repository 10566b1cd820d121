/** Credentials of the Basic scheme (RFC 7617; AUTH-2). */
import basicAuth from 'basic-auth'
import { prepareOpaqueString } from './opaque-string.js'

export interface BasicCredentials {
  /**
   * The user name in Unicode Normalization Form C (NFC). Stored user names must be in NFC too (RFC
   * 8265 3.4.2).
   */
  readonly user: string
  /** The normalized password. This string is hashed. */
  readonly prepared: string
  /** The password as it was sent. */
  readonly password: string
}

/**
 * Returns the user and the password from an `Authorization` field. The password may contain colons,
 * and the user may be empty. Returns `undefined` if the field has no well-formed Basic credentials,
 * if the bytes are not UTF-8 (RFC 7617 2.1), if the user or the password contains a control
 * character, or if `hashPassword()` would refuse the password.
 */
export function parseBasic(field: string): BasicCredentials | undefined {
  const credentials = basicAuth.parse(field)
  if (credentials === undefined) return undefined
  const { name, pass: password } = credentials
  // Bytes that are not UTF-8 have been decoded as U+FFFD. Encoding the string again then yields
  // different bytes.
  const sent = Buffer.from(field.trim().split(/ +/)[1] as string, 'base64')
  if (!Buffer.from(`${name}:${password}`).equals(sent) || /\p{Cc}/u.test(name)) return undefined
  const prepared = prepareOpaqueString(password)
  return prepared === undefined ? undefined : { user: name.normalize('NFC'), prepared, password }
}
