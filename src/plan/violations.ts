/** What Ajv finds, in the words of a problem: where, what, what is allowed, the near miss; without what is only said because something else is wrong (ERR-3). */
import type { ErrorObject } from 'ajv/dist/2020.js'
import { escapePointer, isList, isObject, pointerTokens } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import { valueFormats } from '../definition/value-formats.js'
import { nearMiss } from '../near-miss.js'
import type { KnownViolation, Violation } from '../problem.js'
import type { ViolationCode, ViolationParams } from '../violation.js'
import { mostViolations } from './refusal.js'

/** So many violations say what would have been allowed; further ones leave it out. */
const mostAllowed = 10

/** The violations behind the errors of one check of a value of this shape. */
export function violationsOf(errors: readonly ErrorObject[], shape: Shape): readonly Violation[] {
  const told = new Map<string, Violation>()
  for (const error of withoutConsequences(errors.slice(0, 3 * mostViolations), shape)) {
    const found = violation(error, shape)
    const name = `${found.pointer} ${found.detail}`
    if (told.has(name)) continue
    if (told.size === mostViolations) break
    told.set(name, told.size < mostAllowed ? found : withoutAllowed(found))
  }
  return [...told.values()]
}

/** A member that its object does not have, with the near miss among those it has (REP-8). */
export function unknownMember(pointer: string, name: string, allowed: readonly string[]): KnownViolation<'unknown'> {
  const suggestion = nearMiss(name, allowed)
  return {
    pointer: bounded(pointer),
    detail: `"${cut(name)}" is no member here.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
    code: 'unknown',
    params: { name: cut(name) },
    clause: 'REP-8',
    ...(allowed.length === 0 ? {} : { allowed }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

function withoutAllowed({ allowed: _, ...rest }: Violation): Violation {
  return rest
}

/**
 * Where a branch of a union or of an `if` fails, Ajv says so, says that the value is not null either, and calls all members unknown that only the branch
 * names. Beside the mistake itself none of this helps.
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
  keyword === 'if' || keyword === 'propertyNames' || ((keyword === 'anyOf' || keyword === 'oneOf') && isOptionalValue(schema))

/** A union of one schema and null. */
const isOptionalValue = (branches: unknown): boolean =>
  isList(branches) && branches.filter((branch) => !(isObject(branch) && branch.type === 'null')).length === 1

const isNotNull = ({ keyword, params, schemaPath }: ErrorObject): boolean =>
  keyword === 'type' && params.type === 'null' && /\/(?:anyOf|oneOf)\/\d+\/type$/.test(schemaPath)

const isUnseen = ({ params, instancePath }: ErrorObject, shape: Shape): boolean =>
  typeof params.unevaluatedProperty === 'string' && placeOf(shape, instancePath)?.properties.has(params.unevaluatedProperty) === true

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
    return { pointer, detail: `"${params.missingProperty}" is required.`, code: 'required', params: { member: params.missingProperty } }
  }
  if (error.propertyName !== undefined) {
    const pointer = bounded(`${instancePath}/${escapePointer(error.propertyName)}`)
    const name = cut(error.propertyName)
    return { pointer, detail: `The name "${name}" ${messageOf(error)}.`, code: 'unknown', params: { name }, clause: 'REP-8' }
  }
  const name = instancePath === '' ? 'The body' : `"${cut(lastName(instancePath))}"`
  const allowed = allowedValues(params)
  const suggestion =
    typeof error.data === 'string' ? nearMiss(error.data, allowed?.filter((value) => typeof value === 'string') ?? []) : undefined
  return {
    pointer: bounded(instancePath),
    detail: `${name} ${messageOf(error)}.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`,
    ...kindOf(error),
    ...(allowed === undefined ? {} : { allowed }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

/** The code of a keyword of JSON Schema, with its params. */
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
      return kind(keyword, { least: params.minContains, ...(params.maxContains === undefined ? {} : { most: params.maxContains }) })
    case 'exactInteger':
      return kind(keyword, { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
    case 'false schema':
      // A place where nothing may be.
      return kind('not', {})
    default:
      return limited.has(keyword) ? { code: keyword, params: { limit: params.limit ?? schema } } : { code: keyword }
  }
}

/** What a query says of the type that a parameter must have. */
export const typeParams = (shape: Shape | undefined): ViolationParams['type'] => ({
  types: [...(shape?.types ?? [])],
  ...(shape?.format === undefined ? {} : { format: shape.format }),
})

/** Holds the params of a code to its type. */
const kind = <C extends ViolationCode>(code: C, params: ViolationParams[C]): Pick<Violation, 'code' | 'params'> =>
  Object.keys(params).length === 0 ? { code } : { code, params: params as NonNullable<Violation['params']> }

/** The keywords that say no more than one bound. */
const limited: ReadonlySet<string> = new Set<ViolationCode>([
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'items', 'unevaluatedItems'] as const),
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const),
])

function messageOf({ keyword, params, message }: ErrorObject): string {
  const format = keyword === 'format' ? valueFormats.get(params.format) : undefined
  if (format !== undefined) return `must be ${format.expects}`
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`
  const allowed = allowedValues(params)
  if (allowed !== undefined && allowed.length > 0) {
    const shown = allowed.slice(0, 20).map((value) => JSON.stringify(value))
    return `must be ${allowed.length === 1 ? '' : 'one of '}${shown.join(', ')}${allowed.length > 20 ? ', ...' : ''}`
  }
  return message ?? 'is not valid'
}

/** The values of `enum` or `const`, where they are scalars. */
function allowedValues(params: Record<string, unknown>): (string | number | boolean | null)[] | undefined {
  const values = isList(params.allowedValues) ? params.allowedValues : 'allowedValue' in params ? [params.allowedValue] : undefined
  return values?.filter((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value)) as ReturnType<
    typeof allowedValues
  >
}

/** The shape of the value at a pointer. */
function placeOf(shape: Shape, pointer: string): Shape | undefined {
  let found: Shape | undefined = shape
  for (const name of pointerTokens(pointer)) {
    const item: Shape | undefined = /^\d+$/.test(name) ? (found?.prefix[Number(name)] ?? found?.items) : undefined
    found = found?.members.get(name) ?? item ?? found?.other(name)
  }
  return found
}

/** A pointer that a name in the body has made very long is cut to what it stands in. */
function bounded(pointer: string): string {
  return pointer.length <= 1000 ? pointer : pointer.slice(0, Math.max(0, pointer.lastIndexOf('/', 1000)))
}

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}...` : text)

/** The last name in a pointer; an item goes by the name of its list. */
function lastName(pointer: string): string {
  const names = pointerTokens(pointer)
  const at = names.findLastIndex((name) => !/^\d+$/.test(name))
  const items = names.slice(at + 1).map((index) => `[${index}]`)
  return `${names[at] ?? ''}${items.join('')}`
}
