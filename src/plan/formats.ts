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
  if (!Object.hasOwn(fullFormats, format)) return undefined
  const known = fullFormats[format as FormatName]
  const test = typeof known === 'object' && 'validate' in known ? known.validate : known
  if (test instanceof RegExp) return (text) => test.test(text)
  return typeof test === 'function' && !isOfNumbers(known) ? (test as (text: string) => boolean) : undefined
}

const isOfNumbers = (format: unknown): boolean => (format as { type?: unknown }).type === 'number'
