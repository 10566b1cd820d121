/**
 * The members of an object, as the rows of a table. If a nested object has no named type, its
 * members have rows in the same table, with paths such as `address.city`.
 */
import { isObject, type JsonObject } from '../definition/json.js'
import { type Html, html } from './html.js'
import { listIn, objectIn, shortened, textIn } from './read.js'
import { exampleText, hasMembers, maxTextLength, ruleTexts, type TypeLink, typeText } from './schema-text.js'

/** The parts of the page context that rows need. */
export interface RowContext {
  readonly link: TypeLink
  /** Renders the text of a cell, which is Markdown. */
  readonly inline: (text: string) => Html
}

/** The maximum length of a description in a cell, in characters. Longer descriptions are cut. */
const longestCell = 500

/** Maximum depth of nested objects that have no named type. */
const maxDepth = 5

interface Member {
  readonly path: string
  readonly schema: unknown
  readonly required: boolean
}

/** The rows of an object's members. */
export const memberRows = (schema: JsonObject, context: RowContext): readonly Html[] =>
  membersOf(schema, '', 0).map((member) => memberRow(member, context))

function membersOf(schema: JsonObject, prefix: string, depth: number): readonly Member[] {
  const parts = [schema, ...listIn(schema, 'allOf').filter(isObject)]
  const required = new Set(parts.flatMap((part) => listIn(part, 'required')))
  const own = parts.flatMap((part) => Object.entries(objectIn(part, 'properties')))
  const rows = own.flatMap(([name, member]): readonly Member[] => {
    const path = `${prefix}${shortened(name, maxTextLength)}`
    return [
      { path, schema: member, required: required.has(name) },
      ...(depth < maxDepth ? nested(member, path, depth) : []),
    ]
  })
  const others = schema.additionalProperties
  return isObject(others)
    ? [
        ...rows,
        { path: `${prefix}*`, schema: others, required: false },
        ...(depth < maxDepth ? nested(others, `${prefix}*`, depth) : []),
      ]
    : rows
}

function nested(schema: unknown, path: string, depth: number): readonly Member[] {
  if (!isObject(schema)) return []
  if (hasMembers(schema) || isObject(schema.additionalProperties)) return membersOf(schema, `${path}.`, depth + 1)
  return isObject(schema.items) && hasMembers(schema.items) ? membersOf(schema.items, `${path}[].`, depth + 1) : []
}

function memberRow({ path, schema, required }: Member, context: RowContext): Html {
  return html`<tr><th scope="row"><code>${path}</code>${required && html` <small>required</small>`}</th><td>${typeCell(schema, context)}</td><td>${textCell(schema, context)}</td></tr>
`
}

/** The type of a value, followed by its restrictions. */
export function typeCell(schema: unknown, { link }: RowContext): Html {
  const rules = ruleTexts(schema)
  return html`${typeText(schema, link)}${rules.map((rule) => html`, ${rule}`)}`
}

/** The description of a value with its examples. */
export function textCell(
  schema: unknown,
  { inline }: RowContext,
  text = textIn(schema, 'description') ?? textIn(schema, 'title'),
): Html {
  return html`${text !== undefined && inline(shortened(text, longestCell))}${exampleText(schema)}`
}
