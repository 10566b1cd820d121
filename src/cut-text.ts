/** Truncates strings, but never between the halves of a surrogate pair. */

/** Returns at most the first `length` UTF-16 code units of a string. */
export const firstOf = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** Truncates a string to `length` UTF-16 code units, and adds `...` if it was longer. */
export const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `${firstOf(text, length)}...`
