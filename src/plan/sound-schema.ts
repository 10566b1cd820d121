/**
 * Decides whether a schema is certain to compile. If it is, its validator is compiled when the
 * first body needs it. Otherwise the validator is compiled when the service is built, so that
 * errors in the schema are reported at that time.
 */
import { isList, isObject } from '../definition/json.js'
import { isSchema } from '../definition/schema-parts.js'
import { hasFormat } from './formats.js'

/** OpenAPI keywords that a schema may have and that do not validate anything. */
export const annotations: readonly string[] = ['example', 'xml', 'externalDocs', 'discriminator']

/**
 * Whether a keyword has the form `x-...`. By convention, such keywords do not validate anything.
 */
export const isExtension = (word: string): boolean => /^x-[\w$:-]*$/i.test(word)

const always = (): boolean => true
const isSoundPart = (value: unknown): boolean => !isSchema(value) || isSound(value)
const areSound = (value: unknown): boolean => isList(value) && value.every(isSoundPart)

/**
 * The keywords that are certain to compile, if the meta-schema has validated the schema and if the
 * keyword's value passes the check in this table. Any other keyword may be unknown, refer to a
 * missing schema, or contradict other keywords of the schema. In these cases, only Ajv can tell
 * whether the schema is valid, by compiling it.
 */
const words: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ...[
    'type',
    'required',
    'const',
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
    '$comment',
  ].map((word) => [word, always] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'].map(
    (word) => [word, always] as const,
  ),
  ...annotations.map((word) => [word, always] as const),
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'].map((word) => [word, always] as const),
  ...['items', 'additionalProperties', 'not'].map((word) => [word, isSoundPart] as const),
  ...['allOf', 'anyOf', 'oneOf'].map((word) => [word, areSound] as const),
  ['properties', (value) => isObject(value) && Object.values(value).every(isSoundPart)],
  ['enum', (value) => isList(value) && value.length > 0],
  ['format', (value) => typeof value === 'string' && hasFormat(value)],
  ['pattern', (value) => typeof value === 'string' && isExpression(value)],
])

/** True if a schema that the meta-schema has validated is certain to compile. */
export function isSound(schema: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(schema).every(([word, value]) => isExtension(word) || words.get(word)?.(value) === true)
}

function isExpression(text: string): boolean {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
