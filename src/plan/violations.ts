/**
 * Converts Ajv errors to violations (ERR-3). A violation contains the position and the description
 * of an error. The allowed values and the closest valid name are included if they are known. Errors
 * that are only consequences of other errors are left out.
 */

import type { ErrorObject } from 'ajv/dist/2020.js'
import { cutText } from '../cut-text.js'
import { escapePointer, isList, isObject, pointerTokens } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import { nearMiss } from '../near-miss.js'
import type { KnownViolation, Violation } from '../problem.js'
import type { ViolationCode, ViolationParams } from '../violation.js'
import { maxViolations } from './refusal.js'
import { messageOf } from './violation-texts.js'

/**
 * Only the first violations list the allowed values. This is the maximum number of such violations.
 */
const maxAllowed = 10

/**
 * Returns the violations for the errors of one validation. `shape` is the shape of the validated
 * value.
 */
export function violationsOf(errors: readonly ErrorObject[], shape: Shape): readonly Violation[] {
  const unique = new Map<string, Violation>()
  for (const error of withoutConsequences(errors.slice(0, 3 * maxViolations), shape)) {
    const found = violation(error, shape)
    const name = `${found.pointer} ${found.detail}`
    if (unique.has(name)) continue
    if (unique.size === maxViolations) break
    unique.set(name, unique.size < maxAllowed ? found : withoutAllowed(found))
  }
  return [...unique.values()]
}

/**
 * Returns the violation for an undeclared member. If a declared name is similar, the violation
 * suggests it (REP-8).
 */
