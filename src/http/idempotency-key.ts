/** The value of `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07 2.1). */

/** The most characters of a key. */
export const longestKey = 255

/** The most characters of a field value: a key in quotes in which each character is escaped. */
export const longestKeyField: number = 2 * longestKey + 2

/** A structured-field string (RFC 9651 3.3.3): printable ASCII in quotes, where a backslash comes only before a quote or another. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/

/** The same key without its quotes, as most clients send it. What ends a member of a list, or begins a parameter, is no part of one. */
const bare = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,255}$/

/** What a field value may be, as a pattern for documents. */
export const idempotencyKeyPattern: string = `${bare.source}|${quoted.source}`

/** The key that a field value says, `"8e03978e"` and `8e03978e` alike; `undefined` where it is none, is empty or has more than 255 characters. */
export function parseIdempotencyKey(field: string): string | undefined {
  return bare.test(field) ? field : quoted.exec(field)?.[1]?.replace(/\\(.)/g, '$1')
}
