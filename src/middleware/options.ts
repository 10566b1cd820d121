/** Validation rules for options that several middlewares share. */
import { isToken } from '../http/field-grammar.js'
import type { TextKind } from '../options/kinds.js'

/** The realm of a challenge, which is sent as a quoted string (RFC 9110 11.5). */
export const realmKind: TextKind = {
  a: 'printable ASCII without quotes and backslashes',
  like: /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/,
}

/** The name of a header field. */
export const headerName: TextKind = { a: 'a valid header field name, such as "X-Api-Key"', like: { test: isToken } }
