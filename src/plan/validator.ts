/**
 * Uses Ajv to compile a schema to a function that checks records (ERR-2, ERR-3). The function
 * reports all violations of a record at once. If the record is very large, it reports only the
 * first violation. Errors in the schema are thrown at mount.
 */
import { _, Ajv2020, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { canonicalText, isContainer, isList, isObject, own } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'
import { isConfigurationError, type Violation } from '../problem.js'
import { countBranches, withCountedBranches } from './branch-budget.js'
import { closedSchema, type Excused } from './closed-schema.js'
import { addFormats, formatNames } from './formats.js'
import { invalidSchema, replacedKeywords, uncompiled, unlistedValue } from './schema-faults.js'
import { annotations, isExtension, isSound } from './sound-schema.js'
import { violationsOf } from './violations.js'

/**
 * Returns the violations of a record, or an empty list if there are none. The pointers use the
 * member names of the stored record.
 */
export type Validate = (value: unknown) => readonly Violation[]

/**
 * Validates schemas against the meta-schema. Ajv takes longer to compile the meta-schema than a
 * typical schema of a resource, so the meta-schema is compiled only once.
 */
let metaValidator: Ajv2020 | undefined

/**
 * Compiles the validator of a record. Two kinds of required members may be absent: the top-level
 * members in `optional`, and the members at any depth for which `excused` returns true. Throws
 * `ConfigurationError` for an invalid schema.
 */
export function compileValidator(
  owner: string,
  schema: JsonSchema,
  optional: ReadonlySet<string>,
  excused: Excused = () => false,
): Validate {
  try {
    checkSchema(owner, schema)
    const shape = Shape.of(schema)
    // Compiling the schema takes four fifths of the time that a mount takes. So a schema that is
    // certain to compile is compiled when the first body arrives.
    let first = isSound(schema) ? undefined : compile(schema, optional, excused)
    let every: ReturnType<typeof compileAll> | undefined
    return (value) => {
      first ??= compile(schema, optional, excused)
      if (first(value)) return []
      const values = smallSize(value)
      if (values === undefined) return violationsOf(first.errors ?? [], shape)
      // A second validator reports all violations. Compiling the second validator takes as long as
      // compiling the first, so the second is compiled only when an invalid body arrives.
      every ??= compileAll(schema, optional, excused)
      return violationsOf(every(value, values) ?? first.errors ?? [], shape)
    }
  } catch (error) {
    if (isConfigurationError(error)) throw error
    throw uncompiled(owner, error instanceof Error ? error.message : String(error), keywords(), formatNames)
  }
}

/** If a body has more values or more characters than this, only its first violation is reported. */
const maxValues = 5_000
const maxCharacters = 20_000

/**
 * Returns the number of values in a body. Returns `undefined` if the body is too large to report
 * all of its violations. To report all violations, Ajv checks the items of a list even if the list
 * exceeds its `maxItems`, and the `pattern` of a string even if the string exceeds its `maxLength`.
 * For 16,000 items, this took seconds.
 */
function smallSize(value: unknown): number | undefined {
  let values = 0
  let characters = 0
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') characters += next.length
    const names = isObject(next) ? Object.keys(next) : []
    for (const name of names) characters += name.length
    values += 1
    const inner = isList(next) ? next : names.map((name) => own(next, name))
    if (values + left.length + inner.length > maxValues || characters > maxCharacters) return undefined
    left.push(...inner)
  }
  return values
}

const meta = (): Ajv2020 => {
  metaValidator ??= new Ajv2020({ strict: false, logger: false, verbose: true })
  return metaValidator
}

/** The keywords that a schema may have, except `x-...`. */
const keywords = (): readonly string[] =>
  [...Object.keys(meta().RULES.keywords), ...annotations].filter((keyword) => !replacedKeywords.has(keyword))

/** Throws `ConfigurationError` if a schema is not a valid JSON Schema. */
function checkSchema(owner: string, schema: JsonSchema): void {
  const validator = meta()
  if (validator.validateSchema(schema) === true) return
  throw (
    unlistedValue(owner, validator.errors ?? []) ??
    invalidSchema(owner, validator.errorsText(validator.errors, { dataVar: 'schema' }))
  )
}

/**
 * Compiles a validator that stops at the first violation. It checks `maxLength` before `pattern`,
 * and `maxItems` before the items.
 */
