/** How a script recognizes a break: a test of the responses in a form that a shell can run. */

/**
 * Responses are identified by their index in the evidence, from 0. Names of header fields may be in
 * any case.
 */
export type Sign =
  /** The status is none of `expected`. */
  | { readonly kind: 'status'; readonly answer: number; readonly expected: readonly number[] }
  /** The field is absent. */
  | { readonly kind: 'no-field'; readonly answer: number; readonly name: string }
  /** There is a body. */
  | { readonly kind: 'body'; readonly answer: number }
  /** Both answers have the field, with one value. */
  | { readonly kind: 'equal'; readonly answers: readonly [number, number]; readonly name: string }
  /** The fields differ. */
  | { readonly kind: 'unequal'; readonly answers: readonly [number, number]; readonly name: string }
  /** A JSON list repeats an item: of the other answer, or its own if both are one. */
  | { readonly kind: 'repeats'; readonly answers: readonly [number, number] }
  /** The JSON lacks this text of a member and its value. White space does not matter. */
  | { readonly kind: 'lacks'; readonly answer: number; readonly text: string }
  /** The JSON has this text of a member and its value. White space does not matter. */
  | { readonly kind: 'shows'; readonly answer: number; readonly text: string }
  /** The number of successful responses is not exactly one. */
  | { readonly kind: 'winners' }

/** The statuses of success. */
export const success: readonly number[] = [200, 201, 202, 204]
