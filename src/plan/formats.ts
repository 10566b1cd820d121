/** The formats of texts: those of JSON Schema, and those whose values have a canonical text (REP-4). */
import { _, type Ajv2020, type CodeKeywordDefinition } from 'ajv/dist/2020.js'
import plugin from 'ajv-formats'
import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js'
import { valueFormats } from '../definition/value-formats.js'

// The plugin is CommonJS: its default export hides one level down under Node's interpretation of it.
const addAll = ((plugin as unknown as { default?: typeof plugin }).default ?? plugin) as unknown as (ajv: Ajv2020) => void

/** Teaches a validator the formats. */
export function addFormats(ajv: Ajv2020): void {
  addAll(ajv)
  keepInt64OfNumbers(ajv)
  // A text is valid where it has a canonical form: one rule for bodies, filters and keys.
  for (const { name, canonical } of valueFormats.values()) {
    ajv.addFormat(name, { type: 'string', validate: (text: string) => canonical(text) !== undefined })
  }
}

/**
 * A format of Ajv is one of numbers or one of texts. `int64` is both: OpenAPI's annotation of
 * numbers, which are whole then, and the library's format of texts.
 */
function keepInt64OfNumbers(ajv: Ajv2020): void {
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

/** Whether a schema may ask for a format. */
export const hasFormat = (format: string): boolean => valueFormats.has(format) || Object.hasOwn(fullFormats, format)

/** Whether a text has a format; `undefined` where the format is none of texts. */
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
