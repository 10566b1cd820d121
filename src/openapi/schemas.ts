/**
 * JSON Schemas of a team as a document has them: closed as bodies are, without the words that no
 * document can hold, and with what several places share as a component.
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
  isGuarded,
  isObjectSchema,
  isRequired,
  listed,
  nullable,
  type Purpose,
  single,
  suffix,
  tabled,
  traitsOf,
} from './purposes.js'

/** Whose schema it is, and where its components go. */
export interface SchemaContext {
  readonly components: Components
  /** The schema that references lead into. */
  readonly root: JsonSchema
  /** What messages call it, such as `"pre-piezas"`. */
  readonly owner: string
  /** The name of its type, which stands before the names of parts where those are taken. */
  readonly name: string
  readonly purpose: Purpose
}

/** Keywords that documents leave out: the library's own, and those that say nothing about a value. */
const left: ReadonlySet<string> = new Set(['exactInteger', '$defs', 'definitions', '$schema', '$comment'])

/** What identifies schemas across documents: a component is identified by its name. */
const unspeakable: ReadonlySet<string> = new Set([
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$vocabulary',
  '$recursiveRef',
  '$recursiveAnchor',
])

/** The schema of a value, closed where it does not say otherwise. Throws `ConfigurationError` for a keyword that no document can hold. */
export function valueSchema(context: SchemaContext, node: JsonSchema): DocumentSchema {
  return translated(
    context,
    closedPlace(context.root, node, () => false),
    '',
  )
}

/** A closed schema as the document has it. `path`: where it stands, for messages. */
export function translated(context: SchemaContext, node: JsonSchema, path: string): DocumentSchema {
  const found = Object.keys(node).find((keyword) => unspeakable.has(keyword))
  if (found !== undefined) throw unfit(context, found, path)
  const referred = typeof node.$ref === 'string' && isBare(node) ? reference(context, node) : undefined
  if (referred !== undefined) return referred
  const own = titled(context, node)
  if (own !== undefined) return own
  return plain(context, node, path)
}

function plain(context: SchemaContext, node: JsonSchema, path: string): DocumentSchema {
  const { purpose } = context
  const merges = purpose === 'patch' && isObjectSchema(context.root, node)
  // A patch says a part of a value, and what holds for the whole need not hold for the part.
  const given: JsonSchema = merges ? withoutConditions(node) : node
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(given)) {
    if (left.has(keyword)) continue
    if (keyword === 'examples') context.components.hasExamples = true
    if (keyword === '$ref') result.$ref = openReference(context, String(value))
    else if (single.includes(keyword))
      result[keyword] = isSchema(value) ? translated(wholly(context), value, `${path}/${keyword}`) : value
    else if (listed.includes(keyword)) {
      result[keyword] = isList(value)
        ? value.map((part) => (isSchema(part) ? translated(wholly(context), part, path) : part))
        : value
    } else if (keyword === 'properties') {
      Object.assign(result, propertiesOf(context, node, path))
    } else if (tabled.includes(keyword)) result[keyword] = tableOf(wholly(context), value, path)
    else if (keyword !== 'required') result[keyword] = value
  }
  if (given.properties === undefined && isList(given.required) && purpose !== 'patch') result.required = given.required
  return purposeful(bounded(result))
}

/** A part of a patch that is no member of an object is given whole. */
const wholly = (context: SchemaContext): SchemaContext =>
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

/** A member of an object: in a patch null removes one that need not be there. */
export function memberSchema(
  context: SchemaContext,
  node: JsonSchema,
  required: boolean,
  path: string,
): DocumentSchema {
  if (context.purpose !== 'patch') return translated(context, node, path)
  // What a patch leaves out stays as it is (VERB-5).
  const { default: _, ...schema } = translated(context, node, path)
  return required ? schema : nullable(schema)
}

