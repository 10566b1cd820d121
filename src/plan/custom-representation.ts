/**
 * A service's own representations, in addition to JSON and XML (PATH-4, HDR-1). Examples are a list
 * as CSV and an invoice as PDF.
 */

import { isUint8Array } from 'node:util/types'
import { branded, hasBrand } from '../brand.js'
import { isList, isObject } from '../definition/json.js'
import { isToken } from '../http/field-grammar.js'
import { parseMediaType } from '../http/media-type.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds, ListKind } from '../options/kinds.js'
import { mediaType as ours } from '../wire.js'

/** The second argument of a representation function. */
export interface RepresentationCall {
  readonly principal: unknown
  readonly requestId: string
  /** The absolute URL of the version, without a trailing slash. */
  readonly base: string
  /** Aborted at the time limit. For reads, also aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Milliseconds until the time limit. */
  left(): number
}

/** The body, optionally with header fields such as `Content-Disposition`. */
export type Represented =
  | string
  | Uint8Array
  | { readonly body: string | Uint8Array; readonly headers?: Readonly<Record<string, string>> }

type Represent<V> = (value: V, call: RepresentationCall) => Represented | Promise<Represented>

/**
 * One function for each kind of content. If a kind has no function, it is not available in this
 * media type. `T` is the type of a record in its JSON representation.
 */
export interface RepresentationOptions<T> {
  /** One item: `GET /invoices/{id}`, and responses to PUT, PATCH and POST that have a body. */
  readonly item?: Represent<T>
  /** A page of a list. */
  readonly list?: Represent<readonly T[]>
  /** The result of an endpoint. */
  readonly value?: Represent<unknown>
  /**
   * A string that becomes part of entity tags. Change this string when the functions start to
   * produce other bytes for the same record. Otherwise clients keep using their old copies (HDR-2).
   */
  readonly revision?: string
}

/** The result of `representation()`. */
export interface CustomRepresentation {
  readonly kind: 'representation'
  /** The value of `Content-Type`, parameters included. */
  readonly contentType: string
  readonly item: Represent<unknown> | undefined
  readonly list: Represent<readonly unknown[]> | undefined
  readonly value: Represent<unknown> | undefined
  readonly revision: string
}

/**
 * Declares a media type that a service can respond with, for the option `representations` of
 * `api()`, `mount()` or an endpoint's method (HDR-1). The functions get the JSON representation of
 * the value, including links and expansions, as plain data. If a function throws, the response to a
 * read is 500. After a write, the response keeps its success status and has no body (VERB-13).
 * Throws `ConfigurationError` if the media type is invalid or is one of the library's own, such as
 * `application/json`. Also throws if an option is invalid or no function is given.
 *
 * @example
 * const pdf = representation<Invoice>('application/pdf', { item: (invoice) => pdfOf(invoice) })
 * mount(invoices, adapter, { representations: [pdf] })
 */
export function representation<T = Readonly<Record<string, unknown>>>(
  mediaType: string,
  options: RepresentationOptions<T>,
): CustomRepresentation {
  const what = `representation(${JSON.stringify(mediaType)})`
  const media = typeof mediaType === 'string' ? parseMediaType(mediaType) : undefined
  if (media === undefined || media.type.includes('*'))
    throw invalidOption(`${what} is not a media type. Give one such as "text/csv".`)
  if (Object.values<string>(ours).includes(media.type))
    throw invalidOption(`${what} is one of the library's own media types. Give another one.`)
  const {
    item,
    list,
    value,
    revision = '',
  } = checkOptions<RepresentationOptions<unknown>>(what, options, representationKinds)
  if (item === undefined && list === undefined && value === undefined)
    throw invalidOption(`${what} has no function. Give at least one of the functions "item", "list" and "value".`)
  return Object.freeze(
    branded('representation', { kind: 'representation' as const, contentType: mediaType, item, list, value, revision }),
  )
}

declareFactory(representation, 'representation(mediaType, { ... })')

