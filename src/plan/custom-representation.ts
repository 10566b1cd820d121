/** Representations of a team's own, beside JSON and XML (PATH-4, HDR-1): a CSV of a list, a PDF of an invoice. */

import { isUint8Array } from 'node:util/types'
import { branded, hasBrand } from '../brand.js'
import { isList, isObject } from '../definition/json.js'
import { isToken } from '../http/field-grammar.js'
import { parseMediaType } from '../http/media-type.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds, ListKind } from '../options/kinds.js'
import { mediaType as ours } from '../wire.js'

/** What a function gets beside the value. */
export interface RepresentationCall {
  readonly principal: unknown
  readonly requestId: string
  /** The absolute address of the version, without a slash at its end. */
  readonly base: string
  /** Fires when the time is up or, on reads, when the client goes away. */
  readonly signal: AbortSignal
  /** Milliseconds until the time is up. */
  left(): number
}

/** The bytes, perhaps with header fields of their own, such as `Content-Disposition`. */
export type Represented = string | Uint8Array | { readonly body: string | Uint8Array; readonly headers?: Readonly<Record<string, string>> }

type Represent<V> = (value: V, call: RepresentationCall) => Represented | Promise<Represented>

/** Functions by what they represent; what has none is not offered in this media type. `T` is a record as JSON would show it. */
export interface RepresentationOptions<T> {
  /** One item: `GET /invoices/{id}`, and the answers of PUT, PATCH and POST where they have a body. */
  readonly item?: Represent<T>
  /** A page of a list. */
  readonly list?: Represent<readonly T[]>
  /** What an endpoint answers. */
  readonly value?: Represent<unknown>
  /** Stands for the functions in entity tags: change it when they come to write other bytes of the same record, so that no client keeps the old ones (HDR-2). */
  readonly revision?: string
}

/** What `representation()` makes. */
export interface CustomRepresentation {
  readonly kind: 'representation'
  /** As it stands in `Content-Type`, parameters and all. */
  readonly contentType: string
  readonly item: Represent<unknown> | undefined
  readonly list: Represent<readonly unknown[]> | undefined
  readonly value: Represent<unknown> | undefined
  readonly revision: string
}

/**
 * A media type that a service can answer with, for the option `representations` of `api()`, `mount()` or an endpoint's method (HDR-1). The functions get the value as
 * JSON would show it, links, expansions and all. A failure of theirs is a 500. Throws `ConfigurationError` where the media type is none or one of the library's own,
 * and where no function is given.
 *
 * @example
 * mount(invoices, adapter, { representations: [representation<Invoice>('application/pdf', { item: (invoice) => pdfOf(invoice) })] })
 */
export function representation<T = Readonly<Record<string, unknown>>>(
  mediaType: string,
  options: RepresentationOptions<T>,
): CustomRepresentation {
  const what = `representation(${JSON.stringify(mediaType)})`
  const media = typeof mediaType === 'string' ? parseMediaType(mediaType) : undefined
  if (media === undefined || media.type.includes('*')) throw invalidOption(`${what} names no media type. Give one such as "text/csv".`)
  if (Object.values<string>(ours).includes(media.type))
    throw invalidOption(`${what} is what the library itself writes. Give another media type.`)
  const { item, list, value, revision = '' } = checkOptions<RepresentationOptions<unknown>>(what, options, representationKinds)
  if (item === undefined && list === undefined && value === undefined)
    throw invalidOption(`${what} represents nothing. Give it a function for an item, a list or a value.`)
  return Object.freeze(branded('representation', { kind: 'representation' as const, contentType: mediaType, item, list, value, revision }))
}

export const representationKinds: Kinds<RepresentationOptions<unknown>> = {
  item: 'function',
  list: 'function',
  value: 'function',
  revision: 'string',
}

/** An option that takes representations. */
export const representationsKind: ListKind = {
  each: {
    by: "what representation() made, such as representation('text/csv', { list: toCsv })",
    is: (value) => hasBrand('representation', value),
  },
}

/** What a representation can be of. */
export type Represents = 'item' | 'list' | 'value'

/**
 * The option `representations`, which is one of its kind. Throws `ConfigurationError` for a media type that stands twice, and for one without a
 * function for any of `wanted`, which nobody could ask for.
 */
export function representationsOption(
  what: string,
  given: readonly CustomRepresentation[] = [],
  wanted: readonly Represents[] = ['item', 'list', 'value'],
): readonly CustomRepresentation[] {
  const types = given.map(({ contentType }) => contentType.toLowerCase())
  const twice = types.find((type, at) => types.indexOf(type) < at)
  if (twice !== undefined) throw invalidOption(`representations of ${what} has "${twice}" twice. Give it once, with all its functions.`)
  const idle = given.find((one) => wanted.every((name) => one[name] === undefined))
  if (idle !== undefined)
    throw invalidOption(
      `representations of ${what} has "${idle.contentType}" without a function that serves here. Give it ${wanted.join(' or ')}.`,
    )
  return Object.freeze([...given])
}

/** Fields by which a message ends: its body has a length, and nothing else may say so (RFC 9112 6.2). */
const framing = new Set(['transfer-encoding', 'trailer'])

/** What a function of a team gave, taken apart. */
interface SoundRepresented {
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/**
 * What a function of a team gave. Throws `ConfigurationError` where it can't be sent: a stream, a forgotten `return`, a header with characters that none holds. By then nothing has
 * left, so a write can still be answered without a body.
 */
export function soundRepresented(contentType: string, made: unknown): SoundRepresented {
  const { body, headers = {} } = (isObject(made) && !isBody(made) ? made : { body: made }) as { body?: unknown; headers?: unknown }
  const what = `The function of representation(${JSON.stringify(contentType)})`
  if (!isBody(body)) {
    const gave = isObject(made) ? `an object whose body is of type ${typeof body}` : isList(made) ? 'a list' : String(made)
    throw invalidOption(`${what} gave ${gave}. Return text, bytes, or { body, headers } with one of them.`)
  }
  if (!isObject(headers)) throw invalidOption(`${what} gave headers that are no object. Give texts by name.`)
  for (const [name, value] of Object.entries(headers)) {
    if (framing.has(name.toLowerCase()))
      throw invalidOption(`${what} gave the header "${name}", which belongs to the connection. Leave it out.`)
    if (typeof value === 'string' && isToken(name) && fieldValue.test(value)) continue
    throw invalidOption(
      `${what} gave the header "${name}", which can not be sent. Encode what is beyond ASCII: filename*=UTF-8''... (RFC 8187).`,
    )
  }
  return { body, headers: headers as Record<string, string> }
}

/** What Node sends of a field value (RFC 9110 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

const isBody = (value: unknown): value is string | Uint8Array => typeof value === 'string' || isUint8Array(value)
