/**
 * Translates the JSON Schemas of a service into schemas of OpenAPI documents. Objects are closed
 * (they allow no undeclared members), unless they are declared open. Keywords without a meaning in
 * OpenAPI documents are removed, and shared parts become components.
 */
import { isList, isObject } from '../definition/json.js'
import { isSchema, schemaAt } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { closedPlace } from '../plan/closed-schema.js'
import { ConfigurationError } from '../problem.js'
import { itemElement } from '../representation/xml-names.js'
import { bounded } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { typeName } from './names.js'
import {
  differsByPurpose,
  isObjectSchema,
  isRequired,
  nullable,
  type Purpose,
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
  suffix,
  traitsOf,
} from './purposes.js'

/** The data that the translation of a schema needs. */
export interface SchemaContext {
  readonly components: Components
  /** The schema into which references point. */
  readonly root: JsonSchema
  /** The owner of the schema, for messages, such as `"pre-piezas"`. */
  readonly owner: string
  /**
   * The name of the schema's type. It is prepended to the name of a subschema whose own name is
   * already taken.
   */
  readonly name: string
  readonly purpose: Purpose
}

/**
 * Keywords that are left out: a keyword that only the library defines, and keywords that neither
 * restrict nor describe values.
 */
const omitted: ReadonlySet<string> = new Set(['exactInteger', '$defs', 'definitions', '$schema', '$comment'])

/**
 * Keywords that identify schemas or vocabularies, or refer to them by such an identifier. They
 * can't be translated, because a document identifies its schemas by their names in `components`.
 */
const untranslatable: ReadonlySet<string> = new Set([
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$vocabulary',
  '$recursiveRef',
  '$recursiveAnchor',
])

/**
 * Returns the schema of a value. Objects are closed unless they are declared open. Throws
 * `ConfigurationError` for a keyword that documents can't express.
 */
export function valueSchema(context: SchemaContext, node: JsonSchema): DocumentSchema {
  return translated(
    context,
    closedPlace(context.root, node, () => false),
    '',
  )
}

/**
 * Translates a schema whose objects are closed already. `path`: the path to the schema, for
 * messages.
 */
export function translated(context: SchemaContext, node: JsonSchema, path: string): DocumentSchema {
  const found = Object.keys(node).find((keyword) => untranslatable.has(keyword))
  if (found !== undefined) throw unfit(context, found, path)
  const referred = typeof node.$ref === 'string' && isBare(node) ? reference(context, node) : undefined
  if (referred !== undefined) return referred
  const own = titledComponent(context, node)
  if (own !== undefined) return own
  return plain(context, node, path)
}

function plain(context: SchemaContext, node: JsonSchema, path: string): DocumentSchema {
  const { purpose } = context
  const merges = purpose === 'patch' && isObjectSchema(context.root, node)
  // A patch contains only some members of a value, so conditions on the whole value do not apply to
  // the patch.
  const given: JsonSchema = merges ? withoutConditions(node) : node
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(given)) {
    if (omitted.has(keyword)) continue
    if (keyword === 'examples') context.components.hasExamples = true
    if (keyword === '$ref') result.$ref = openReference(context, String(value))
    else if (merges && keyword === 'additionalProperties' && isSchema(value))
      result[keyword] = memberSchema(context, value, false, `${path}/${keyword}`)
    else if (merges && keyword === 'patternProperties' && isObject(value))
      result[keyword] = tableOf(value, (part, name) => memberSchema(context, part, false, `${path}/${name}`))
    else if (schemaKeywords.includes(keyword))
      result[keyword] = isSchema(value) ? translated(asWhole(context), value, `${path}/${keyword}`) : value
    else if (schemaListKeywords.includes(keyword)) {
      result[keyword] = isList(value)
        ? value.map((part) => (isSchema(part) ? translated(asWhole(context), part, path) : part))
        : value
    } else if (keyword === 'properties') {
      Object.assign(result, propertiesOf(context, node, path))
    } else if (schemaMapKeywords.includes(keyword))
      result[keyword] = tableOf(value, (part, name) => translated(asWhole(context), part, `${path}/${name}`))
    else if (keyword !== 'required') result[keyword] = value
  }
  if (given.properties === undefined && isList(given.required) && purpose !== 'patch') result.required = given.required
  return withXmlNames(bounded(result))
}