export const representationKinds: Kinds<RepresentationOptions<unknown>> = {
  item: 'function',
  list: 'function',
  value: 'function',
  revision: 'string',
}

/** Tells `checkOptions` that the value of an option must be a list of representations. */
export const representationsKind: ListKind = {
  each: {
    by: "the result of representation(), such as representation('text/csv', { list: toCsv })",
    is: (value) => hasBrand('representation', value),
  },
}

/** The kinds of content that a representation can convert. */
export type ContentKind = 'item' | 'list' | 'value'

/**
 * Returns a string that identifies the format of a representation. Two representations with equal
 * strings have the same format. UTF-8 is the default charset, so `charset=utf-8` makes no
 * difference.
 */
export const formatKey = ({ contentType }: CustomRepresentation): string =>
  contentType
    .toLowerCase()
    .replaceAll(/\s*;\s*/g, ';')
    .replace(/;charset="?utf-8"?(?=;|$)/, '')

/**
 * Checks the contents of the option `representations`, whose type has already been checked. Throws
 * `ConfigurationError` if a media type is given twice. Also throws if a media type has none of the
 * functions that `wanted` names, because no request could use that media type.
 */
export function representationsOption(
  what: string,
  given: readonly CustomRepresentation[] = [],
  wanted: readonly ContentKind[] = ['item', 'list', 'value'],
): readonly CustomRepresentation[] {
  const types = given.map(formatKey)
  const twice = types.find((type, at) => types.indexOf(type) < at)
  if (twice !== undefined)
    throw invalidOption(
      `The option "representations" of ${what} contains "${twice}" twice. Give it once, with all its functions.`,
    )
  const idle = given.find((one) => wanted.every((name) => one[name] === undefined))
  if (idle !== undefined)
    throw invalidOption(
      `The option "representations" of ${what} contains "${idle.contentType}" without the function ` +
        `"${wanted.join('" or "')}", so no request could use this media type. Add such a function.`,
    )
  return Object.freeze([...given])
}

/**
 * Header fields of messages that are sent in chunks. A representation function must not set them,
 * because a body of known length is delimited by `Content-Length` alone (RFC 9112 6.2).
 */
const framing = new Set(['transfer-encoding', 'trailer'])

/** The checked result of a representation function. */
interface SoundRepresented {
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Checks the result of a representation function. Throws `ConfigurationError` if the result can't
 * be sent, such as a stream, `undefined` (a missing `return`), or a header with invalid characters.
 * At that point, no part of the response has been sent. So the response to a write can still have
 * its success status, without a body.
 */
export function soundRepresented(contentType: string, made: unknown): SoundRepresented {
  const { body, headers = {} } = (isObject(made) && !isBody(made) ? made : { body: made }) as {
    body?: unknown
    headers?: unknown
  }
  const what = `The function of representation(${JSON.stringify(contentType)})`
  if (!isBody(body)) {
    const gave = isObject(made)
      ? `an object whose body is of type ${typeof body}`
      : isList(made)
        ? 'a list'
        : String(made)
    throw invalidOption(`${what} returned ${gave}. Return text or bytes, alone or as the body of { body, headers }.`)
  }
  if (!isObject(headers))
    throw invalidOption(`${what} returned headers that are not an object. Return an object that maps names to strings.`)
  for (const [name, value] of Object.entries(headers)) {
    if (framing.has(name.toLowerCase()))
      throw invalidOption(`${what} returned the header "${name}", which belongs to the connection. Leave it out.`)
    if (typeof value === 'string' && isToken(name) && fieldValue.test(value)) continue
    throw invalidOption(
      `${what} returned the header "${name}", which can't be sent. ` +
        `Give a string, and encode non-ASCII characters: filename*=UTF-8''... (RFC 8187).`,
    )
  }
  return { body, headers: headers as Record<string, string> }
}

/** Matches the field values that Node sends (RFC 9110 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

const isBody = (value: unknown): value is string | Uint8Array => typeof value === 'string' || isUint8Array(value)
