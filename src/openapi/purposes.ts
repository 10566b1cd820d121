/** What a schema says by its purpose: what is read and not written, written and not read, required, or null. */
import { isList, isObject } from '../definition/json.js'
import { isSchema, schemaAt } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'
import type { DocumentSchema } from './document.js'

/** What a value is: what clients get, or send to create, to replace or to patch. Endpoints' bodies are `create`. */
export type Purpose = 'output' | 'create' | 'replace' | 'patch'

/** Where names of components end, by purpose. */
export const suffix: Readonly<Record<Purpose, string>> = {
  output: '',
  create: 'Create',
  replace: 'Replace',
  patch: 'Patch',
}

/** Keywords whose value is one schema, a list of schemas, or a table of them. */
export const single = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]
export const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
export const tabled = ['properties', 'patternProperties', 'dependentSchemas']

/** Whether a schema says the same in whatever purpose: nothing in it is an object, or leads elsewhere. */
export function isPurposeless(node: JsonSchema): boolean {
  const { type } = node
  if (type === undefined || type === 'object' || (isList(type) && type.includes('object'))) return false
  return Object.keys(node).every(
    (keyword) => !structural.has(keyword) || (keyword === 'items' && isSchema(node.items) && isPurposeless(node.items)),
  )
}

const structural: ReadonlySet<string> = new Set([...single, ...listed, ...tabled, '$ref'])

/** Most places say their type by themselves, and need no look at what they refer to. */
const isPlain = (node: JsonSchema): boolean =>
  node.type !== undefined &&
  node.$ref === undefined &&
  node.allOf === undefined &&
  node.anyOf === undefined &&
  node.oneOf === undefined

/** Whether a place holds objects. */
export const isObjectSchema = (root: JsonSchema, node: JsonSchema): boolean =>
  isPlain(node)
    ? node.type === 'object' || (isList(node.type) && node.type.includes('object'))
    : Shape.of(root, node).isObject

/** What a place says of reading, writing and null. */
export function traitsOf(root: JsonSchema, node: JsonSchema): Pick<Shape, 'readOnly' | 'writeOnly' | 'nullable'> {
  if (!isPlain(node)) return Shape.of(root, node)
  return {
    readOnly: node.readOnly === true,
    writeOnly: node.writeOnly === true,
    nullable: [node.type].flat().includes('null'),
  }
}

/** Whether a member must stand there: in answers every nullable one does (REP-8). */
export function isRequired(
  purpose: Purpose,
  shape: Pick<Shape, 'readOnly' | 'writeOnly' | 'nullable'>,
  required: boolean,
): boolean {
  if (purpose === 'patch') return false
  if (purpose === 'output') return required || shape.nullable
  return required && !shape.readOnly && !(purpose === 'replace' && shape.writeOnly)
}

/** The schema of a value that may be null as well. */
export function nullable(schema: DocumentSchema): DocumentSchema {
  const { type, enum: values } = schema
  if (type !== undefined && schema.const === undefined) {
    const types = [type].flat()
    if (types.includes('null')) return schema
    return { ...schema, type: [...types, 'null'], ...(isList(values) ? { enum: [...values, null] } : {}) }
  }
  const branches = isList(schema.anyOf) && Object.keys(schema).length === 1 ? schema.anyOf : [schema]
  return branches.some((branch) => isObject(branch) && branch.type === 'null')
    ? schema
    : { anyOf: [...branches, { type: 'null' }] }
}

/** Whether anything that a reference leads to is read-only or write-only: then it is another type for each purpose. */
export function isGuarded(root: JsonSchema, ref: string): boolean {
  const seen = new Set<Shape>()
  const look = (shape: Shape): boolean => {
    if (seen.has(shape)) return false
    seen.add(shape)
    const inner = [
      ...shape.members.values(),
      ...shape.others,
      ...shape.prefix,
      ...(shape.items === undefined ? [] : [shape.items]),
    ]
    return shape.readOnly || shape.writeOnly || inner.some((one) => look(one) || (one.isObject && one.nullable))
  }
  return look(Shape.of(root, schemaAt(root, ref)))
}
