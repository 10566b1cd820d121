/** Finds objects in a document by the tokens of their JSON Pointers. */
import { isList, isObject, type JsonObject } from '../../definition/json.js'

/** An object in a document, and the path to it. */
export interface Place {
  readonly value: JsonObject
  readonly tokens: readonly string[]
}

/**
 * Returns the object to which the tokens lead, or `undefined` if there is none. If this object is a
 * reference into the document, returns the target of the reference instead.
 */
export function placeAt(document: unknown, tokens: readonly string[]): Place | undefined {
  let value: unknown = document
  for (const token of tokens)
    value = (isObject(value) || isList(value)) && Object.hasOwn(value, token) ? Reflect.get(value, token) : undefined
  if (!isObject(value)) return undefined
  const { $ref } = value
  return typeof $ref === 'string' && $ref.startsWith('#/') ? placeAt(document, tokensOf($ref)) : { value, tokens }
}

/** Returns the tokens of a reference into the same document (RFC 6901 6). */
export const tokensOf = (reference: string): readonly string[] =>
  reference
    .slice(2)
    .split('/')
    .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
