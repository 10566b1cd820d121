/**
 * Violations: the errors at single places of a request. Each has a stable code with typed `params`,
 * so that a client can show it in its user's language without reading `detail` (ERR-3).
 * `docs/errors.md` has the table, which a test compares with this file.
 */

/** A value of `params`. */
export type ParamValue = string | number | boolean | null

/** The params of each violation code. */
export interface ViolationParams {
  /**
   * The value has another type. For a query parameter also: its text is not of the expected format.
   */
  type: { readonly types: readonly string[]; readonly format?: string }
  required: { readonly member: string }
  /** No such member or parameter, or no such name in a list of names. Long names are truncated. */
  unknown: { readonly name: string }
  /** `allowed` has the values, if they are scalars and few enough for a problem body. */
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
  /** The indexes of two equal items. */
  uniqueItems: { readonly first: number; readonly second: number }
  contains: { readonly least: number; readonly most?: number }
  /** The list has more items than its schema describes. */
  items: Limit
  unevaluatedItems: Limit
  /** An integer that not all JSON parsers read exactly. */
  exactInteger: { readonly minimum: number; readonly maximum: number }
  anyOf: NoParams
  oneOf: NoParams
  not: NoParams
  if: NoParams
  readOnly: NoParams
  /** The member is fixed by the address or by the caller's scope. */
  fixed: NoParams
  /** A key that can't be part of an address. */
  unaddressable: NoParams
  /**
   * Neither the `href` nor the key of an item of this collection. `members`: the members of its
   * key.
   */
  link: { readonly collection: string; readonly members: readonly string[] }
  /** The referenced record does not exist. `collection`: its collection, if known. */
  reference: { readonly collection?: string }
  duplicate: NoParams
  /** A rule of the service or the store. The service's `rules` may add other `params`. */
  rule: NoParams
  /** Not a JSON Pointer (in a JSON Patch). */
  pointer: NoParams
  'test-failed': NoParams
  'path-absent': NoParams
  'too-large': Limit
  'too-deep': Limit
  range: { readonly minimum: number; readonly maximum?: number }
  repeated: { readonly name: string }
  encoding: NoParams
  hint: NoParams
  /** `allowed` lists what is supported. */
  unsupported: NoParams
  malformed: NoParams
  mismatch: NoParams
  forbidden: NoParams
}

type Limit = { readonly limit: number }
type NoParams = Readonly<Record<never, never>>

/** The stable code of a violation found by the library. A service's rules may use others. */
export type ViolationCode = keyof ViolationParams

/** The names of the params of each code; those with `?` are optional. */
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

/** One error in a request: its place, the allowed values, and the closest of them. */
export interface Violation {
  /** Describes the error and how to fix it, in a sentence. */
  readonly detail: string
  /** RFC 6901 pointer into the request body; `''` is the whole body. */
  readonly pointer?: string
  /** The name of a query parameter. */
  readonly parameter?: string
  /** The name of a request header field. */
  readonly header?: string
  /** A stable name of the kind of violation, such as `unknown`, `required` or `type`. */
  readonly code?: string
  /** Details of the kind, such as `{ limit: 10 }`. Absent if there are none. */
  readonly params?: Readonly<Record<string, ParamValue | readonly ParamValue[] | undefined>>
  /** The clause of the conventions. */
  readonly clause?: string
  /** The allowed values. */
  readonly allowed?: readonly ParamValue[]
  /** The allowed name nearest to the one that was sent. */
  readonly suggestion?: string
}

/**
 * A violation found by the library. `params` has the type of the params of `code`, so a client can
 * switch over the code.
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
 * The maximum length of a text in a problem body, in characters. Longer texts are truncated, so
 * that a response is not much larger than its request.
 */
export const longestProblemText = 16_384

/**
 * The maximum number of violations in a problem body, and of values in `allowed`. The rest is
 * omitted.
 */
export const maxProblemItems = 1_000

/** Truncates a text that is too long. */
export const cutText = (text: string): string =>
  text.length <= longestProblemText
    ? text
    : `${text.slice(0, longestProblemText - 4).replace(/[\uD800-\uDBFF]$/, '')}...`

/**
 * Truncates a violation that is too large. Returns the same object otherwise, which is the usual
 * case.
 */
export function cutViolation(violation: Violation): Violation {
  const { allowed } = violation
  const isLong = Object.values(violation).some(
    (value) => typeof value === 'string' && value.length > longestProblemText,
  )
  if (!isLong && (allowed === undefined || allowed.length <= maxProblemItems)) return violation
  const texts = Object.fromEntries(
    Object.entries(violation).map(([name, value]) => [name, typeof value === 'string' ? cutText(value) : value]),
  )
  return {
    ...texts,
    detail: cutText(violation.detail),
    ...(allowed === undefined ? {} : { allowed: allowed.slice(0, maxProblemItems) }),
  }
}