function tableOf(context: SchemaContext, table: unknown, path: string): DocumentSchema {
  return Object.fromEntries(
    Object.entries(isObject(table) ? table : {}).map(([name, part]) => [
      name,
      isSchema(part) ? translated(context, part, `${path}/${name}`) : part,
    ]),
  )
}

/** Words that may stand beside a reference and leave it what it is. */
const beside: ReadonlySet<string> = new Set([
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

/** True where a place is what its reference says and nothing else. */
const isBare = (node: JsonSchema): boolean =>
  Object.keys(node).every((keyword) => beside.has(keyword) || keyword.startsWith('x-')) &&
  (node.unevaluatedProperties ?? false) === false

function reference(
  context: SchemaContext,
  { $ref, unevaluatedProperties: _, ...annotations }: JsonSchema,
): DocumentSchema {
  const { $ref: target } = component(context, String($ref), true)
  const said = Object.entries(annotations).filter(([keyword]) => !left.has(keyword))
  return { $ref: target, ...Object.fromEntries(said) }
}

/** The reference of a branch, which its neighbours add to: what it leads to is not closed. */
const openReference = (context: SchemaContext, ref: string): string => component(context, ref, false).$ref

function component(context: SchemaContext, ref: string, closed: boolean): { readonly $ref: string } {
  const { components, root, owner, name } = context
  const last = ref.split('/').at(-1) ?? ''
  const purpose = isGuarded(root, ref)
    ? context.purpose
    : context.purpose === 'patch' && isObjectSchema(root, schemaAt(root, ref))
      ? 'patch'
      : 'output'
  const plainName = ref === '#' ? `${name}Record` : typeName(decodeURIComponent(last)) || `${name}Part`
  const typed = `${plainName}${closed ? '' : 'Base'}${suffix[purpose]}`
  const node = schemaAt(root, ref)
  const make = (): unknown => plain({ ...context, purpose }, closed ? closedPlace(root, node, () => false) : node, ref)
  // Two resources may have a part of one name: where that is the same in both, they share it.
  const identity = `${ref} ${purpose} ${String(closed)} ${JSON.stringify(isObject(root.$defs) ? root.$defs : root)}`
  return components.defineAlike([typed, `${name}${typed}`], owner, identity, make)
}

/** An object with a title is a type of its own. */
function titled(context: SchemaContext, node: JsonSchema): DocumentSchema | undefined {
  const { title, type } = node
  if (typeof title !== 'string' || typeName(title) === '') return undefined
  const types = [type].flat()
  if (!types.includes('object')) return undefined
  const mayBeNull = types.includes('null')
  const schema = plain(context, mayBeNull ? { ...node, type: 'object' } : node, title)
  const base = typeName(title)
  const names = [base, `${context.name}${base}`]
  const shared =
    context.purpose === 'output'
      ? context.components.share('schemas', names, schema, context.owner)
      : purposed(context, node, schema, names)
  return mayBeNull ? { anyOf: [shared, { type: 'null' }] } : { ...shared }
}

/** A type that is sent: that of answers where the two are alike, else one of its own. */
function purposed(
  context: SchemaContext,
  node: JsonSchema,
  schema: DocumentSchema,
  names: readonly string[],
): Reference {
  const { components, owner, purpose } = context
  const answered = plain({ ...context, purpose: 'output' }, { ...node, type: 'object' }, '')
  if (JSON.stringify(answered) === JSON.stringify(schema)) return components.share('schemas', names, schema, owner)
  components.hasStrays = true
  return components.share(
    'schemas',
    names.map((one) => `${one}${suffix[purpose]}`),
    schema,
    owner,
  )
}

/** Arrays have an element of their own in XML, and one for each item. */
function purposeful(schema: Record<string, unknown>): DocumentSchema {
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
    `The schema of ${owner} has the keyword "${keyword}"${path === '' ? '' : ` at "${path}"`}, which an OpenAPI document can not say: its parts are known by their names in components. Leave it out.`,
  )
}
