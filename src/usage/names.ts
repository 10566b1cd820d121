/**
 * Cleans the names of parameters and headers that clients send, before the names appear in findings
 * and counts. A name that could be a value, such as a token, is replaced by `(other)`.
 */
import { otherName } from './counts.js'

/** Matches the names of parameters and headers. A string with other characters may be a value. */
const plainName = /^[a-z_$][\w$:.[\]-]{0,63}$/i

/**
 * The maximum number of digits in a name. Card numbers, telephone numbers, tokens and keys have
 * more digits.
 */
const maxDigits = 3

/**
 * Returns a name that a client has sent, or `(other)` if the name may be a value. Some clients send
 * a value in place of a name. So a name that is long, contains unusual characters, or has more than
 * three digits may be a value.
 */
export const boundedName = (name: string): string =>
  plainName.test(name) && name.replace(/\D/g, '').length <= maxDigits ? name : otherName
