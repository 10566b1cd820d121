/** Describes JSON Schemas briefly, in words. */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import { type Html, type HtmlPart, html } from './html.js'
import { listIn, objectIn, shortened, textIn } from './read.js'

/** Returns the link to a schema component of the OpenAPI document. */
export type TypeLink = (name: string) => Html

/** The maximum number of listed alternatives, and of listed values of an enumeration. */
const listedValues = 20

/** The maximum length of a value, a pattern or a name, in characters. */
export const maxTextLength = 120

/** Maximum depth of nested alternatives and lists that are described. */
const maxDepth = 4

const separated = (parts: readonly HtmlPart[], by: string): HtmlPart =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [by, part]))

/** Returns a value as JSON. */
const valueText = (value: unknown): Html =>
  html`<code>${shortened(JSON.stringify(value) ?? 'undefined', maxTextLength)}</code>`

/**
 * Returns the type of a value, such as `integer`, `list of Contrato`, `ContratoLink or Contrato`,
 * or `string or null`.
 */
export function typeText(schema: unknown, link: TypeLink, depth = 0): HtmlPart {
  if (schema === false) return 'no value'
  if (!isObject(schema)) return 'any value'
  const reference = typeName(schema.$ref)
  if (reference !== undefined) return link(reference)
  if (depth > maxDepth) return 'see the OpenAPI document'
  const alternatives = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')]
  const parts = listIn(schema, 'allOf')
  const types = typesOf(schema)
  // `requiredTexts` describes alternatives that only list required members.
  if (alternatives.length > 0 && alternatives.some(hasType)) {
    const texts = alternatives.slice(0, listedValues).map((one) => typeText(one, link, depth + 1))
    return separated([...texts, ...(alternatives.length > listedValues ? ['more'] : [])], ' or ')
  }
  if (types.length === 0 && parts.some(hasType))
    return separated(
      parts.filter(hasType).map((one) => typeText(one, link, depth + 1)),
      ' and ',
    )
  if (types.length === 0 && 'const' in schema) return valueText(schema.const)
  if (types.length === 0)
    return listIn(schema, 'enum').length > 0
      ? 'one of these values'
      : isObject(schema.properties)
        ? 'object'
        : 'any value'
  return separated(
    types.map((type) => (type === 'array' ? listText(schema, link, depth) : type)),
    ' or ',
  )
}

/** Returns the name of the type in a reference. */
const typeName = (reference: unknown): string | undefined =>
  typeof reference === 'string' ? reference.split('/').at(-1) : undefined

const hasType = (schema: unknown): boolean =>
  isObject(schema) &&
  ['type', '$ref', 'properties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'].some((word) => word in schema)

function typesOf(schema: JsonObject): readonly string[] {
  const types = (isList(schema.type) ? schema.type : [schema.type]).filter((type) => typeof type === 'string')
  return schema.nullable === true && !types.includes('null') ? [...types, 'null'] : types
}

function listText(schema: JsonObject, link: TypeLink, depth: number): HtmlPart {
  const { items } = schema
  return items === undefined || items === true ? 'list' : html`list of ${typeText(items, link, depth + 1)}`
}

/**
 * Returns whether a bound is the largest or the smallest safe integer. The library applies these
 * bounds to every integer, so they are not listed.
 */
const isSafeBound = (value: unknown): boolean => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

const isListedBound = (value: unknown): boolean => value !== undefined && !isSafeBound(value)

/** Schema keywords for bounds, each with its description. */
const bounds: readonly (readonly [word: string, text: (value: string) => string])[] = [
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `more than ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['exclusiveMaximum', (value) => `less than ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `at least ${value} items`],
  ['maxItems', (value) => `at most ${value} items`],
  ['minProperties', (value) => `at least ${value} members`],
  ['maxProperties', (value) => `at most ${value} members`],
]

