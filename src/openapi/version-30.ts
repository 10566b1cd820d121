/** A document in the words of OpenAPI 3.0.3, for tools that know no other. */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import { longestText } from './bounds.js'
import type { DocumentSchema, OpenApiDocument } from './document.js'

/** Words of schemas that 3.0 has no others for. */
const lacking: ReadonlySet<string> = new Set([
  ...[
    'if',
    'then',
    'else',
    'dependentSchemas',
    'dependentRequired',
    'patternProperties',
    'propertyNames',
    'prefixItems',
  ],
  ...['contains', 'minContains', 'maxContains', 'unevaluatedItems'],
])

/** The same document in 3.0.3. Throws `ConfigurationError` for a schema with words that it lacks. */
export function toVersion30(document: OpenApiDocument): OpenApiDocument {
  const { summary: _, license, ...info } = document.info
  const components = each(document.components, (table, kind) =>
    each(asObject(table), (entry, name) => component(kind, entry, name)),
  )
  const paths = each(document.paths, (item, path) =>
    each(asObject(item), (entry) =>
      isList(entry) ? entry.map((one) => described(one, path)) : operation(entry, path),
    ),
  )
  return {
    ...document,
    info: { ...info, ...licensed(license), title: document.info.title, version: document.info.version },
    paths,
    components,
  }
}

/** SPDX publishes each licence by its identifier, which 3.0 lacks; expressions have no page. */
function licensed(license: unknown): JsonObject {
  if (!isObject(license)) return {}
  const { identifier, ...rest } = license
  const page =
    typeof identifier === 'string' && /^[A-Za-z0-9.-]+$/.test(identifier)
      ? { url: `https://spdx.org/licenses/${identifier}.html` }
      : {}
  return { license: { ...page, ...rest } }
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

const each = <T>(
  table: Readonly<Record<string, unknown>>,
  change: (value: unknown, name: string) => T,
): Record<string, T> => Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value, name)]))

function component(kind: string, entry: unknown, name: string): JsonObject {
  if (kind === 'schemas') return { ...schemaOf(asObject(entry), name) }
  return described(entry, name)
}

function operation(entry: unknown, path: string): unknown {
  if (!isObject(entry)) return entry
  const { parameters, requestBody, responses } = entry
  return {
    ...entry,
    ...(isList(parameters) ? { parameters: parameters.map((one) => described(one, path)) } : {}),
    ...(requestBody === undefined ? {} : { requestBody: described(requestBody, path) }),
    ...(isObject(responses) ? { responses: each(responses, (one) => described(one, path)) } : {}),
  }
}

/** A parameter, a header, a body or a response: what has a schema, content or headers. */
function described(entry: unknown, place: string): JsonObject {
  const known = asObject(entry)
  const { schema, content, headers } = known
  return {
    ...known,
    ...(isObject(schema) ? { schema: schemaOf(schema, place) } : {}),
    ...(isObject(content) ? { content: each(content, (one) => described(one, place)) } : {}),
    ...(isObject(headers) ? { headers: each(headers, (one) => described(one, place)) } : {}),
  }
}

/** A schema in the words of 3.0. */
function schemaOf(schema: DocumentSchema, place: string): DocumentSchema {
  const found =
    Object.keys(schema).find((word) => lacking.has(word)) ??
    (isObject(schema.unevaluatedProperties) ? 'unevaluatedProperties' : undefined)
  if (found !== undefined) {
    throw new ConfigurationError(
      'description-unfit',
      `The schema at "${place}" has the keyword "${found}", which OpenAPI 3.0.3 can not say. Ask for 3.1.1, or say it otherwise.`,
    )
  }
  const {
    $ref,
    type,
    const: constant,
    examples,
    exclusiveMinimum,
    exclusiveMaximum,
    contentMediaType,
    unevaluatedProperties: _,
    anyOf,
    ...rest
  } = schema
  const result: JsonObject = each(rest, (value, word) => nested(word, value, place))
  Object.assign(result, typed(type), among(anyOf, place))
  if (constant !== undefined) result.enum = [constant]
  if (isList(examples)) result.example = examples[0]
  if (typeof exclusiveMinimum === 'number') Object.assign(result, { minimum: exclusiveMinimum, exclusiveMinimum: true })
  if (typeof exclusiveMaximum === 'number') Object.assign(result, { maximum: exclusiveMaximum, exclusiveMaximum: true })
  if (contentMediaType !== undefined)
    Object.assign(result, { type: 'string', format: 'binary', maxLength: longestText })
  // An array says what it holds, be it anything.
  if (result.type === 'array' && result.items === undefined) result.items = {}
  if ($ref === undefined) return result
  return Object.keys(result).length === 0
    ? { $ref }
    : { ...result, allOf: [{ $ref }, ...(isList(result.allOf) ? result.allOf : [])] }
}

const onlyNull: JsonObject = { type: 'object', nullable: true, enum: [null] }

/** Null is a word beside the type; several types are several schemas. */
function typed(type: unknown): JsonObject {
  if (type === undefined) return {}
  const types = [type].flat()
  const others = types.filter((one) => one !== 'null')
  const isNullable = others.length < types.length
  if (others.length === 0) return onlyNull
  return others.length === 1
    ? { type: others[0], ...(isNullable ? { nullable: true } : {}) }
    : {
        anyOf: [
          ...others.map((one) => (one === 'array' ? { type: one, items: {} } : { type: one })),
          ...(isNullable ? [onlyNull] : []),
        ],
      }
}

/** Branches. That for null stays one: `nullable` adds null to a `type` beside it, and to nothing else (OpenAPI 3.0.3, Schema Object). */
function among(branches: unknown, place: string): JsonObject {
  if (!isList(branches)) return {}
  return { anyOf: branches.map((branch) => schemaOf(asObject(branch), place)) }
}

function nested(word: string, value: unknown, place: string): unknown {
  if (word === 'properties') return each(asObject(value), (one) => schemaOf(asObject(one), place))
  if (word === 'items' || word === 'additionalProperties' || word === 'not')
    return isObject(value) ? schemaOf(value, place) : value
  if (word === 'allOf' || word === 'oneOf')
    return isList(value) ? value.map((one) => schemaOf(asObject(one), place)) : value
  return value
}
