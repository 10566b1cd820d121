/**
 * Reads OpenAPI documents. They may contain hand-written parts, so values of an unexpected type are
 * treated as absent.
 */
import { isList, isObject, type JsonObject, own } from '../definition/json.js'

/** Returns a member if it is a non-empty string. Otherwise returns `undefined`. */
export function textIn(value: unknown, name: string): string | undefined {
  const found = own(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Returns a member if it is an object. Otherwise returns an empty object. */
export function objectIn(value: unknown, name: string): JsonObject {
  const found = own(value, name)
  return isObject(found) ? found : {}
}

/** Returns a member if it is a list. Otherwise returns an empty list. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const found = own(value, name)
  return isList(found) ? found : []
}

/**
 * Replaces lone surrogates, because they have no UTF-8 encoding, and `encodeURIComponent` throws an
 * exception for them.
 */
export const sound = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Cuts a text to the given number of characters. Adds an ellipsis if the text was cut. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const cut = [...text.slice(0, maxLength * 2)].slice(0, maxLength).join('')
  return cut.length < text.length ? `${cut.trimEnd()}…` : text
}
