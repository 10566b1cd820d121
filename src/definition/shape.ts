/**
 * The facts that a JSON Schema states about a value. Each schema is read once. Most of the library
 * uses `Shape` and does not read the keywords of schemas itself.
 */
import type { Scalar } from '../adapters/contract.js'
import { isList, isObject, own } from './json.js'
import { merged } from './merged-schemas.js'
import { anything, constantsOf, endless, isSchema, kindOf, partsOf, patternsOf, schemasIn } from './schema-parts.js'
import type { JsonSchema } from './schema-types.js'

/**
 * Caches the shapes by root and node, so that each node is read only once. The value is `'making'`
 * while a shape is being created. If a schema refers to itself outside of its members and items,
 * `Shape.of` finds this value and throws an error.
 */
const shapesByRoot = new WeakMap<JsonSchema, WeakMap<JsonSchema, Shape | 'making'>>()

/**
 * The facts about one node of a schema. References (`$ref`) are followed. The branches of `allOf`,
 * `anyOf` and `oneOf` are merged. `then`, `else` and `dependentSchemas` only add members that the
 * rest of the schema does not name. These members are conditional. The shapes of members are
 * created on first use, so recursive schemas are supported.
 */
export class Shape {
  /**
   * The allowed JSON types, except `null`. The set is empty if the schema does not restrict the
   * types, or allows no type except `null`. A schema with properties but without a type counts as
   * an object.
   */
  readonly types: ReadonlySet<string>
  /** True if the schema explicitly allows null. */
  readonly nullable: boolean
  /**
   * True if null may be valid although the schema does not mention null. This is the case if
   * nothing restricts the types, or if some branch of a union does not restrict them. Also true if
   * only null is allowed.
   */
  readonly untyped: boolean
  readonly format: string | undefined
  /**
   * The strings, numbers and booleans of `enum` or `const`; `undefined` if nothing lists the
   * values.
   */
  readonly values: readonly Scalar[] | undefined
  readonly readOnly: boolean
  readonly writeOnly: boolean
  /** True if the schema marks the value as deprecated. */
  readonly deprecated: boolean
  /** The schema's `default`, wrapped in an object, because the default itself may be null. */
  readonly fallback: { readonly value: unknown } | undefined
  readonly required: ReadonlySet<string>
  /**
   * Members that only some records have, because the schema names them only in a branch that does
   * not apply to all records.
   */
  readonly conditional: ReadonlySet<string>
  /**
   * For each member, the number of schemas that name it. The schemas are the node itself, the
   * targets of the node's `$ref`s, and the node's branches of `allOf`.
   */
  readonly declared: ReadonlyMap<string, number>
  /**
   * True if `additionalProperties` or `unevaluatedProperties` allows members that the schema does
   * not name.
   */
  readonly open: boolean
  /** The schema node itself. */
  readonly node: JsonSchema
  /** The nodes of the members, in the order of the schema. Conditional members come last. */
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly #root: JsonSchema
  readonly #patterns: readonly (readonly [RegExp, JsonSchema])[]
  readonly #additional: JsonSchema | undefined
  readonly #items: JsonSchema | undefined
  readonly #prefix: readonly unknown[]
  readonly #unions: readonly (readonly Shape[])[]
  #members: ReadonlyMap<string, Shape> | undefined

