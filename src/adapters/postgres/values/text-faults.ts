/**
 * Detects strings that PostgreSQL can't store, because they contain U+0000, or an unpaired
 * surrogate, which UTF-8 can't encode.
 */
import { isObject } from '../../../definition/json.js'

const unstorable = /\0|\p{Surrogate}/u
/**
 * Matches JSON text that may contain U+0000 or a surrogate, as an escape such as `\u0000` or
 * `\ud800`. Also matches some harmless text, such as `\\u0000`: an escaped backslash, followed by
 * the characters `u0000`.
 */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Why a string can't be stored, phrased as the end of a sentence. `undefined` if the string can be
 * stored.
 */
export function textFault(text: string): string | undefined {
  if (!unstorable.test(text)) return undefined
  return text.includes('\0')
    ? 'holds U+0000, which the store cannot keep'
    : 'holds an unpaired surrogate, which is not valid Unicode text'
}

/**
 * Searches a value for the first string or member name that can't be stored. Returns the reason,
 * and the path of the string or of the object that has the member. `json` is the value as JSON.
 */
export function jsonFault(
  value: unknown,
  json: string,
): { readonly path: readonly string[]; readonly why: string } | undefined {
  return suspicious.test(json) ? find(value, []) : undefined
}

function find(
  value: unknown,
  path: readonly string[],
): { readonly path: readonly string[]; readonly why: string } | undefined {
  if (typeof value === 'string') {
    const why = textFault(value)
    return why === undefined ? undefined : { path, why }
  }
  if (Array.isArray(value))
    return first(
      value.map((item, i) => [String(i), item]),
      path,
    )
  return isObject(value) ? first(Object.entries(value), path) : undefined
}

function first(entries: readonly (readonly [string, unknown])[], path: readonly string[]) {
  for (const [name, value] of entries) {
    const why = textFault(name)
    const found = why === undefined ? find(value, [...path, name]) : { path, why }
    if (found !== undefined) return found
  }
  return undefined
}
