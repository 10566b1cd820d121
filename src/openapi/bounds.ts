/**
 * The library's restrictions on values, expressed in standard keywords. Strings in the library's
 * own formats get patterns (REP-4). Integers are limited to those that a double represents exactly
 * (REP-8). Standard formats need no pattern.
 */
import { longestField } from '../http/field-length.js'
import type { DocumentSchema } from './document.js'

/**
 * The maximum length of a URL and of a response header field, in characters. Some clients do not
 * accept longer values. Node, for example, accepts by default at most 16 KiB of header fields in
 * total.
 */
export const longestUrlOrField = 16_384

/**
 * The `maxLength` of a body that is described as a string. The library does not limit the length of
 * such a body, because it may be streamed. The value is the length of the longest string in Java.
 * The longest string in V8 has about a quarter of this length.
 */
export const longestText = 2 ** 31 - 1

const leap = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29'
const day = `(?:${leap}|[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])))`
const time = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]'

/** The patterns of the library's own formats. */
export const formatPatterns: Readonly<Record<string, string>> = Object.freeze({
  'local-date-time': `^${day}T${time}(?:\\.[0-9]{1,7})?$`,
  'local-time': `^${time}(?:\\.[0-9]+)?$`,
  decimal: '^[+-]?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?(?:[0-3]?[0-9]{1,2}|400))?$',
})

/**
 * Adds the library's restrictions to a schema. Restrictions that the schema itself declares are
 * kept. A schema with `enum` or `const` gets none.
 */
export function bounded(schema: DocumentSchema): DocumentSchema {
  // A fast path for most schemas: plain strings and booleans need no bounds.
  if (schema.format === undefined && (schema.type === 'string' || schema.type === 'boolean')) return schema
  const types = [schema.type].flat()
  if (schema.enum !== undefined || schema.const !== undefined) return schema
  const pattern =
    types.includes('string') && typeof schema.format === 'string' ? formatPatterns[schema.format] : undefined
  const written = pattern === undefined || schema.pattern !== undefined ? schema : { ...schema, pattern }
  return types.includes('integer') && !types.includes('number') ? safeInteger(written) : written
}

/**
 * Limits an integer to the range in which a double represents every integer exactly, because the
 * library rejects integers outside this range (REP-8). Declared bounds and formats are kept.
 */
export function safeInteger(schema: DocumentSchema): DocumentSchema {
  return {
    ...schema,
    // If the value may also be a string, `format` describes the string.
    ...([schema.type].flat().includes('string') ? {} : { format: schema.format ?? 'int64' }),
    ...(schema.exclusiveMinimum === undefined ? { minimum: schema.minimum ?? Number.MIN_SAFE_INTEGER } : {}),
    ...(schema.exclusiveMaximum === undefined ? { maximum: schema.maximum ?? Number.MAX_SAFE_INTEGER } : {}),
  }
}

/**
 * Restricts an id to values that can be part of a path. An id must not be empty, `.` or `..`
 * (PATH-11).
 */
export function addressable(schema: DocumentSchema): DocumentSchema {
  const types = [schema.type].flat()
  if (
    !types.includes('string') ||
    schema.format !== undefined ||
    schema.enum !== undefined ||
    schema.const !== undefined
  )
    return schema
  return {
    ...schema,
    ...(schema.minLength === undefined ? { minLength: 1 } : {}),
    ...(schema.pattern === undefined ? { pattern: '^(?!\\.{1,2}$)' } : {}),
  }
}

/**
 * The schema of any value of a header field: visible characters of ISO 8859-1, spaces and tabs (RFC
 * 9110 5.5).
 */
export const fieldValue: DocumentSchema = Object.freeze({
  type: 'string',
  pattern: '^[\\t\\u0020-\\u007e\\u0080-\\u00ff]*$',
  maxLength: longestField,
})