  private constructor(root: JsonSchema, node: JsonSchema) {
    const parts = partsOf(root, node)
    const all = (keyword: string): unknown[] =>
      parts.map((part) => own(part, keyword)).filter((value) => value !== undefined)
    const first = (keyword: string): unknown => all(keyword)[0]
    const unions = [...all('anyOf'), ...all('oneOf')]
      .filter(isList)
      .map((branches) => schemasIn(branches).map((one) => Shape.of(root, one)))
    const real = unions.map((branches) => branches.filter((branch) => !branch.isNull))
    const branches = real.flat()
    const maybe = [
      ...all('then'),
      ...all('else'),
      ...all('dependentSchemas').flatMap((table) => Object.values(table as object)),
    ]
    const properties = mergeProperties(
      parts,
      real,
      schemasIn(maybe).map((one) => Shape.of(root, one)),
    )

    this.node = node
    this.#root = root
    this.properties = properties.nodes
    this.conditional = properties.conditional
    this.declared = properties.declared
    const kinds = kindsOf(parts, unions) ?? (properties.nodes.size > 0 ? new Set(['object']) : undefined)
    this.types = new Set([...(kinds ?? [])].filter((kind) => kind !== 'null'))
    this.nullable = kinds === undefined ? unions.flat().some((branch) => branch.nullable) : kinds.has('null')
    const plain = parts.every((part) => part.type === undefined && constantsOf(part) === undefined)
    this.untyped = this.types.size === 0 || (plain && branches.some((branch) => branch.untyped))
    this.format =
      stringOf(first('format')) ??
      theOne(branches.filter((branch) => branch.types.has('string')).map((branch) => branch.format))
    this.values = valuesOf(parts) ?? real.map(unionValues).find((values) => values !== undefined)
    this.readOnly = all('readOnly').includes(true) || branches.some((branch) => branch.readOnly)
    this.writeOnly = all('writeOnly').includes(true) || branches.some((branch) => branch.writeOnly)
    this.deprecated = all('deprecated').includes(true)
    const fallback = first('default')
    this.fallback = fallback === undefined ? undefined : { value: fallback }
    this.required = new Set([
      ...all('required')
        .filter(isList)
        .flat()
        .filter((name) => typeof name === 'string'),
      ...real.flatMap((union) =>
        [...(union[0]?.required ?? [])].filter((name) => union.every((branch) => branch.required.has(name))),
      ),
    ])
    const additional = [...all('additionalProperties'), ...all('unevaluatedProperties')]
    this.open = additional.some((one) => one === true || isObject(one)) || branches.some((branch) => branch.open)
    this.#additional = additional.find(isSchema)
    this.#patterns = all('patternProperties').flatMap(patternsOf)
    this.#items = merged('allOf', [
      ...all('items').filter(isSchema),
      ...real.map((union) =>
        merged(
          'anyOf',
          union.map((branch) => branch.#items),
        ),
      ),
    ])
    const prefix = first('prefixItems')
    this.#prefix = isList(prefix) ? prefix : mergePrefixes(branches.map((branch) => branch.#prefix))
    this.#unions = real
  }

  /**
   * The shape of `node`, a subschema of the schema `root`. Throws `ConfigurationError` if the node
   * is invalid, for example if a reference has no target or is cyclic.
   */
  static of(root: JsonSchema, node: JsonSchema = root): Shape {
    const known = shapesByRoot.get(root) ?? new WeakMap<JsonSchema, Shape | 'making'>()
    shapesByRoot.set(root, known)
    const found = known.get(node)
    if (found === 'making') throw endless()
    if (found !== undefined) return found
    known.set(node, 'making')
    try {
      const shape = new Shape(root, node)
      known.set(node, shape)
      return shape
    } catch (error) {
      known.delete(node)
      throw error
    }
  }

  /** The members that the schema names, in the order of `properties`. */
  get members(): ReadonlyMap<string, Shape> {
    this.#members ??= new Map([...this.properties].map(([name, node]) => [name, Shape.of(this.#root, node)]))
    return this.#members
  }

  /**
   * The shape of a member that the schema allows without naming it; `undefined` if the schema does
   * not allow the member.
   */
  other(name: string): Shape | undefined {
    const pattern = this.#patterns.find(([test]) => test.test(name))
    if (pattern !== undefined) return Shape.of(this.#root, pattern[1])
    for (const branch of this.#unions.flat()) {
      const found = branch.other(name)
      if (found !== undefined) return found
    }
    return this.open ? Shape.of(this.#root, this.#additional ?? anything) : undefined
  }

  /** Every shape that `other` can return. */
  get others(): readonly Shape[] {
    return [
      ...this.#patterns.map(([, node]) => Shape.of(this.#root, node)),
      ...(this.open ? [Shape.of(this.#root, this.#additional ?? anything)] : []),
      ...this.#unions.flat().flatMap((branch) => branch.others),
    ]
  }

  /** True if `other` can return a shape. */
  get hasOthers(): boolean {
    return this.open || this.#patterns.length > 0 || this.#unions.flat().some((branch) => branch.hasOthers)
  }

  /** The shape of an array's items after the items in `prefix`. */
  get items(): Shape | undefined {
    return this.#items === undefined ? undefined : Shape.of(this.#root, this.#items)
  }

  /** The shapes of an array's first items, whose schemas are in `prefixItems`. */
  get prefix(): readonly Shape[] {
    return this.#prefix.map((one) => Shape.of(this.#root, isSchema(one) ? one : anything))
  }

  get isObject(): boolean {
    return this.types.has('object')
  }

  get isArray(): boolean {
    return this.types.has('array')
  }

  /** True if only null is allowed. */
  get isNull(): boolean {
    return this.nullable && this.types.size === 0 && this.#unions.length === 0
  }

  /** The member at a path of names, or `undefined`. */
  at(path: readonly string[]): Shape | undefined {
    return this.along(path)?.at(-1)
  }

  /** The members along a path of names; `undefined` if the path does not exist. */
  along(path: readonly string[]): readonly Shape[] | undefined {
    const found: Shape[] = []
    for (const name of path) {
      const member: Shape | undefined = (found.at(-1) ?? this).members.get(name)
      if (member === undefined) return undefined
      found.push(member)
    }
    return found
  }

  /**
   * The paths of the members that the schema names, for messages that list the allowed paths. The
   * paths of nested members have dots. A path has at most `depth + 1` names.
   */
  paths(depth = 3): string[] {
    return [...this.members].flatMap(([name, member]) => [
      name,
      ...(depth > 0 && member.isObject ? member.paths(depth - 1).map((path) => `${name}.${path}`) : []),
    ])
  }
}

interface Properties {
  readonly nodes: ReadonlyMap<string, JsonSchema>
  readonly conditional: ReadonlySet<string>
  readonly declared: ReadonlyMap<string, number>
}

/**
 * Merges the properties of unconditional schemas, of unions, and of conditional schemas. A property
 * of a union is unconditional if it is unconditional in every branch.
 */
function mergeProperties(
  parts: readonly JsonSchema[],
  unions: readonly (readonly Shape[])[],
  maybe: readonly Shape[],
): Properties {
  const certain = new Map<string, JsonSchema[]>()
  const perhaps = new Map<string, JsonSchema[]>()
  const add = (table: Map<string, JsonSchema[]>, name: string, node: JsonSchema): void => {
    table.set(name, [...(table.get(name) ?? []), node])
  }
  for (const part of parts) {
    for (const [name, given] of Object.entries(isObject(part.properties) ? part.properties : {})) {
      for (const node of schemasIn([given])) add(certain, name, node)
    }
  }
  const declared = new Map([...certain].map(([name, nodes]) => [name, nodes.length]))
  for (const union of unions) {
    const names = new Set(union.flatMap((branch) => [...branch.properties.keys()]))
    for (const name of names) {
      const always = union.every((branch) => branch.properties.has(name) && !branch.conditional.has(name))
      const node = merged(
        'anyOf',
        union.map((branch) => branch.properties.get(name)),
      ) as JsonSchema
      add(always ? certain : perhaps, name, node)
    }
  }
  for (const shape of maybe) for (const [name, node] of shape.properties) add(perhaps, name, node)
  const conditional = new Set([...perhaps.keys()].filter((name) => !certain.has(name)))
  const nodes = new Map<string, JsonSchema>()
  for (const [name, all] of certain) nodes.set(name, merged('allOf', all) as JsonSchema)
  for (const name of conditional) nodes.set(name, merged('anyOf', perhaps.get(name) ?? []) as JsonSchema)
  return { nodes, conditional, declared }
}

/**
 * Merges the positional items of the branches of a union. In the result, an item may match any of
 * the schemas that the branches have for its position.
 */
function mergePrefixes(prefixes: readonly (readonly unknown[])[]): readonly JsonSchema[] {
  const length = Math.max(0, ...prefixes.map((prefix) => prefix.length))
  return Array.from({ length }, (_, i) => merged('anyOf', schemasIn(prefixes.map((prefix) => prefix[i]))) ?? anything)
}

/**
 * The JSON types, including `null`, that all of these schemas allow; `undefined` if no schema
 * restricts the types.
 */
function kindsOf(parts: readonly JsonSchema[], unions: readonly (readonly Shape[])[]): ReadonlySet<string> | undefined {
  const said: (ReadonlySet<string> | undefined)[] = []
  for (const part of parts) {
    if (part.type !== undefined) said.push(new Set([part.type].flat().filter((type) => typeof type === 'string')))
    const constants = constantsOf(part)
    if (constants !== undefined) said.push(new Set(constants.map(kindOf)))
  }
  for (const branches of unions) {
    const areTyped = branches.every((branch) => branch.types.size > 0 || branch.nullable)
    if (areTyped)
      said.push(new Set(branches.flatMap((branch) => [...branch.types, ...(branch.nullable ? ['null'] : [])])))
  }
  let kinds: ReadonlySet<string> | undefined
  for (const more of said) kinds = kinds === undefined ? more : both(kinds, more as ReadonlySet<string>)
  return kinds?.has('number') ? new Set([...kinds].filter((kind) => kind !== 'integer')) : kinds
}

/** The types that both sets allow. An integer is also a number. */
function both(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  const allows = (kinds: ReadonlySet<string>, kind: string): boolean =>
    kinds.has(kind) || (kind === 'integer' && kinds.has('number'))
  return new Set([...some, ...others].filter((kind) => allows(some, kind) && allows(others, kind)))
}

function valuesOf(parts: readonly JsonSchema[]): readonly Scalar[] | undefined {
  const [constants, ...others] = parts.map(constantsOf).filter((values) => values !== undefined)
  return constants?.filter(isScalar).filter((value) => others.every((values) => values.includes(value)))
}

function unionValues(branches: readonly Shape[]): readonly Scalar[] | undefined {
  if (branches.length === 0 || branches.some((branch) => branch.values === undefined)) return undefined
  return [...new Set(branches.flatMap((branch) => branch.values ?? []))]
}

const theOne = (given: readonly (string | undefined)[]): string | undefined =>
  new Set(given).size === 1 ? given[0] : undefined

/** Whether a value is a string, a number or a boolean. */
export const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)
const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
