/** The formats of texts: those of JSON Schema, and the local date-time of the conventions (REP-4). */
import type { Ajv2020 } from 'ajv/dist/2020.js'
import plugin from 'ajv-formats'
import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js'
import { canonicalLocalDateTime } from '../http/local-date-time.js'

// The plugin is CommonJS: its default export hides one level down under Node's interpretation of it.
const addAll = ((plugin as unknown as { default?: typeof plugin }).default ?? plugin) as unknown as (ajv: Ajv2020) => void

/** Teaches a validator the formats. */
export function addFormats(ajv: Ajv2020): void {
  addAll(ajv)
  ajv.addFormat('local-date-time', { type: 'string', validate: (text: string) => canonicalLocalDateTime(text) !== undefined })
}

/** Whether a text has a format; `undefined` where the format is none of texts. */
export function formatTest(format: string): ((text: string) => boolean) | undefined {
  if (!Object.hasOwn(fullFormats, format)) return undefined
  const known = fullFormats[format as FormatName]
  const test = typeof known === 'object' && 'validate' in known ? known.validate : known
  if (test instanceof RegExp) return (text) => test.test(text)
  return typeof test === 'function' && !isOfNumbers(known) ? (test as (text: string) => boolean) : undefined
}

const isOfNumbers = (format: unknown): boolean => (format as { type?: unknown }).type === 'number'
