/** Names that clients make up, as findings and counts have them. */
import { otherName } from './counts.js'

/** Characters that names of parameters and headers are made of. What is none of them may be a value. */
const plainName = /^[a-z_$][\w$:.[\]-]{0,63}$/i

/** Cards, telephones, tokens and keys have many digits, names few. */
const mostDigits = 3

/**
 * A name that a client has sent. Some send a value in its place: what is long, has other characters, or
 * more than three digits, is `(other)`.
 */
export const boundedName = (name: string): string =>
  plainName.test(name) && name.replace(/\D/g, '').length <= mostDigits ? name : otherName
