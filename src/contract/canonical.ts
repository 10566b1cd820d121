/**
 * The canonical text of a document. Documents that differ only in an order that has no meaning have
 * the same text, so a diff does not show such differences.
 */
import { isDocumentMap } from '../definition/document-maps.js'
import { canonicalText, isList, isObject, type JsonObject, put } from '../definition/json.js'

/**
 * The names of members whose values are not part of the structure of the document, such as
 * examples. Lists inside such a value keep their order.
 */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'value', 'mapping', 'scopes'])

/** The names of members whose value is a list in which the order has no meaning. */
const unordered: ReadonlySet<string> = new Set([
  'required',
  'enum',
  'type',
  'parameters',
  'security',
  'tags',
  'x-extensible-enum',
])

/**
 * Returns an OpenAPI document as canonical JSON, with an indentation of two spaces and with sorted
 * members. Lists are sorted if their order has no meaning.
 */
export const canonicalDocument = (document: unknown): string => `${JSON.stringify(sorted(document, false), null, 2)}\n`

function sorted(value: unknown, isTable: boolean): unknown {
  if (isList(value)) return value.map((item) => sorted(item, false))
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const name of Object.keys(value).sort())
    put(result, name, isTable ? sorted(value[name], false) : member(name, value[name]))
  return result
}

function member(name: string, value: unknown): unknown {
  if (data.has(name) || name.startsWith('x-')) return unordered.has(name) ? inOrder(value) : dataOf(value)
  if (name === 'dependentRequired' && isObject(value)) {
    return dataOf(Object.fromEntries(Object.entries(value).map(([key, names]) => [key, inOrder(names)])))
  }
  const rewritten = sorted(value, isDocumentMap(name, value))
  return unordered.has(name) && isList(rewritten)
    ? inOrder(name === 'security' ? rewritten.map(requirement) : rewritten)
    : rewritten
}

/** Returns a security requirement with its scopes sorted. */
const requirement = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([scheme, scopes]) => [scheme, inOrder(scopes)]))
    : value

function inOrder(value: unknown): unknown {
  if (!isList(value)) return value
  return [...value].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
}

/**
 * Returns the string by which an item of a list is sorted. For an object with a name, the string
 * starts with the name, because names change less often than descriptions.
 */
const sortKey = (value: unknown): string =>
  isObject(value) && typeof value.name === 'string' ? `${value.name} ${canonicalText(value)}` : canonicalText(value)

/** Sorts the members of objects and keeps the order of lists. */
function dataOf(value: unknown): unknown {
  if (isList(value)) return value.map(dataOf)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const name of Object.keys(value).sort()) put(result, name, dataOf(value[name]))
  return result
}