/** Keywords that the functions in this file describe, or that do not constrain the value. */
const describedKeywords = new Set(
  (
    '$ref type nullable format enum const default pattern properties required additionalProperties items oneOf ' +
    'anyOf allOf title description deprecated readOnly writeOnly example examples xml externalDocs discriminator ' +
    'uniqueItems contentMediaType'
  )
    .split(' ')
    .concat(bounds.map(([word]) => word)),
)

/**
 * Returns the restrictions on a value apart from its type, such as bounds, formats, patterns and
 * allowed values.
 */
export function ruleTexts(schema: unknown): readonly HtmlPart[] {
  if (!isObject(schema)) return []
  const boundTexts = bounds
    .filter(([word]) => isListedBound(schema[word]))
    .map(([word, text]) => text(String(schema[word])))
  const types = typesOf(schema)
  const pattern = textIn(schema, 'pattern')
  const format = textIn(schema, 'format')
  const others = Object.keys(schema).filter((word) => !describedKeywords.has(word) && !word.startsWith('x-'))
  return [
    ...(format === undefined ? [] : [html`format <code>${shortened(format, maxTextLength)}</code>`]),
    ...(textIn(schema, 'contentMediaType') === undefined
      ? []
      : [html`<code>${textIn(schema, 'contentMediaType')}</code>`]),
    ...boundTexts,
    ...(schema.uniqueItems === true ? ['no duplicate items'] : []),
    ...valuesOf(schema),
    ...('const' in schema && types.length > 0 ? [html`always ${valueText(schema.const)}`] : []),
    ...(pattern === undefined ? [] : [patternText(pattern)]),
    ...(isObject(schema.items) ? ruleTexts(schema.items).map((rule) => html`each: ${rule}`) : []),
    ...requiredTexts(schema),
    ...('default' in schema ? [html`default ${valueText(schema.default)}`] : []),
    ...(schema.readOnly === true ? ['read-only'] : []),
    ...(schema.writeOnly === true ? ['write-only'] : []),
    ...(schema.deprecated === true ? [html`<strong>deprecated</strong>`] : []),
    ...(others.length === 0 ? [] : ['more rules in the OpenAPI document']),
  ]
}

/**
 * Returns the text for a pattern. Long patterns are not shown. The library itself generates long
 * patterns for the parameter `sort` and for keys in paths, and the descriptions of these parameters
 * say the same in words.
 */
const patternText = (pattern: string): HtmlPart =>
  pattern.length > maxTextLength ? 'a pattern (see the OpenAPI document)' : html`pattern <code>${pattern}</code>`

function valuesOf(schema: JsonObject): readonly HtmlPart[] {
  const values = listIn(schema, 'enum')
  if (values.length === 0) return []
  const left = values.length - listedValues
  const shown = values.slice(0, listedValues).map(valueText)
  return [html`one of ${separated(shown, ', ')}${left > 0 && ` and ${left} more (see the OpenAPI document)`}`]
}

/**
 * Describes alternatives that differ only in their required members. For example, a link needs
 * either `href` or the key of its target.
 */
function requiredTexts(schema: JsonObject): readonly HtmlPart[] {
  const alternatives = [...listIn(schema, 'anyOf'), ...listIn(schema, 'oneOf')]
  if (alternatives.length === 0 || alternatives.some(hasType)) return []
  const names = alternatives.map((one) => listIn(one, 'required').filter((name) => typeof name === 'string'))
  if (names.some((some) => some.length === 0)) return []
  return [
    html`needs ${separated(
      names.map((some) => html`<code>${some.join(', ')}</code>`),
      ' or ',
    )}`,
  ]
}

/** Returns the first three examples in a schema. */
export function exampleText(schema: unknown): HtmlPart {
  const examples = isObject(schema) ? ('example' in schema ? [schema.example] : listIn(schema, 'examples')) : []
  return examples.length > 0 && html` Example: ${separated(examples.slice(0, 3).map(valueText), ', ')}.`
}

/** Returns whether a schema describes the members of an object. */
export const hasMembers = (schema: unknown): boolean =>
  isObject(schema) && Object.keys(objectIn(schema, 'properties')).length > 0
