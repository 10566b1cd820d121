/** Text that PostgreSQL can't keep: U+0000, and halves of surrogate pairs, which no UTF-8 can say. */
import { isObject } from '../../../definition/json.js'

const unstorable = /\0|\p{Surrogate}/u
/** The same in JSON text, where both are escaped; a backslash before them makes it a maybe. */
const suspicious = /\\u(?:0000|[dD][89a-fA-F])/

/** Why a text can't be kept, as the rest of a sentence. */
export function textFault(text: string): string | undefined {
  if (!unstorable.test(text)) return undefined
  return text.includes('\0')
    ? 'holds U+0000, which the store can not keep'
    : 'holds half of a surrogate pair, which is no Unicode text'
}

/** Where in a value there is such a text, and why it can't be kept. `json` is the value's JSON text, made already. */
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
