/**
 * The messages for violations of a schema. Ajv's own messages are meant for the authors of schemas,
 * so clients get these messages instead (ERR-3).
 */
import type { ErrorObject } from 'ajv/dist/2020.js'
import { cutText } from '../cut-text.js'
import { isList } from '../definition/json.js'
import { formatWords, typeWords } from '../definition/value-words.js'

/** The maximum number of allowed values in a message. */
const maxShown = 20
/** The maximum number of characters of each allowed value in a message. */
const longestShown = 200

/**
 * Returns what a value or a name must be, as the end of a sentence, such as `must be a string`. The
 * validator must have been compiled with the option `verbose`.
 */
export function messageOf({ keyword, params, schema, data }: ErrorObject): string {
  const { limit } = params
  switch (keyword) {
    case 'type':
      return `must be ${typeWords([params.type].flat())}`
    case 'format':
      return `must be ${formatWords(params.format, typeof data === 'number')}`
    case 'exactInteger':
      return `must be a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`
    case 'enum':
    case 'const':
      return `must be ${valuesOf(keyword === 'const' ? [schema] : schema)}`
    case 'pattern':
      return `must match the pattern "${params.pattern}"`
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`
    case 'uniqueItems':
      return `must not have equal items, but [${params.i}] and [${params.j}] are equal`
    case 'contains':
      return `must have ${matching(params.minContains, params.maxContains)} the schema in "contains"`
    case 'anyOf':
      return 'must match at least one of the schemas in "anyOf"'
    case 'oneOf':
      return `must match exactly one of the schemas in "oneOf", but matches ${
        params.passingSchemas === null ? 'none' : 'more than one'
      }`
    case 'if':
      return `must match the schema in "${params.failingKeyword}"`
    case 'not':
      return 'must not match the schema in "not"'
    case 'false schema':
    case 'propertyNames':
      return 'is not allowed'
    default:
      return limitWords.get(keyword)?.(Number(limit ?? schema)) ?? 'is not valid'
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const limitWords: ReadonlyMap<string, (limit: number) => string> = new Map([
  ['minLength', (limit) => `must have at least ${count(limit, 'character')}`],
  ['maxLength', (limit) => `must have at most ${count(limit, 'character')}`],
  ['minItems', (limit) => `must have at least ${count(limit, 'item')}`],
  ...['maxItems', 'items', 'unevaluatedItems'].map(
    (keyword) => [keyword, (limit: number) => `must have at most ${count(limit, 'item')}`] as const,
  ),
  ['minProperties', (limit) => `must have at least ${count(limit, 'member')}`],
  ['maxProperties', (limit) => `must have at most ${count(limit, 'member')}`],
  ['minimum', (limit) => `must be at least ${limit}`],
  ['maximum', (limit) => `must be at most ${limit}`],
  ['exclusiveMinimum', (limit) => `must be greater than ${limit}`],
  ['exclusiveMaximum', (limit) => `must be less than ${limit}`],
])

function matching(least: number, most: number | undefined): string {
  const items = (number: number): string => `${count(number, 'item')} that ${number === 1 ? 'matches' : 'match'}`
  if (most === undefined) return `at least ${items(least)}`
  if (least === most) return `exactly ${items(most)}`
  return least === 0 ? `at most ${items(most)}` : `${least} to ${items(most)}`
}

function valuesOf(values: unknown): string {
  const allowed: readonly unknown[] = isList(values) ? values : []
  const shown = allowed.slice(0, maxShown).map((value) => cutText(JSON.stringify(value), longestShown))
  return `${allowed.length === 1 ? '' : 'one of '}${shown.join(', ')}${allowed.length > maxShown ? ', ...' : ''}`
}
