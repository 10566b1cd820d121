/** A short text for a JSON Schema. */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import { type Html, type HtmlPart, html } from './html.js'
import { listIn, objectIn, shortened, textIn } from './read.js'

/** Gives the link to a type of the document. */
export type TypeLink = (name: string) => Html

/** The values of an enumeration that are listed; the document has them all. */
const listedValues = 20

/** Characters of a value, a pattern or a name. */
export const longestText = 120

/** Maximum depth of alternatives and lists in the text. */
const deepest = 4

const separated = (parts: readonly HtmlPart[], by: string): HtmlPart =>
  parts.flatMap((part, at) => (at === 0 ? [part] : [by, part]))

/** A value as it stands in JSON. */
const valueText = (value: unknown): Html =>
  html`<code>${shortened(JSON.stringify(value) ?? 'undefined', longestText)}</code>`

/** The type of a value: `integer`, `list of Contrato`, `ContratoLink or Contrato`, `text or null`. */
export function typeText(schema: unknown, link: TypeLink, depth = 0): HtmlPart {
  if (schema === false) return 'nothing'
  if (!isObject(schema)) return 'any value'
  const reference = typeName(schema.$ref)
  if (reference !== undefined) return link(reference)
  if (depth > deepest) return 'as the document says'
  const alternatives = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')]
  const parts = listIn(schema, 'allOf')
  const types = typesOf(schema)
  // Alternatives that only list required members are described elsewhere.
  if (alternatives.length > 0 && alternatives.some(saysType)) {
    const texts = alternatives.slice(0, listedValues).map((one) => typeText(one, link, depth + 1))
    return separated([...texts, ...(alternatives.length > listedValues ? ['more'] : [])], ' or ')
  }
  if (types.length === 0 && parts.some(saysType))
    return separated(
      parts.filter(saysType).map((one) => typeText(one, link, depth + 1)),
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

/** The last part of a reference to a type. */
const typeName = (reference: unknown): string | undefined =>
  typeof reference === 'string' ? reference.split('/').at(-1) : undefined

const saysType = (schema: unknown): boolean =>
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

/** The safe integer bounds of JSON clients, which are no rule of the service. */
const isSafeBound = (value: unknown): boolean => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

const isGiven = (value: unknown): boolean => value !== undefined && !isSafeBound(value)

/** Schema keywords for bounds, each with its text. */
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

/** Keywords that other functions describe, or that do not constrain the value. */
const told = new Set(
  '$ref type nullable format enum const default pattern properties required additionalProperties items oneOf anyOf allOf title description deprecated readOnly writeOnly example examples xml externalDocs discriminator uniqueItems contentMediaType'
    .split(' ')
    .concat(bounds.map(([word]) => word)),
)

/** What is required of a value beside its type: bounds, formats, patterns, values. */
export function ruleTexts(schema: unknown): readonly HtmlPart[] {
  if (!isObject(schema)) return []
  const said = bounds.filter(([word]) => isGiven(schema[word])).map(([word, text]) => text(String(schema[word])))
  const types = typesOf(schema)
  const pattern = textIn(schema, 'pattern')
  const format = textIn(schema, 'format')
  const others = Object.keys(schema).filter((word) => !told.has(word) && !word.startsWith('x-'))
  return [
    ...(format === undefined ? [] : [html`format <code>${shortened(format, longestText)}</code>`]),
    ...(textIn(schema, 'contentMediaType') === undefined
      ? []
      : [html`<code>${textIn(schema, 'contentMediaType')}</code>`]),
    ...said,
    ...(schema.uniqueItems === true ? ['each item once'] : []),
    ...valuesOf(schema),
    ...('const' in schema && types.length > 0 ? [html`always ${valueText(schema.const)}`] : []),
    ...(pattern === undefined ? [] : [patternText(pattern)]),
    ...(isObject(schema.items) ? ruleTexts(schema.items).map((rule) => html`each: ${rule}`) : []),
    ...requiredTexts(schema),
    ...('default' in schema ? [html`default ${valueText(schema.default)}`] : []),
    ...(schema.readOnly === true ? ['read-only'] : []),
    ...(schema.writeOnly === true ? ['write-only'] : []),
    ...(schema.deprecated === true ? [html`<strong>deprecated</strong>`] : []),
    ...(others.length === 0 ? [] : ['more rules in the document']),
  ]
}

/** A pattern of a `sort` or of a key is long and says nothing to a reader: the parameter's description does. */
const patternText = (pattern: string): HtmlPart =>
  pattern.length > longestText ? 'a pattern, see the document' : html`pattern <code>${pattern}</code>`

function valuesOf(schema: JsonObject): readonly HtmlPart[] {
  const values = listIn(schema, 'enum')
  if (values.length === 0) return []
  const left = values.length - listedValues
  const shown = values.slice(0, listedValues).map(valueText)
  return [html`one of ${separated(shown, ', ')}${left > 0 && ` and ${left} more values, see the document`}`]
}

/** Alternatives that only differ in what they require: `href` or the key of a link. */
function requiredTexts(schema: JsonObject): readonly HtmlPart[] {
  const alternatives = [...listIn(schema, 'anyOf'), ...listIn(schema, 'oneOf')]
  if (alternatives.length === 0 || alternatives.some(saysType)) return []
  const names = alternatives.map((one) => listIn(one, 'required').filter((name) => typeof name === 'string'))
  if (names.some((some) => some.length === 0)) return []
  return [
    html`needs ${separated(
      names.map((some) => html`<code>${some.join(', ')}</code>`),
      ' or ',
    )}`,
  ]
}

/** Examples of a value that stand in its schema. */
export function exampleText(schema: unknown): HtmlPart {
  const examples = isObject(schema) ? ('example' in schema ? [schema.example] : listIn(schema, 'examples')) : []
  return examples.length > 0 && html` Example: ${separated(examples.slice(0, 3).map(valueText), ', ')}.`
}

/** True where a schema describes the members of an object. */
export const hasMembers = (schema: unknown): boolean =>
  isObject(schema) && Object.keys(objectIn(schema, 'properties')).length > 0
