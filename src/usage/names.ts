/** Limits the names that clients send, before findings and counts show them. */
import { otherName } from './counts.js'

/**
 * The characters of the names of parameters and headers. A text with other characters may be a
 * value.
 */
const plainName = /^[a-z_$][\w$:.[\]-]{0,63}$/i

/** Names have few digits; card numbers, telephone numbers, tokens and keys have many. */
const maxDigits = 3

/**
 * A name that a client has sent. Some clients send a value in place of a name. Names that are long,
 * have other characters, or have more than three digits therefore become `(other)`.
 */
export const boundedName = (name: string): string =>
  plainName.test(name) && name.replace(/\D/g, '').length <= maxDigits ? name : otherName
