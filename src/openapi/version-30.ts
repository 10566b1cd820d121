/** Converts documents to OpenAPI 3.0.3, for tools that support no later version. */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import { longestText } from './bounds.js'
import type { DocumentSchema, OpenApiDocument } from './document.js'

/** Schema keywords that have no equivalent in OpenAPI 3.0. */
const unsupported: ReadonlySet<string> = new Set([
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

/**
 * Converts a document to OpenAPI 3.0.3. The member `openapi` of the document must already be
 * `3.0.3`. Throws `ConfigurationError` if a schema has a keyword that OpenAPI 3.0 can't express.
 */
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

/**
 * Returns the license without `identifier`, which OpenAPI 3.0 lacks. If the identifier names a
 * single license and the license has no `url`, the license's page at SPDX becomes the `url`. An
 * SPDX expression that combines several licenses has no page, so the expression is left out.
 */
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

/** Converts a parameter, header, body or response, with its schema, content and headers. */
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

/** Converts a schema and the schemas inside it. `place` names the schema in error messages. */
function schemaOf(schema: DocumentSchema, place: string): DocumentSchema {
  const found =
    Object.keys(schema).find((word) => unsupported.has(word)) ??
    (isObject(schema.unevaluatedProperties) ? 'unevaluatedProperties' : undefined)
  if (found !== undefined) {
    throw new ConfigurationError(
      'description-unfit',
      `The schema at "${place}" has the keyword "${found}", which OpenAPI 3.0.3 can't express. ` +
        `Use openapi: '3.1.1', or change the schema.`,
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
  const [types, branches] = [typed(type), among(anyOf, place)]
  Object.assign(result, types, branches)
  // A schema can have only one `anyOf`. If the schema has several types and also an `anyOf` of its
  // own, the `anyOf` of the types becomes a part of `allOf`.
  if (types.anyOf !== undefined && branches.anyOf !== undefined)
    result.allOf = [...(isList(result.allOf) ? result.allOf : []), { anyOf: types.anyOf }]
  if (constant !== undefined) result.enum = [constant]
  if (isList(examples)) result.example = examples[0]
  if (typeof exclusiveMinimum === 'number') Object.assign(result, { minimum: exclusiveMinimum, exclusiveMinimum: true })
  if (typeof exclusiveMaximum === 'number') Object.assign(result, { maximum: exclusiveMaximum, exclusiveMaximum: true })
  if (contentMediaType !== undefined)
    Object.assign(result, { type: 'string', format: 'binary', maxLength: longestText })
  // In OpenAPI 3.0, a schema of type `array` must have `items`.
  if (result.type === 'array' && result.items === undefined) result.items = {}
  if ($ref === undefined) return result
  return Object.keys(result).length === 0
    ? { $ref }
    : { ...result, allOf: [{ $ref }, ...(isList(result.allOf) ? result.allOf : [])] }
}

const onlyNull: JsonObject = { type: 'object', nullable: true, enum: [null] }

/**
 * Converts the keyword `type`. An array of null and one other type becomes the other type with
 * `nullable`. Several types become the branches of an `anyOf`.
 */
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

/**
 * Converts the branches of `anyOf`. A branch for null stays a branch, because `nullable` applies
 * only together with `type` in the same schema (OpenAPI 3.0.3, Schema Object).
 */
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
