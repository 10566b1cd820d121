/** The options of a middleware, as JavaScript callers may write them. */
import { ConfigurationError } from '../problem.js'

/** The realm of a challenge: it stands in a quoted string (RFC 9110 11.5). Throws `ConfigurationError`. */
export function realmOption(what: string, realm: string): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(realm)) return realm
  throw new ConfigurationError(
    'invalid-option',
    `realm of ${what} is ${JSON.stringify(realm)}. Use printable ASCII without quotes and backslashes.`,
  )
}