export function unknownMember(pointer: string, name: string, allowed: readonly string[]): KnownViolation<'unknown'> {
  const suggestion = nearMiss(name, allowed)
  return {
    pointer: bounded(pointer),
    detail: `"${cutText(name, 80)}" is not a member here.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
    code: 'unknown',
    params: { name: cutText(name, 80) },
    clause: 'REP-8',
    ...(allowed.length === 0 ? {} : { allowed }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

function withoutAllowed({ allowed: _, ...rest }: Violation): Violation {
  return rest
}

/**
 * Removes errors that Ajv reports only as a consequence of another error at the same position or
 * inside it. Such an error reports one of these facts:
 * - The value does not match the `then` or `else` of an `if`, or a name does not match
 *   `propertyNames`.
 * - The value matches no branch of a union of null and one schema.
 * - The value does not match the null branch of a union.
 * - A member is unknown, although a branch of the schema declares it.
 */
function withoutConsequences(errors: readonly ErrorObject[], shape: Shape): readonly ErrorObject[] {
  const consequences = new Set(errors.filter((error) => isSummary(error) || isNotNull(error) || isUnseen(error, shape)))
  if (consequences.size === 0) return errors
  const blamed = new Set<string>()
  for (const error of errors) {
    const { instancePath } = error
    if (consequences.has(error)) continue
    for (let end = instancePath.length; end >= 0; end = end === 0 ? -1 : instancePath.lastIndexOf('/', end - 1))
      blamed.add(instancePath.slice(0, end))
  }
  return errors.filter((error) => !consequences.has(error) || !blamed.has(error.instancePath))
}

const isSummary = ({ keyword, schema }: ErrorObject): boolean =>
  keyword === 'if' ||
  keyword === 'propertyNames' ||
  ((keyword === 'anyOf' || keyword === 'oneOf') && isOptionalValue(schema))

/** Whether the branches of a union are one schema and null. */
const isOptionalValue = (branches: unknown): boolean =>
  isList(branches) && branches.filter((branch) => !(isObject(branch) && branch.type === 'null')).length === 1

const isNotNull = ({ keyword, params, schemaPath }: ErrorObject): boolean =>
  keyword === 'type' && params.type === 'null' && /\/(?:anyOf|oneOf)\/\d+\/type$/.test(schemaPath)

const isUnseen = ({ params, instancePath }: ErrorObject, shape: Shape): boolean =>
  typeof params.unevaluatedProperty === 'string' &&
  placeOf(shape, instancePath)?.properties.has(params.unevaluatedProperty) === true

function violation(error: ErrorObject, shape: Shape): Violation {
  const { instancePath } = error
  const params = error.params as Record<string, unknown>
  const stray = params.additionalProperty ?? params.unevaluatedProperty
  if (typeof stray === 'string') {
    const allowed = [...(placeOf(shape, instancePath)?.properties.keys() ?? [])]
    return unknownMember(`${instancePath}/${escapePointer(stray)}`, stray, allowed)
  }
  if (typeof params.missingProperty === 'string') {
    const pointer = bounded(`${instancePath}/${escapePointer(params.missingProperty)}`)
    const cause = typeof params.property === 'string' ? ` if "${cutText(params.property, 80)}" is present` : ''
    return {
      pointer,
      detail: `"${params.missingProperty}" is required${cause}.`,
      code: 'required',
      params: { member: params.missingProperty },
    }
  }
  if (error.propertyName !== undefined) {
    const pointer = bounded(`${instancePath}/${escapePointer(error.propertyName)}`)
    const name = cutText(error.propertyName, 80)
    return {
      pointer,
      detail: `The name "${name}" ${messageOf(error)}.`,
      code: 'unknown',
      params: { name },
      clause: 'REP-8',
    }
  }
  const name = instancePath === '' ? 'The body' : `"${cutText(lastName(instancePath), 80)}"`
  const allowed = allowedValues(params)
  const suggestion =
    typeof error.data === 'string'
      ? nearMiss(error.data, allowed?.filter((value) => typeof value === 'string') ?? [])
      : undefined
  return {
    pointer: bounded(instancePath),
    detail: `${name} ${messageOf(error)}.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
    ...kindOf(error),
    ...(allowed === undefined ? {} : { allowed }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

/** Returns the code and params for the error of a JSON Schema keyword. */
function kindOf({ keyword, params, schema }: ErrorObject): Pick<Violation, 'code' | 'params'> {
  switch (keyword) {
    case 'type':
      return kind('type', { types: [params.type].flat() })
    case 'multipleOf':
      return kind(keyword, { divisor: params.multipleOf })
    case 'pattern':
      return kind(keyword, { pattern: params.pattern })
    case 'format':
      return kind(keyword, { format: params.format })
    case 'uniqueItems':
      return kind(keyword, { first: params.i, second: params.j })
    case 'contains':
      return kind(keyword, {
        least: params.minContains,
        ...(params.maxContains === undefined ? {} : { most: params.maxContains }),
      })
    case 'exactInteger':
      return kind(keyword, { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
    case 'false schema':
      // The schema `false` allows no value.
      return kind('not', {})
    default:
      return limited.has(keyword) ? { code: keyword, params: { limit: params.limit ?? schema } } : { code: keyword }
  }
}

/**
 * Returns the params of a `type` violation: the types and the format that a query parameter must
 * have.
 */
export const typeParams = (shape: Shape | undefined): ViolationParams['type'] => ({
  types: [...(shape?.types ?? [])],
  ...(shape?.format === undefined ? {} : { format: shape.format }),
})

/**
 * Creates the code and params of a violation. The compiler checks that the params match the code.
 */
const kind = <C extends ViolationCode>(code: C, params: ViolationParams[C]): Pick<Violation, 'code' | 'params'> =>
  Object.keys(params).length === 0 ? { code } : { code, params: params as NonNullable<Violation['params']> }

/** The keywords whose violations have the single param `limit`. */
const limited: ReadonlySet<string> = new Set<ViolationCode>([
  ...([
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'items',
    'unevaluatedItems',
  ] as const),
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
])

/**
 * Returns the scalar values and nulls of `enum` or `const`. Returns `undefined` for errors of other
 * keywords.
 */
function allowedValues(params: Record<string, unknown>): (string | number | boolean | null)[] | undefined {
  const values = isList(params.allowedValues)
    ? params.allowedValues
    : 'allowedValue' in params
      ? [params.allowedValue]
      : undefined
  return values?.filter(
    (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
  ) as ReturnType<typeof allowedValues>
}

/** Returns the shape of the value at a pointer. */
function placeOf(shape: Shape, pointer: string): Shape | undefined {
  let found: Shape | undefined = shape
  for (const name of pointerTokens(pointer)) {
    const item: Shape | undefined = /^\d+$/.test(name) ? (found?.prefix[Number(name)] ?? found?.items) : undefined
    found = found?.members.get(name) ?? item ?? found?.other(name)
  }
  return found
}

/**
 * Shortens a very long pointer at a token boundary. Pointers become long if a body contains a very
 * long name.
 */
function bounded(pointer: string): string {
  return pointer.length <= 1000 ? pointer : pointer.slice(0, Math.max(0, pointer.lastIndexOf('/', 1000)))
}

/**
 * Returns the last name in a pointer, followed by the indices after it. For example, `/lineas/2`
 * becomes `lineas[2]`.
 */
function lastName(pointer: string): string {
  const names = pointerTokens(pointer)
  const at = names.findLastIndex((name) => !/^\d+$/.test(name))
  const items = names.slice(at + 1).map((index) => `[${index}]`)
  return `${names[at] ?? ''}${items.join('')}`
}
