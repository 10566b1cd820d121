/** Reads documents that teams have written in part: a value of an unexpected type counts as absent. */
import { isList, isObject, type JsonObject, own } from '../definition/json.js'

/** A member that is a string and not empty. */
export function textIn(value: unknown, name: string): string | undefined {
  const found = own(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** A member that is an object; else an empty one. */
export function objectIn(value: unknown, name: string): JsonObject {
  const found = own(value, name)
  return isObject(found) ? found : {}
}

/** A member that is a list; else an empty one. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const found = own(value, name)
  return isList(found) ? found : []
}

/** A text without lone surrogates: they have no UTF-8, and `encodeURIComponent` throws on them. */
export const sound = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** A text cut to the given number of characters, with an ellipsis if it was cut. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = [...text.slice(0, most * 2)].slice(0, most).join('')
  return `${cut.length < text.length ? cut.trimEnd() : text}…`
}
