/** Parses media types and their parameters (RFC 9110 8.3.1, 5.6.6; HDR-1, HDR-5). */
import { mediaType } from '../wire.js'
import { quotedEnd, skipSpace, tokenEnd, unquote } from './field-grammar.js'
import { printable } from './printable.js'

export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly type: string
  /** The values of the parameters, without quotes and escapes, by their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

const none: ReadonlyMap<string, string> = new Map()
const quote = 0x22
const slash = 0x2f
const semicolon = 0x3b
const equals = 0x3d

/**
 * Parses a media type; `undefined` if it is malformed or repeats a parameter. Media ranges of
 * `Accept`, such as `text/*`, can be parsed too, because `*` is also a character of tokens. Empty
 * parameters (`a/b;;c=d;`) are allowed, as in RFC 9110 5.6.6. The time is linear in the length of
 * the field.
 *
 * @example
 * parseMediaType('Application/JSON; Charset="utf-8"')
 * // { type: 'application/json', parameters: Map { 'charset' => 'utf-8' } }
 */
export function parseMediaType(field: string): MediaType | undefined {
  return usual.get(field) ?? readMediaType(field)
}

/** The media types of the library in their usual spellings, already parsed. */
const usual: ReadonlyMap<string, MediaType> = new Map(
  Object.values(mediaType)
    .flatMap((type) => [type, `${type}; charset=utf-8`, `${type};charset=UTF-8`])
    .map((field) => [field, readMediaType(field) as MediaType]),
)

function readMediaType(field: string): MediaType | undefined {
  const start = skipSpace(field, 0)
  const middle = tokenEnd(field, start)
  const end = tokenEnd(field, middle + 1)
  if (middle === start || field.charCodeAt(middle) !== slash || end === middle + 1) return undefined
  const type = field.slice(start, end).toLowerCase()
  const rest = skipSpace(field, end)
  if (rest === field.length) return { type, parameters: none }
  const parameters = parseParameters(field, rest)
  return parameters && { type, parameters }
}

function parseParameters(field: string, from: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  let at = from
  while (at < field.length) {
    if (field.charCodeAt(at) !== semicolon) return undefined
    at = skipSpace(field, at + 1)
    const nameEnd = tokenEnd(field, at)
    if (nameEnd > at) {
      const name = field.slice(at, nameEnd).toLowerCase()
      const start = nameEnd + 1
      const quoted = field.charCodeAt(start) === quote
      at = quoted ? quotedEnd(field, start) : tokenEnd(field, start)
      if (field.charCodeAt(nameEnd) !== equals || at <= start || parameters.has(name)) return undefined
      parameters.set(name, quoted ? unquote(field.slice(start, at)) : field.slice(start, at))
    }
    at = skipSpace(field, at)
  }
  return parameters
}

/**
 * Returns a sentence that says why the type of a body is not accepted. `media` is the parsed
 * `Content-Type`, and `undefined` if the field is absent or malformed.
 */
export function unsupportedType(field: string | undefined, media: MediaType | undefined): string {
  if (field === undefined) return 'The body has no Content-Type.'
  if (media === undefined) return `The Content-Type ${JSON.stringify(printable(field))} is not a valid media type.`
  return `The Content-Type "${printable(media.type)}" is not supported here.`
}
