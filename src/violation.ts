/**
 * A violation is an error at one position in a request: in the body, in a parameter or in a header
 * field. Each violation that the library finds has a stable code with typed `params`, so that a
 * client can describe it in the language of its user without reading `detail` (ERR-3).
 * `docs/errors.md` has a table of the codes, which a test compares with this file.
 */
import { cutText } from './cut-text.js'

/** A value of `params`. */
export type ParamValue = string | number | boolean | null

/** The params of each violation code. */
export interface ViolationParams {
  /**
   * The value has the wrong type. For a query parameter, this code also means that the value does
   * not have the expected format.
   */
  type: { readonly types: readonly string[]; readonly format?: string }
  required: { readonly member: string }
  /**
   * The request names an unknown member, parameter, column, sort field or expansion. A long name is
   * truncated.
   */
  unknown: { readonly name: string }
  /**
   * `allowed` contains the allowed values, if they are scalars and few enough for a problem body.
   */
  enum: NoParams
  const: NoParams
  minLength: Limit
  maxLength: Limit
  minItems: Limit
  maxItems: Limit
  minProperties: Limit
  maxProperties: Limit
  minimum: Limit
  maximum: Limit
  exclusiveMinimum: Limit
  exclusiveMaximum: Limit
  multipleOf: { readonly divisor: number }
  pattern: { readonly pattern: string }
  format: { readonly format: string }
  /** Two items of an array are equal. `first` and `second` are their indexes. */
  uniqueItems: { readonly first: number; readonly second: number }
  contains: { readonly least: number; readonly most?: number }
  /** An array has more items than its schema describes. */
  items: Limit
  unevaluatedItems: Limit
  /** An integer that some JSON parsers can't read exactly. */
  exactInteger: { readonly minimum: number; readonly maximum: number }
  anyOf: NoParams
  oneOf: NoParams
  not: NoParams
  if: NoParams
  readOnly: NoParams
  /**
   * The URL or the caller's scope determines the value of the member, so the request can't change
   * it.
   */
  fixed: NoParams
  /** A member of the key has a value that can't be part of a URL. */
  unaddressable: NoParams
  /**
   * The link does not identify an item of `collection` by its `href` or its key. `members` are the
   * members of that key.
   */
  link: { readonly collection: string; readonly members: readonly string[] }
  /** The referenced record does not exist. `collection` is its collection, if known. */
  reference: { readonly collection?: string }
  duplicate: NoParams
  /**
   * The value violates a rule of the service or the store. The service's `rules` may add other
   * `params`.
   */
  rule: NoParams
  /** A JSON Pointer in a JSON Patch is not valid. */
  pointer: NoParams
  'test-failed': NoParams
  'path-absent': NoParams
  'too-large': Limit
  'too-deep': Limit
  range: { readonly minimum: number; readonly maximum?: number }
  repeated: { readonly name: string }
  encoding: NoParams
  hint: NoParams
  /** `allowed` lists the supported values. */
  unsupported: NoParams
  malformed: NoParams
  mismatch: NoParams
  forbidden: NoParams
}

type Limit = { readonly limit: number }
type NoParams = Readonly<Record<never, never>>

/** The stable code of a violation found by the library. A service's rules may use other codes. */
export type ViolationCode = keyof ViolationParams

