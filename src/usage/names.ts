/** Bounds names that clients send, for findings and counts. */
import { otherName } from './counts.js'

/** Characters in names of parameters and headers. A text with other characters may be a value. */
const plainName = /^[a-z_$][\w$:.[\]-]{0,63}$/i

/** Names have few digits; card numbers, telephone numbers, tokens and keys have many. */
const maxDigits = 3

/**
 * A name that a client has sent. Some clients send a value instead, so names that are long, have
 * other characters, or more than three digits, become `(other)`.
 */
export const boundedName = (name: string): string =>
  plainName.test(name) && name.replace(/\D/g, '').length <= maxDigits ? name : otherName
