/** A schema becomes a function that names everything wrong with a record at once (ERR-2, ERR-3). Compiled by Ajv: what is wrong with a schema is said at mount. */
import { _, Ajv2020, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { canonicalText, isContainer, isList, isObject, own } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'
import { ConfigurationError, isConfigurationError, type Violation } from '../problem.js'
import { closedSchema, type Excused } from './closed-schema.js'
import { addFormats } from './formats.js'
import { annotations, isExtension, isSound } from './sound-schema.js'
import { violationsOf } from './violations.js'

/** What is wrong with a stored record; empty when nothing is. Pointers lead into the stored record. */
export type Validate = (value: unknown) => readonly Violation[]

/** Knows what a JSON Schema is. Reading that takes Ajv longer than any resource, so it is done once. */
let judge: Ajv2020 | undefined

/**
 * Compiles the validator of a record whose own members in `optional`, and members anywhere that are `excused`, may be absent although the schema requires them.
 * Throws `ConfigurationError` where the schema is none.
 */
export function compileValidator(
  owner: string,
  schema: JsonSchema,
  optional: ReadonlySet<string>,
  excused: Excused = () => false,
): Validate {
  try {
    checkSchema(schema)
    const shape = Shape.of(schema)
    // Four fifths of what a mount takes: not before there is a body, where nothing can be wrong with the schema.
    let first = isSound(schema) ? undefined : compile(schema, optional, excused, false)
    let every: ValidateFunction | undefined
    return (value) => {
      first ??= compile(schema, optional, excused, false)
      if (first(value)) return []
      if (!isSmall(value)) return violationsOf(first.errors ?? [], shape)
      // As long again: not before somebody makes a mistake.
      every ??= compile(schema, optional, excused, true)
      return violationsOf((every(value) ? first : every).errors ?? [], shape)
    }
  } catch (error) {
    if (isConfigurationError(error)) throw error
    throw new ConfigurationError(
      'invalid-schema',
      `The schema of "${owner}" is not valid: ${error instanceof Error ? error.message : String(error)}. Mend it there.`,
    )
  }
}

/** Values and characters beyond which only the first violation is named. */
const mostValues = 5_000
const mostCharacters = 20_000

/**
 * What has so many values or such long texts is asked for its first mistake only: where a `maxItems` or `maxLength` does not hold, what it is a guard for
 * (`pattern`, the items themselves) must not be looked at (16,000 items took seconds).
 */
function isSmall(value: unknown): boolean {
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
    if (values + left.length + inner.length > mostValues || characters > mostCharacters) return false
    left.push(...inner)
  }
  return true
}

/** Throws where a schema is no JSON Schema. */
function checkSchema(schema: JsonSchema): void {
  judge ??= new Ajv2020({ strict: false, logger: false })
  if (judge.validateSchema(schema) !== true) throw new Error(judge.errorsText(judge.errors, { dataVar: 'schema' }))
}

/** With `allErrors` Ajv goes on after a mistake; without, its keywords are asked in turn: `maxLength` before `pattern`, `maxItems` before the items. */
function compile(schema: JsonSchema, optional: ReadonlySet<string>, excused: Excused, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors,
    allowUnionTypes: true,
    meta: false,
    ownProperties: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateSchema: false,
    // `violationsOf` asks for the value and the schema of an error.
    verbose: true,
  })
  addFormats(ajv)
  ajv.addVocabulary([...annotations, ...extensions(schema)])
  ajv.addKeyword({
    keyword: 'exactInteger',
    error: { message: 'must be a whole number between -(2^53-1) and 2^53-1' },
    validate: (_: boolean, data: unknown) => typeof data !== 'number' || !Number.isInteger(data) || Number.isSafeInteger(data),
  })
  // Ajv's own compares each object with each other.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: areUnique })
  for (const keyword of ['const', 'enum']) compareByText(ajv, keyword)
  const closed = closedSchema(schema, excused)
  const required = isList(closed.required) ? closed.required.filter((name) => !optional.has(String(name))) : undefined
  return ajv.compile({ ...closed, ...(required === undefined ? {} : { required }) })
}

/** `uniqueItems` in linear time: equal values have one text (16,000 objects: 35 ms against 5 s). */
const areUnique: { (wanted: boolean, items: readonly unknown[]): boolean; errors?: Partial<ErrorObject>[] } = (wanted, items) => {
  const places = new Map<string, number>()
  for (const [j, item] of wanted ? items.entries() : []) {
    const text = canonicalText(item)
    const i = places.get(text)
    if (i !== undefined) {
      areUnique.errors = [{ keyword: 'uniqueItems', message: `must not hold two equal items ([${i}] and [${j}])`, params: { i, j } }]
      return false
    }
    places.set(text, j)
  }
  return true
}

/** Has `const` or `enum` compare objects and lists by their text: Ajv's own comparison calls `toString` and `valueOf`, which a client may have sent as members. */
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

/** The `x-...` words of a schema: annotations by convention. */
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
