/** The value of `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07 2.1). */

/** Maximum length of a key. */
export const longestKey = 255

/** Maximum length of a field value: a quoted key in which every character is escaped. */
export const longestKeyField: number = 2 * longestKey + 2

/**
 * A structured-field string (RFC 9651 3.3.3): printable ASCII in double quotes, in which every
 * backslash precedes a double quote or another backslash.
 */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/

/**
 * A key without quotes, as most clients send it: printable ASCII without spaces, quotes and
 * backslashes. Commas and semicolons are excluded too: a comma ends a list member, and a semicolon
 * starts a parameter.
 */
const bare = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,255}$/

/** The syntax of a field value as a regular expression, for OpenAPI documents. */
export const idempotencyKeyPattern: string = `${bare.source}|${quoted.source}`

/**
 * The key in a field value; `undefined` if the key is malformed, empty or longer than 255
 * characters. `"8e03978e"` and `8e03978e` are the same key.
 */
export function parseIdempotencyKey(field: string): string | undefined {
  return bare.test(field) ? field : quoted.exec(field)?.[1]?.replace(/\\(.)/g, '$1')
}
