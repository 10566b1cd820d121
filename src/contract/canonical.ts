/** The one text of a document: what is equal has equal text, so that a review shows what has changed and nothing else. */
import { canonicalText, isList, isObject, type JsonObject, put } from '../definition/json.js'

/** Members whose value is a table: the names in it are a team's, and no keywords. */
const tables: ReadonlySet<string> = new Set([
  ...['paths', 'webhooks', 'callbacks', 'responses', 'headers', 'content', 'links', 'encoding', 'variables'],
  ...[
    'schemas',
    'requestBodies',
    'securitySchemes',
    'pathItems',
    'properties',
    'patternProperties',
    'dependentSchemas',
    '$defs',
  ],
])

/** Members whose value is data. Its lists keep their order. */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'value', 'mapping', 'scopes'])

/** Lists whose order says nothing. */
const unordered: ReadonlySet<string> = new Set([
  'required',
  'enum',
  'type',
  'parameters',
  'security',
  'tags',
  'x-extensible-enum',
])

/** An OpenAPI document as canonical JSON: two spaces, sorted members, and lists sorted whose order says nothing. */
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
  // `parameters` of an operation is a list, that of the components a table.
  const isTable = tables.has(name) || name === 'parameters'
  const whole = sorted(value, isTable && isObject(value))
  return unordered.has(name) && isList(whole) ? inOrder(name === 'security' ? whole.map(requirement) : whole) : whole
}

/** The scopes of a security requirement. */
const requirement = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([scheme, scopes]) => [scheme, inOrder(scopes)]))
    : value

function inOrder(value: unknown): unknown {
  if (!isList(value)) return value
  return [...value].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
}

/** Parameters go by their names, which change less than their words. */
const sortKey = (value: unknown): string =>
  isObject(value) && typeof value.name === 'string' ? `${value.name} ${canonicalText(value)}` : canonicalText(value)

/** Members sorted, lists as they are. */
function dataOf(value: unknown): unknown {
  if (isList(value)) return value.map(dataOf)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const name of Object.keys(value).sort()) put(result, name, dataOf(value[name]))
  return result
}
