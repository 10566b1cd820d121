/**
 * Phrases for types and formats, for messages such as `"id" must be ...`. Bodies, queries and keys
 * use the same phrases.
 */
import { valueFormats } from './value-formats.js'

const types: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['a string']],
  ['integer', ['a whole number']],
  ['number', ['a number']],
  ['boolean', ['true', 'false']],
  ['array', ['an array']],
  ['object', ['an object']],
])

/**
 * The formats of `ajv-formats` that refuse some strings or numbers. The formats in `valueFormats`
 * have phrases of their own.
 */
const formats: ReadonlyMap<string, string> = new Map([
  ['date', 'a date such as 2026-01-31'],
  ['iso-time', 'a time such as 09:30:00 or 09:30:00Z'],
  ['iso-date-time', 'a date-time such as 2026-01-31T09:30:00 or 2026-01-31T09:30:00Z'],
  ['uri', 'a URI such as https://example.com/a'],
  ['uri-reference', 'a URI reference such as /a/b or https://example.com/a'],
  ['uri-template', 'a URI template such as https://example.com/{id}'],
  ['url', 'a URL such as https://example.com/a'],
  ['email', 'an email address such as name@example.com'],
  ['hostname', 'a host name such as www.example.com'],
  ['ipv4', 'an IPv4 address such as 192.0.2.1'],
  ['ipv6', 'an IPv6 address such as 2001:db8::1'],
  ['regex', 'a regular expression such as ^[a-z]+$'],
  ['json-pointer', 'a JSON Pointer such as /a/0'],
  ['json-pointer-uri-fragment', 'a JSON Pointer as a URI fragment, such as #/a/0'],
  ['relative-json-pointer', 'a relative JSON Pointer such as 1/a'],
  ['byte', 'a Base64 string such as aGVsbG8='],
  ['int32', 'a whole number from -2147483648 to 2147483647'],
])

/** Joins alternatives: `a, b or c`. */
export const alternatives = (phrases: readonly string[]): string =>
  phrases.length < 2 ? phrases.join() : `${phrases.slice(0, -1).join(', ')} or ${phrases.at(-1)}`

/** Returns the phrase for a value of one of these types, such as `a whole number or null`. */
export const typeWords = (names: Iterable<string>): string =>
  alternatives([...names].flatMap((name) => types.get(name) ?? [name]))

/** Returns the phrase for a string or number of a format. */
export function formatWords(name: string, isNumber = false): string {
  // The phrase for `int64` in `valueFormats` describes strings. For numbers, `int64` only excludes
  // fractions.
  if (isNumber && name === 'int64') return 'a whole number'
  return valueFormats.get(name)?.expects ?? formats.get(name) ?? `a value of the format "${name}"`
}
