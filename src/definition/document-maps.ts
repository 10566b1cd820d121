/**
 * The members of OpenAPI documents and schemas whose values have a special meaning for code that
 * visits a whole document: maps, whose keys are arbitrary names, and data.
 */
import { isList, isObject } from './json.js'

const maps: ReadonlySet<string> = new Set([
  ...['paths', 'webhooks', 'callbacks', 'responses', 'headers', 'content', 'links', 'encoding', 'variables'],
  ...['schemas', 'requestBodies', 'securitySchemes', 'pathItems', 'parameters', 'examples'],
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
])

/**
 * Whether the value of a member is a map, for example from the names of properties to schemas. In a
 * map, `default` is a name like any other. `parameters` is a list in an operation and a map in
 * `components`, and `examples` is a list in a schema and a map elsewhere.
 */
export const isDocumentMap = (name: string, value: unknown): boolean => maps.has(name) && isObject(value)

const data: ReadonlySet<string> = new Set(['example', 'default', 'const', 'enum', 'value'])

/** Whether the value of a member is data. A `$ref` inside such a value is not a reference. */
export const isDocumentData = (name: string, value: unknown): boolean =>
  data.has(name) || (name === 'examples' && isList(value))
