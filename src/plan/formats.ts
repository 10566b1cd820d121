/**
 * String formats: the formats of JSON Schema, and the formats whose values have a canonical
 * spelling (REP-4).
 */
import { _, type Ajv2020, type CodeKeywordDefinition } from 'ajv/dist/2020.js'
import plugin from 'ajv-formats'
import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js'
import { valueFormats } from '../definition/value-formats.js'

// `ajv-formats` is a CommonJS module. When Node imports this module, the default export is nested
// one level deeper.
const addAll = ((plugin as unknown as { default?: typeof plugin }).default ?? plugin) as unknown as (
  ajv: Ajv2020,
) => void

/** Adds the formats to a validator. */
export function addFormats(ajv: Ajv2020): void {
  addAll(ajv)
  allowInt64ForNumbers(ajv)
  ajv.addFormat('url', { type: 'string', validate: isUrl })
  // A string is valid if it has a canonical form. The same rule applies to bodies, filters and
  // keys.
  for (const { name, canonical } of valueFormats.values()) {
    ajv.addFormat(name, { type: 'string', validate: (text: string) => canonical(text) !== undefined })
  }
}

/**
 * Makes the format `int64` apply to numbers and to strings. OpenAPI uses this format for whole
 * numbers, and the library uses it for strings. An Ajv format can apply only to one of these two
 * types, so this function replaces the keyword `format`.
 */
function allowInt64ForNumbers(ajv: Ajv2020): void {
  const rule = ajv.getKeyword('format') as CodeKeywordDefinition
  ajv.removeKeyword('format').addKeyword({
    ...rule,
    code(context, ruleType) {
      if (ruleType !== 'number' || context.schema !== 'int64') return rule.code(context, ruleType)
      const isWhole = context.gen.scopeValue('func', { ref: Number.isInteger })
      context.pass(_`${isWhole}(${context.data})`)
    },
  })
}

/**
 * The expression of `ajv-formats` for `url`, except that `\S+@` replaces `\S+(?::\S*)?@`. Both
 * match the same strings, but the longer one takes quadratic time if a string contains many colons.
 */
const url =
  /^(?:https?|ftp):\/\/(?:\S+@)?(?:(?!(?:10|127)(?:\.\d{1,3}){3})(?!(?:169\.254|192\.168)(?:\.\d{1,3}){2})(?!172\.(?:1[6-9]|2\d|3[0-1])(?:\.\d{1,3}){2})(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5])){2}(?:\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4]))|(?:(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+)(?:\.(?:[a-z0-9\u{00a1}-\u{ffff}]+-)*[a-z0-9\u{00a1}-\u{ffff}]+)*(?:\.(?:[a-z\u{00a1}-\u{ffff}]{2,})))(?::\d{2,5})?(?:\/\S*)?$/iu

/**
 * Whether a string is a URL of the format `url`. A string with white space is refused before the
 * expression is tried. Otherwise, such a string could take quadratic time if it contains many `@`:
 * after each `@`, the expression would read the rest of the string again.
 */
const isUrl = (text: string): boolean => !/\s/.test(text) && url.test(text)

/** The formats that a schema may use. */
export const formatNames: readonly string[] = [...valueFormats.keys(), ...Object.keys(fullFormats)]

/** Whether a schema may use this format. */
export const hasFormat = (format: string): boolean => valueFormats.has(format) || Object.hasOwn(fullFormats, format)

/**
 * Returns the test of a string format. Returns `undefined` if the format is unknown, applies to
 * numbers, or allows every string.
 */
export function formatTest(format: string): ((text: string) => boolean) | undefined {
  const value = valueFormats.get(format)
  if (value !== undefined) return (text) => value.canonical(text) !== undefined
  if (format === 'url') return isUrl
  if (!Object.hasOwn(fullFormats, format)) return undefined
  const known = fullFormats[format as FormatName]
  const test = typeof known === 'object' && 'validate' in known ? known.validate : known
  if (test instanceof RegExp) return (text) => test.test(text)
  return typeof test === 'function' && !isOfNumbers(known) ? (test as (text: string) => boolean) : undefined
}

const isOfNumbers = (format: unknown): boolean => (format as { type?: unknown }).type === 'number'