/**
 * Returns the context for parts that are not members, such as the items of arrays. In a patch,
 * these parts have the same schemas as in the body of a PUT.
 */
const asWhole = (context: SchemaContext): SchemaContext =>
  context.purpose === 'patch' ? { ...context, purpose: 'replace' } : context

const conditions = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'minProperties',
  'unevaluatedProperties',
  'required',
  'default',
]

const withoutConditions = (node: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !conditions.includes(keyword)))

function propertiesOf(
  context: SchemaContext,
  node: JsonSchema,
  path: string,
): { properties: DocumentSchema; required?: readonly string[] } {
  const { root, purpose } = context
  const wanted = new Set(isList(node.required) ? node.required.map(String) : [])
  const properties: Record<string, DocumentSchema> = {}
  const required: string[] = []
  for (const [name, member] of Object.entries(isObject(node.properties) ? node.properties : {})) {
    if (!isSchema(member)) continue
    const shape = traitsOf(root, member)
    if (purpose === 'output' ? shape.writeOnly : purpose === 'create' && shape.readOnly) continue
    properties[name] = memberSchema(context, member, wanted.has(name), `${path}/${name}`)
    if (isRequired(purpose, shape, wanted.has(name))) required.push(name)
  }
  return { properties, ...(required.length === 0 ? {} : { required }) }
}

/** Translates the schema of a member of an object. In a patch, null removes an optional member. */
export function memberSchema(
  context: SchemaContext,
  node: JsonSchema,
  required: boolean,
  path: string,
): DocumentSchema {
  if (context.purpose !== 'patch') return translated(context, node, path)
  // Members missing from a patch keep their values, so defaults don't apply (VERB-5).
  const { default: _, ...schema } = translated(context, node, path)
  return required ? schema : nullable(schema)
}

function tableOf(table: unknown, translate: (part: JsonSchema, name: string) => DocumentSchema): DocumentSchema {
  return Object.fromEntries(
    Object.entries(isObject(table) ? table : {}).map(([name, part]) => [
      name,
      isSchema(part) ? translate(part, name) : part,
    ]),
  )
}

/** Keywords that may be next to `$ref` without changing which values are allowed. */
const harmlessSiblings: ReadonlySet<string> = new Set([
  '$ref',
  'unevaluatedProperties',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])

/**
 * Returns true if none of the keywords next to `$ref` restricts the values of the target. The
 * keyword `unevaluatedProperties: false`, which closes the target, is permitted.
 */
const isBare = (node: JsonSchema): boolean =>
  Object.keys(node).every((keyword) => harmlessSiblings.has(keyword) || keyword.startsWith('x-')) &&
  (node.unevaluatedProperties ?? false) === false

function reference(
  context: SchemaContext,
  { $ref, unevaluatedProperties: _, ...annotations }: JsonSchema,
): DocumentSchema {
  const { $ref: target } = component(context, String($ref), true)
  const declared = Object.entries(annotations).filter(([keyword]) => !omitted.has(keyword))
  return { $ref: target, ...Object.fromEntries(declared) }
}

/**
 * Returns the reference for a schema that has other keywords next to `$ref`. The target is not
 * closed, because the other keywords may add members.
 */
const openReference = (context: SchemaContext, ref: string): string => component(context, ref, false).$ref

