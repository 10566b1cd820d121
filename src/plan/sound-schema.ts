/**
 * Whether a schema is sure to compile: then its validator is compiled when a body first needs it, and
 * what is wrong with a schema is still said when the service is built.
 */
import { isList, isObject } from '../definition/json.js'
import { isSchema } from '../definition/schema-parts.js'
import { hasFormat } from './formats.js'

/** Words of OpenAPI that a schema may carry and that validate nothing. */
export const annotations: readonly string[] = ['example', 'xml', 'externalDocs', 'discriminator']

/** The `x-...` words of a schema: annotations by convention. */
export const isExtension = (word: string): boolean => /^x-[\w$:-]*$/i.test(word)

const always = (): boolean => true
const isSoundPart = (value: unknown): boolean => !isSchema(value) || isSound(value)
const areSound = (value: unknown): boolean => isList(value) && value.every(isSoundPart)

/**
 * The words that can't fail once the meta-schema has held the schema, each with what it asks of its
 * value besides. Other words may be unknown, lead nowhere, or contradict their neighbours: the
 * compiler decides about those.
 */
const words: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ...['type', 'required', 'const', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'].map(
    (word) => [word, always] as const,
  ),
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

/** True where nothing in a schema that the meta-schema holds can keep it from being compiled. */
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
