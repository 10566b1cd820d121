/**
 * What can be wrong with one place of a request, by stable codes with typed `params`, so that a
 * client can say it in its user's language without reading `detail` (ERR-3). `docs/errors.md` has
 * the table, which a test holds against this file.
 */

/** A value of `params`. */
export type ParamValue = string | number | boolean | null

/** What each kind of violation says besides its code. */
export interface ViolationParams {
  /** The value is of another type. Of a query parameter also: its text can't be read as one of the format. */
  type: { readonly types: readonly string[]; readonly format?: string }
  required: { readonly member: string }
  /** There is no such member, parameter, or name in a list of names. Long names are cut. */
  unknown: { readonly name: string }
  /** `allowed` has the values, as far as they are scalars and the problem does not hold too many. */
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
  /** The places of two equal items. */
  uniqueItems: { readonly first: number; readonly second: number }
  contains: { readonly least: number; readonly most?: number }
  /** The list has more items than its schema describes. */
  items: Limit
  unevaluatedItems: Limit
  /** An integer that not every reader has alike. */
  exactInteger: { readonly minimum: number; readonly maximum: number }
  anyOf: NoParams
  oneOf: NoParams
  not: NoParams
  if: NoParams
  readOnly: NoParams
  /** The address or the caller's scope fixes the member. */
  fixed: NoParams
  /** A key that could not be an address. */
  unaddressable: NoParams
  /** Not the `href` or the key of one of this collection, which is given by these members. */
  link: { readonly collection: string; readonly members: readonly string[] }
  /** Leads to nothing. `collection`: where it leads, as far as that is known. */
  reference: { readonly collection?: string }
  duplicate: NoParams
  /** A rule of the team or of the store. A team's `rules` may give `params` of their own. */
  rule: NoParams
  /** No JSON Pointer (JSON Patch). */
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

/** The stable code of a violation of the library. Rules of a team may have others. */
export type ViolationCode = keyof ViolationParams

/** The names of the params of each code; those with `?` may be absent. */
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

/** One thing that is wrong: where, what, what is allowed, and the near miss. */
export interface Violation {
  /** What is wrong, in a sentence that says how to fix it. */
  readonly detail: string
  /** RFC 6901 pointer into the request body; `''` is the whole body. */
  readonly pointer?: string
  /** The name of a query parameter. */
  readonly parameter?: string
  /** The name of a request header field. */
  readonly header?: string
  /** A stable word for the kind of violation, such as `unknown`, `required` or `type`. */
  readonly code?: string
  /** What the kind says besides, such as `{ limit: 10 }`. Absent: nothing. */
  readonly params?: Readonly<Record<string, ParamValue | readonly ParamValue[] | undefined>>
  /** The clause of the conventions. */
  readonly clause?: string
  /** What would have been allowed. */
  readonly allowed?: readonly ParamValue[]
  /** The allowed name that is nearest to what was sent. */
  readonly suggestion?: string
}

/**
 * A violation of the library by its code: with the params of that code, which a client can switch
 * over.
 *
 * @example
 * function say(found: KnownViolation): string {
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

/** Characters of a text in a problem body: an answer must not be much larger than its question. Longer ones are cut. */
export const longestProblemText = 16_384

/** Violations in a problem body, and values in `allowed`; the first of them stand there. */
export const mostProblemItems = 1_000

/** The text where it is not too long, else its beginning. */
export const cutText = (text: string): string =>
  text.length <= longestProblemText
    ? text
    : `${text.slice(0, longestProblemText - 4).replace(/[\uD800-\uDBFF]$/, '')}...`

/** The same violation where it is not too large, as most are. */
export function cutViolation(violation: Violation): Violation {
  const { allowed } = violation
  const isLong = Object.values(violation).some(
    (value) => typeof value === 'string' && value.length > longestProblemText,
  )
  if (!isLong && (allowed === undefined || allowed.length <= mostProblemItems)) return violation
  const texts = Object.fromEntries(
    Object.entries(violation).map(([name, value]) => [name, typeof value === 'string' ? cutText(value) : value]),
  )
  return {
    ...texts,
    detail: cutText(violation.detail),
    ...(allowed === undefined ? {} : { allowed: allowed.slice(0, mostProblemItems) }),
  }
}