function compile(schema: JsonSchema, optional: ReadonlySet<string>, excused: Excused): ValidateFunction {
  return validatorOf(schema).compile(compiled(schema, optional, excused))
}

/**
 * Compiles a function that returns all violations of a value. The result is `undefined` if there
 * are none, or if finding them would take too long.
 */
function compileAll(
  schema: JsonSchema,
  optional: ReadonlySet<string>,
  excused: Excused,
): (value: unknown, values: number) => readonly ErrorObject[] | undefined {
  const ajv = validatorOf(schema, true)
  const within = countBranches(ajv)
  const validate = ajv.compile(withCountedBranches(compiled(schema, optional, excused)))
  return (value, values) => (within(values, () => validate(value)) === false ? (validate.errors ?? []) : undefined)
}

/** Returns the schema to compile. */
function compiled(schema: JsonSchema, optional: ReadonlySet<string>, excused: Excused): JsonSchema {
  const closed = closedSchema(schema, excused)
  const required = isList(closed.required) ? closed.required.filter((name) => !optional.has(String(name))) : undefined
  return { ...closed, ...(required === undefined ? {} : { required }) }
}

/**
 * Creates the Ajv instance for a schema. With `allErrors`, validators continue after a violation.
 */
function validatorOf(schema: JsonSchema, allErrors = false): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    allowUnionTypes: true,
    // `messageOf` makes the messages.
    messages: false,
    meta: false,
    ownProperties: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateSchema: false,
    // `violationsOf` needs the value and the schema of an error.
    verbose: true,
  })
  addFormats(ajv)
  // Ajv knows these keywords, but JSON Schema 2020-12 does not. The rest of the library and the
  // clients that read its documents would ignore them.
  for (const keyword of replacedKeywords.keys()) ajv.removeKeyword(keyword)
  ajv.addVocabulary([...annotations, ...extensions(schema)])
  ajv.addKeyword({
    keyword: 'exactInteger',
    validate: (_: boolean, data: unknown) =>
      typeof data !== 'number' || !Number.isInteger(data) || Number.isSafeInteger(data),
  })
  // Ajv's own implementation of `uniqueItems` compares every pair of objects.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: areUnique })
  for (const keyword of ['const', 'enum']) compareByText(ajv, keyword)
  return ajv
}

/**
 * Checks `uniqueItems` in linear time, by comparing canonical texts: equal values have the same
 * text. For 16,000 objects, this takes 35 ms instead of 5 s.
 */
const areUnique: { (wanted: boolean, items: readonly unknown[]): boolean; errors?: Partial<ErrorObject>[] } = (
  wanted,
  items,
) => {
  const places = new Map<string, number>()
  for (const [j, item] of wanted ? items.entries() : []) {
    const text = canonicalText(item)
    const i = places.get(text)
    if (i !== undefined) {
      areUnique.errors = [{ keyword: 'uniqueItems', params: { i, j } }]
      return false
    }
    places.set(text, j)
  }
  return true
}

/**
 * Compares values with `const` and `enum` by their canonical text, if `const` or `enum` contains
 * objects or lists. Ajv's own comparison calls the methods `toString` and `valueOf` of a value, but
 * a client may have sent members with these names.
 */
function compareByText(ajv: Ajv2020, keyword: string): void {
  const rule = ajv.getKeyword(keyword) as CodeKeywordDefinition
  ajv.removeKeyword(keyword).addKeyword({
    ...rule,
    code(context) {
      const given = (keyword === 'enum' ? context.schema : [context.schema]) as readonly unknown[]
      if (!given.some(isContainer)) return rule.code(context)
      const texts = new Set(given.map(canonicalText))
      const isGiven = context.gen.scopeValue('func', { ref: (value: unknown) => texts.has(canonicalText(value)) })
      context.pass(_`${isGiven}(${context.data})`)
    },
  })
}

/**
 * Returns the `x-...` keywords in a schema and its subschemas. By convention, they do not validate
 * anything.
 */
function extensions(node: unknown, found = new Set<string>()): Set<string> {
  if (isList(node)) for (const part of node) extensions(part, found)
  if (isObject(node)) {
    for (const [keyword, part] of Object.entries(node)) {
      if (isExtension(keyword)) found.add(keyword)
      extensions(part, found)
    }
  }
  return found
}