/** The names of the params of each code. Params with `?` are optional. */
export const violationKinds = {
  type: ['types', 'format?'],
  required: ['member'],
  unknown: ['name'],
  enum: [],
  const: [],
  minLength: ['limit'],
  maxLength: ['limit'],
  minItems: ['limit'],
  maxItems: ['limit'],
  minProperties: ['limit'],
  maxProperties: ['limit'],
  minimum: ['limit'],
  maximum: ['limit'],
  exclusiveMinimum: ['limit'],
  exclusiveMaximum: ['limit'],
  multipleOf: ['divisor'],
  pattern: ['pattern'],
  format: ['format'],
  uniqueItems: ['first', 'second'],
  contains: ['least', 'most?'],
  items: ['limit'],
  unevaluatedItems: ['limit'],
  exactInteger: ['minimum', 'maximum'],
  anyOf: [],
  oneOf: [],
  not: [],
  if: [],
  readOnly: [],
  fixed: [],
  unaddressable: [],
  link: ['collection', 'members'],
  reference: ['collection?'],
  duplicate: [],
  rule: [],
  pointer: [],
  'test-failed': [],
  'path-absent': [],
  'too-large': ['limit'],
  'too-deep': ['limit'],
  range: ['minimum', 'maximum?'],
  repeated: ['name'],
  encoding: [],
  hint: [],
  unsupported: [],
  malformed: [],
  mismatch: [],
  forbidden: [],
} as const satisfies { readonly [C in ViolationCode]: readonly ParamName<C>[] }

type ParamName<C extends ViolationCode> = {
  [N in keyof ViolationParams[C] & string]-?: undefined extends ViolationParams[C][N] ? `${N}?` : N
}[keyof ViolationParams[C] & string]

/** One error in a request, with its position, the allowed values, and the closest allowed name. */
export interface Violation {
  /** Describes the error and how to fix it. */
  readonly detail: string
  /** RFC 6901 pointer into the request body; `''` is the whole body. */
  readonly pointer?: string
  /** The name of a query parameter. */
  readonly parameter?: string
  /** The name of a request header field. */
  readonly header?: string
  /** A stable name of the kind of violation, such as `unknown`, `required` or `type`. */
  readonly code?: string
  /** The params of the code, such as `{ limit: 10 }`. Absent if the code has no params. */
  readonly params?: Readonly<Record<string, ParamValue | readonly ParamValue[] | undefined>>
  /** The clause of the conventions that the violation refers to. */
  readonly clause?: string
  /** The allowed values. */
  readonly allowed?: readonly ParamValue[]
  /** The allowed name that is nearest to the name in the request. */
  readonly suggestion?: string
}

/**
 * A violation found by the library. The value of `code` determines the type of `params`, so a
 * client can use `switch` with the code.
 *
 * @example
 * function message(found: KnownViolation): string {
 *   switch (found.code) {
 *     case 'maxLength': return `Höchstens ${found.params.limit} Zeichen.`
 *     case 'required': return `${found.params.member} fehlt.`
 *     default: return found.detail
 *   }
 * }
 */
export type KnownViolation<Code extends ViolationCode = ViolationCode> = {
  [C in Code]: Omit<Violation, 'code' | 'params'> & { readonly code: C } & Params<ViolationParams[C]>
}[Code]

type Params<P> = [keyof P] extends [never]
  ? { readonly params?: never }
  : Partial<P> extends P
    ? { readonly params?: P }
    : { readonly params: P }

/**
 * The maximum length of a string in a problem body, in characters. Longer strings are truncated, so
 * that a response is not much larger than its request.
 */
export const longestProblemText = 16_384

/**
 * The maximum number of violations in a problem body, and of values in `allowed`. Further
 * violations and values are omitted.
 */
export const maxProblemItems = 1_000

/** Truncates a string of a problem body that is too long. */
export const cutProblemText = (text: string): string =>
  text.length <= longestProblemText ? text : cutText(text, longestProblemText - 3)

/**
 * Truncates a violation that is too large. Returns the same object if the violation is not too
 * large.
 */
export function cutViolation(violation: Violation): Violation {
  const { allowed } = violation
  const isLong = Object.values(violation).some(
    (value) => typeof value === 'string' && value.length > longestProblemText,
  )
  if (!isLong && (allowed === undefined || allowed.length <= maxProblemItems)) return violation
  const texts = Object.fromEntries(
    Object.entries(violation).map(([name, value]) => [name, typeof value === 'string' ? cutProblemText(value) : value]),
  )
  return {
    ...texts,
    detail: cutProblemText(violation.detail),
    ...(allowed === undefined ? {} : { allowed: allowed.slice(0, maxProblemItems) }),
  }
}
