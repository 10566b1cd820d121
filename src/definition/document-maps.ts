/**
 * Code that visits a whole OpenAPI document must treat the values of some members differently:
 * maps, whose keys are arbitrary names, and user data, which is not part of the document's
 * structure. This file lists these members.
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

/**
 * Whether the value of a member is user data, such as an example or a default. A `$ref` inside such
 * a value is not a reference.
 */
export const isDocumentData = (name: string, value: unknown): boolean =>
  data.has(name) || (name === 'examples' && isList(value))
