/** Credentials of the Basic scheme (RFC 7617; AUTH-2). */
import basicAuth from 'basic-auth'
import { prepareOpaqueString } from './opaque-string.js'

export interface BasicCredentials {
  /** The name in NFC, as stored names must be (RFC 8265 3.4.2). */
  readonly user: string
  /** The password in the form that is hashed. */
  readonly prepared: string
  /** The password as it was sent. */
  readonly password: string
}

/**
 * The user and the password in an `Authorization` field. The password may contain colons, and the
 * user may be empty. `undefined` if the scheme is another, the text is not UTF-8 (RFC 7617 2.1),
 * the user or password has a control character, or the password could not have been stored.
 */
export function parseBasic(field: string): BasicCredentials | undefined {
  const credentials = basicAuth.parse(field)
  if (credentials === undefined) return undefined
  const { name, pass: password } = credentials
  // Bytes that are not UTF-8 were decoded as U+FFFD, so they differ when encoded again.
  const sent = Buffer.from(field.trim().split(/ +/)[1] as string, 'base64')
  if (!Buffer.from(`${name}:${password}`).equals(sent) || /\p{Cc}/u.test(name)) return undefined
  const prepared = prepareOpaqueString(password)
  return prepared === undefined ? undefined : { user: name.normalize('NFC'), prepared, password }
}
