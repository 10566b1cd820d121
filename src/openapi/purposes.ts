/**
 * The purposes of schemas. A resource has one schema for each purpose, because read-only,
 * write-only, required and nullable members differ between responses and request bodies.
 */
import { isList, isObject } from '../definition/json.js'
import { isSchema, schemaAt } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'
import type { DocumentSchema } from './document.js'

/**
 * The purpose of a schema. `output` means responses. `create`, `replace` and `patch` mean the
 * request bodies of POST, PUT and PATCH. The request bodies of endpoints have the purpose `create`.
 */
export type Purpose = 'output' | 'create' | 'replace' | 'patch'

/** The suffix of component names, by purpose. */
export const suffix: Readonly<Record<Purpose, string>> = {
  output: '',
  create: 'Create',
  replace: 'Replace',
  patch: 'Patch',
}

/**
 * Keywords that contain schemas. The value of a keyword in `schemaKeywords` is one schema. The
 * value of a keyword in `schemaListKeywords` is a list of schemas. The value of a keyword in
 * `schemaMapKeywords` is an object whose members are schemas.
 */
export const schemaKeywords = [
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
export const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
export const schemaMapKeywords = ['properties', 'patternProperties', 'dependentSchemas']

/**
 * Returns whether a schema is certainly the same for every purpose. This is the case if it declares
 * its types, and contains neither objects, nor references, nor branches such as those of `anyOf`.
 */
export function isSameForAllPurposes(node: JsonSchema): boolean {
  const { type } = node
  if (type === undefined || type === 'object' || (isList(type) && type.includes('object'))) return false
  return Object.keys(node).every(
    (keyword) =>
      !structural.has(keyword) || (keyword === 'items' && isSchema(node.items) && isSameForAllPurposes(node.items)),
  )
}

const structural: ReadonlySet<string> = new Set([
  ...schemaKeywords,
  ...schemaListKeywords,
  ...schemaMapKeywords,
  '$ref',
])

/** Returns whether a schema declares its type itself, without references or branches. */
const isPlain = (node: JsonSchema): boolean =>
  node.type !== undefined &&
  node.$ref === undefined &&
  node.allOf === undefined &&
  node.anyOf === undefined &&
  node.oneOf === undefined

/** Returns whether a schema describes objects. */
export const isObjectSchema = (root: JsonSchema, node: JsonSchema): boolean =>
  isPlain(node)
    ? node.type === 'object' || (isList(node.type) && node.type.includes('object'))
    : Shape.of(root, node).isObject

/** Returns whether a schema is read-only, whether it is write-only, and whether it is nullable. */
export function traitsOf(root: JsonSchema, node: JsonSchema): Pick<Shape, 'readOnly' | 'writeOnly' | 'nullable'> {
  if (!isPlain(node)) return Shape.of(root, node)
  return {
    readOnly: node.readOnly === true,
    writeOnly: node.writeOnly === true,
    nullable: [node.type].flat().includes('null'),
  }
}

/**
 * Returns whether a member is required. In responses, every nullable member is required: if it has
 * no value, it is null (REP-8).
 */
export function isRequired(
  purpose: Purpose,
  shape: Pick<Shape, 'readOnly' | 'writeOnly' | 'nullable'>,
  required: boolean,
): boolean {
  if (purpose === 'patch') return false
  if (purpose === 'output') return required || shape.nullable
  return required && !shape.readOnly && !(purpose === 'replace' && shape.writeOnly)
}

/** Returns a schema that allows null in addition to the values of the given schema. */
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

/**
 * Returns whether the target of a reference differs by purpose. This is the case if the target, or
 * a value inside it, is read-only or write-only, or if the target contains a nullable object.
 */
export function differsByPurpose(root: JsonSchema, ref: string): boolean {
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
