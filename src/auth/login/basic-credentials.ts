/** Credentials of the Basic scheme (RFC 7617; AUTH-2). */
import basicAuth from 'basic-auth'
import { prepareOpaqueString } from './opaque-string.js'

export interface BasicCredentials {
  /** In NFC, as stored names have to be (RFC 8265 3.4.2). */
  readonly user: string
  /** In the form that is hashed. */
  readonly prepared: string
  /** As it came. */
  readonly password: string
}

/**
 * The user and the password of an `Authorization` field. The password may hold colons, the user may be empty. `undefined` where the scheme is another, the text is no
 * UTF-8 (RFC 7617 2.1), one of them has a control character, or the password is none that could be stored.
 */
export function parseBasic(field: string): BasicCredentials | undefined {
  const credentials = basicAuth.parse(field)
  if (credentials === undefined) return undefined
  const { name, pass: password } = credentials
  // What is no UTF-8 was decoded as U+FFFD, and does not come back.
  const sent = Buffer.from(field.trim().split(/ +/)[1] as string, 'base64')
  if (!Buffer.from(`${name}:${password}`).equals(sent) || /\p{Cc}/u.test(name)) return undefined
  const prepared = prepareOpaqueString(password)
  return prepared === undefined ? undefined : { user: name.normalize('NFC'), prepared, password }
}
