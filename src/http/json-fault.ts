/** Errors in JSON bodies, as messages for the client (HDR-5, ERR-3). */

import { escapePointer } from './json-pointer.js'

/** An error in a JSON value. */
export interface JsonFault {
  readonly malformed: string
  /**
   * A JSON Pointer (RFC 6901) to the refused value. Absent for faults in the grammar of JSON, and
   * if the pointer would be very long.
   */
  readonly pointer?: string
}

export const tooDeep = (depth: number): string => `Arrays and objects may be nested at most ${depth} levels deep.`
export const forbiddenName = 'A member must not be named "__proto__".'
export const occursTwice = 'A member occurs twice in one object.'
export const notFinite = 'The number is too large for a double-precision number.'
export const tooPrecise = 'The integer has more digits than a double-precision number can represent.'

const longestPointer = 1000

/**
 * Creates an error with a pointer to the refused value. A pointer of more than about 1,000
 * characters is omitted, so that a response never repeats long parts of a hostile body.
 *
 * @example
 * faultAt(notFinite, ['lines', 0, 'a/b'])
 * // { malformed: 'The number ...', pointer: '/lines/0/a~1b' }
 */
export function faultAt(malformed: string, path: readonly (string | number)[]): JsonFault {
  let pointer = ''
  for (const step of path) {
    if (pointer.length + String(step).length >= longestPointer) return { malformed }
    pointer += `/${escapePointer(String(step))}`
  }
  return { malformed, pointer }
}
