/**
 * What can be wrong with a JSON body, in words for the client (HDR-5, ERR-3).
 */

import { escapePointer } from './json-pointer.js'

/** What is wrong with a JSON value, in a sentence for the client. */
export interface JsonFault {
  readonly malformed: string
  /** RFC 6901 pointer, where the text is JSON but a value in it is refused. */
  readonly pointer?: string
}

export const tooDeep = (depth: number): string => `Arrays and objects may stand at most ${depth} deep in one another.`
export const forbiddenName = 'A member must not be named "__proto__".'
export const standsTwice = 'A member stands twice in one object.'
export const notFinite = 'The number is too large for a double-precision number.'
export const tooPrecise = 'The integer has more digits than a double-precision number can hold.'

const longestPointer = 1000

/**
 * A fault at a place of a value. A pointer of more than 1,000 characters is left out, so that an answer never hands a hostile body back.
 *
 * @example faultAt(notFinite, ['lines', 0, 'a/b']) // { malformed: 'The number ...', pointer: '/lines/0/a~1b' }
 */
export function faultAt(malformed: string, path: readonly (string | number)[]): JsonFault {
  let pointer = ''
  for (const step of path) {
    if (pointer.length + String(step).length >= longestPointer) return { malformed }
    pointer += `/${escapePointer(String(step))}`
  }
  return { malformed, pointer }
}
