/**
 * Describes tests of responses. The shell scripts that reproduce violations run these tests, so a
 * shell must be able to run each test.
 */

/**
 * A test of responses. `answer` and `answers` are the indexes of responses in the evidence, from 0.
 * The names of header fields are compared regardless of case.
 */
export type Sign =
  /** The status of the response is none of `expected`. */
  | { readonly kind: 'status'; readonly answer: number; readonly expected: readonly number[] }
  /** The response does not have the header field. */
  | { readonly kind: 'no-field'; readonly answer: number; readonly name: string }
  /** The response has a body. */
  | { readonly kind: 'body'; readonly answer: number }
  /** Both responses have the header field, with the same value. */
  | { readonly kind: 'equal'; readonly answers: readonly [number, number]; readonly name: string }
  /**
   * The two responses have different values of the header field, or only one of them has the field.
   */
  | { readonly kind: 'unequal'; readonly answers: readonly [number, number]; readonly name: string }
  /**
   * The JSON lists of both responses contain the same item. If both indexes are equal, the list
   * contains an item twice.
   */
  | { readonly kind: 'repeats'; readonly answers: readonly [number, number] }
  /**
   * The JSON body does not contain this string, which is a member with its value, such as
   * `"name":"x"`. White space does not matter.
   */
  | { readonly kind: 'lacks'; readonly answer: number; readonly text: string }
  /**
   * The JSON body contains this string, which is a member with its value, such as `"name":"x"`.
   * White space does not matter.
   */
  | { readonly kind: 'shows'; readonly answer: number; readonly text: string }
  /** The number of successful responses in a race is not exactly one. */
  | { readonly kind: 'winners' }

/** The statuses of successful responses. */
export const success: readonly number[] = [200, 201, 202, 204]