function component(context: SchemaContext, ref: string, closed: boolean): { readonly $ref: string } {
  const { components, root, owner, name } = context
  const last = ref.split('/').at(-1) ?? ''
  const purpose = differsByPurpose(root, ref)
    ? context.purpose
    : context.purpose === 'patch' && isObjectSchema(root, schemaAt(root, ref))
      ? 'patch'
      : 'output'
  const plainName = ref === '#' ? `${name}Record` : typeName(decodeURIComponent(last)) || `${name}Part`
  const typed = `${plainName}${closed ? '' : 'Base'}${suffix[purpose]}`
  const node = schemaAt(root, ref)
  const make = (): unknown => plain({ ...context, purpose }, closed ? closedPlace(root, node, () => false) : node, ref)
  // Subschemas of two resources may have the same name. These subschemas share a component only if
  // all `$defs` of the two resources are equal. If the resources have no `$defs`, the whole schemas
  // of the resources must be equal.
  const identity = `${ref} ${purpose} ${String(closed)} ${JSON.stringify(isObject(root.$defs) ? root.$defs : root)}`
  return components.defineAlike([typed, `${name}${typed}`], owner, identity, make)
}

/**
 * Returns a reference to a component if the schema has a title and its `type` includes `object`. If
 * `type` also includes null, returns a union of this reference and null. Otherwise returns
 * `undefined`.
 */
function titledComponent(context: SchemaContext, node: JsonSchema): DocumentSchema | undefined {
  const { title, type } = node
  if (typeof title !== 'string' || typeName(title) === '') return undefined
  const types = [type].flat()
  if (!types.includes('object')) return undefined
  const mayBeNull = types.includes('null')
  const others = types.filter((one) => one !== 'null')
  const withoutNull: JsonSchema = { ...node, type: others.length === 1 ? others[0] : others }
  const schema = plain(context, mayBeNull ? withoutNull : node, title)
  const base = typeName(title)
  const names = [base, `${context.name}${base}`]
  const shared =
    context.purpose === 'output'
      ? context.components.share('schemas', names, schema, context.owner)
      : requestType(context, withoutNull, schema, names)
  return mayBeNull ? { anyOf: [shared, { type: 'null' }] } : { ...shared }
}

/**
 * Returns a reference to the type of a titled object in a request body. If the schema of the object
 * is the same in responses, the type of the responses is used. If not, the type for requests has a
 * name of its own.
 */
function requestType(
  context: SchemaContext,
  node: JsonSchema,
  schema: DocumentSchema,
  names: readonly string[],
): Reference {
  const { components, owner, purpose } = context
  const answered = plain({ ...context, purpose: 'output' }, node, '')
  if (JSON.stringify(answered) === JSON.stringify(schema)) return components.share('schemas', names, schema, owner)
  components.hasUnused = true
  return components.share(
    'schemas',
    names.map((one) => `${one}${suffix[purpose]}`),
    schema,
    owner,
  )
}

/**
 * Adds XML names to the schema of an array. In XML, an array has a wrapping element, and one
 * element for each item.
 */
function withXmlNames(schema: Record<string, unknown>): DocumentSchema {
  const { type } = schema
  if (type !== 'array' && !(isList(type) && type.includes('array'))) return schema
  const { items = {}, prefixItems } = schema
  const named = isList(prefixItems) ? { prefixItems: prefixItems.map(namedItem) } : {}
  return { ...schema, ...named, items: namedItem(items), xml: schema.xml ?? { wrapped: true } }
}

const namedItem = (items: unknown): unknown =>
  isObject(items) && items.xml === undefined ? { ...items, xml: { name: itemElement } } : items

function unfit({ owner }: SchemaContext, keyword: string, path: string): ConfigurationError {
  return new ConfigurationError(
    'description-unfit',
    `The schema of ${owner} has the keyword "${keyword}"${path === '' ? '' : ` at "${path}"`}, which an OpenAPI ` +
      `document can't express. A document identifies schemas by their names in "components". Remove the keyword.`,
  )
}
