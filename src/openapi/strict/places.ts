/** Places in a document, by the tokens of their JSON Pointers, with references followed. */
import { isList, isObject, type JsonObject } from '../../definition/json.js'

/** A value of a document, and where it stands. */
export interface Place {
  readonly value: JsonObject
  readonly tokens: readonly string[]
}

/** The object at a place, its references followed; `undefined` where there is none. */
export function placeAt(document: unknown, tokens: readonly string[]): Place | undefined {
  let value: unknown = document
  for (const token of tokens)
    value = (isObject(value) || isList(value)) && Object.hasOwn(value, token) ? Reflect.get(value, token) : undefined
  if (!isObject(value)) return undefined
  const { $ref } = value
  return typeof $ref === 'string' && $ref.startsWith('#/') ? placeAt(document, tokensOf($ref)) : { value, tokens }
}

/** The tokens of a reference into the same document (RFC 6901 6). */
export const tokensOf = (reference: string): readonly string[] =>
  reference
    .slice(2)
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
