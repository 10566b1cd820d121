/** Request bodies: read only if needed, bounded, and parsed strictly (HDR-5). */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { checkParsed, type JsonResult, parseJson } from '../http/json-text.js'
import { type MediaType, parseMediaType } from '../http/media-type.js'
import { bytes, count, type Kinds, milliseconds } from '../options/kinds.js'
import type { Form } from '../plan/form.js'
import { ConfigurationError, HttpProblem, isProblem } from '../problem.js'
import { settled } from '../promise.js'
import { closing } from '../representation/answer.js'
import { readXml } from '../representation/xml-reader.js'
import { longestTimer, withTimeout } from '../timeout.js'
import { header, mediaType, xmlTypes } from '../wire.js'
import { type Decode, decoderOf, identity } from './content-coding.js'
import type { ExpressRequest } from './middleware.js'

/** The limits for reading a body. */
export interface BodyLimits {
  /** Bytes. */
  readonly bodyLimit: number
  /** The maximum nesting depth of arrays and objects. */
  readonly depthLimit: number
  /** Milliseconds. */
  readonly timeout: number
}

export const bodyLimitKinds: Kinds<BodyLimits> = { bodyLimit: bytes, depthLimit: count, timeout: milliseconds }

/**
 * The limits of a service's bodies, with defaults: 1 MiB, 32 levels and 30 seconds. The timeout is
 * limited to the longest delay of a timer.
 */
export function resolveBodyLimits(options: { readonly [Name in keyof BodyLimits]?: number | undefined }): BodyLimits {
  const { bodyLimit = 1_048_576, depthLimit = 32, timeout = 30_000 } = options
  return {
    bodyLimit,
    depthLimit,
    timeout: Math.min(timeout, longestTimer),
  }
}

const whole: readonly string[] = Object.freeze([mediaType.json, ...xmlTypes])

/** The media types of request bodies: of whole representations, and of merge patches. */
export const bodyTypes = Object.freeze({
  whole,
  patch: Object.freeze([mediaType.mergePatch, ...whole]) as readonly string[],
})

/** The options for reading a request body. */
export interface BodyOptions {
  /** Accepted media types. */
  readonly accepted: readonly string[]
  /** The types of the body's values, which XML itself does not indicate. */
  readonly form: Form
  /** Bytes. */
  readonly bodyLimit: number
  /** The maximum nesting depth of arrays and objects. */
  readonly depthLimit: number
  /**
   * Returns the milliseconds left until 408, at most the longest delay of a timer (see
   * `resolveBodyLimits`). Called when reading starts.
   */
  readonly timeLeft: () => number
  /**
   * Whether a body of this media type is parsed as JSON, for services that did so before (HDR-5).
   * Called with an empty string if there is no media type. Default: never.
   */
  readonly takes?: ((mediaType: string) => boolean) | undefined
  /** The body is a patch: a 415 lists the media types in `Accept-Patch` (RFC 5789). */
  readonly patch: boolean
}

/** Whether the request has a body (RFC 9112 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || lengthOf(headers) > 0

const lengthOf = (headers: IncomingHttpHeaders): number => Number(headers['content-length'] ?? 0)

/**
 * A request whose body is to be read. Its fields are looked up once: in an app mounted by Express
 * itself, every property access on a request is slow.
 */
interface Carrier {
  readonly req: IncomingMessage
  readonly headers: IncomingHttpHeaders
  /** `Content-Length`; NaN for a chunked body. */
  readonly length: number
  readonly media: MediaType
  readonly options: BodyOptions
}

/** A promise to wait until the next microtask. */
const nextMicrotask = Promise.resolve()

/**
 * Parses the body, calls `use` with it, and returns the result of `use` (HDR-5): synchronously if
 * the body is already there, as after a middleware that awaited something. A body that another
 * middleware has read is used in any form: an object after the same structural checks, while bytes
 * and text are parsed here. Throws or rejects with 400, 408, 413 and 415 problems.
 */
export function readBody<T>(
  req: IncomingMessage,
  options: BodyOptions,
  use: (body: unknown) => T | Promise<T>,
): T | Promise<T> {
  const { headers } = req
  const chunked = headers['transfer-encoding'] !== undefined
  const length = chunked ? Number.NaN : lengthOf(headers)
  if (!(chunked || length > 0))
    throw new HttpProblem('missing-body', { detail: `Send a body of ${options.accepted.join(' or ')}.` })
  const carrier = { req, headers, length, media: mediaTypeOf(headers, options), options }
  if (hasArrived(carrier)) return settled(readArrived(carrier), use)
  // If another listener is attached to the stream, reading must start at once or data is lost.
  if (req.readableFlowing !== null) return settled(readStreamed(carrier), use)
  // A body in the same packet as the head is available in the next microtask: Node's parser has
  // emitted it.
  return nextMicrotask.then(() => settled(hasArrived(carrier) ? readArrived(carrier) : readStreamed(carrier), use))
}

/**
 * Reads the bytes of a body, decoded from its `Content-Encoding` but not parsed. The limit applies
 * before and after decoding. Rejects with 400, 408, 413 and 415 problems.
 */
export async function readUpload(
  req: IncomingMessage,
  options: BodyOptions,
): Promise<{ readonly media: MediaType; readonly bytes: Uint8Array }> {
  const { headers } = req
  if (!hasBody(req))
    throw new HttpProblem('missing-body', { detail: `Send a body of ${options.accepted.join(' or ')}.` })
  const media = mediaTypeOf(headers, options)
  const { body } = req as ExpressRequest
  // Another middleware, such as `express.text()`, has already read and decoded it.
  if (req.readableEnded && (typeof body === 'string' || body instanceof Uint8Array)) {
    const taken = typeof body === 'string' ? Buffer.from(body) : body
    if (taken.byteLength > options.bodyLimit) throw tooLarge(options)
    return { media, bytes: taken }
  }
  const decode = decoderOf(headers)
  const bytes = await readBytes(req, options)
  return { media, bytes: decode === identity ? bytes : await decode(bytes, options.bodyLimit, () => tooLarge(options)) }
}

/**
 * Whether the whole body has arrived, so that it can be read without waiting, which saves a timer
 * and five listeners. False if the body is too large or the stream is in an unusual state; it is
 * then read like any other.
 */
function hasArrived({ req, length, options }: Carrier): boolean {
  // A message with a length ends with its last byte (RFC 9112 6.3). Bytes that were read have been
  // put back.
  if (req.readableLength !== length || length > options.bodyLimit) return false
  // No code has attached listeners, piped, paused or set an encoding.
  return req.readableFlowing === null && req.readableEncoding === null && !req.destroyed
}

function readArrived(carrier: Carrier): unknown {
  const { req, headers } = carrier
  checkCharset(carrier)
  const decode = decoderOf(headers)
  const bytes = req.read() as Uint8Array
  // Lets the stream end.
  req.resume()
  return decoded(bytes, decode, carrier)
}

/** The body of a stream that another middleware has read, or that must be awaited. */
function readStreamed(carrier: Carrier): unknown {
  const { req, headers, options } = carrier
  const { body } = req as ExpressRequest
  // Express 4 leaves an empty object if its parsers have skipped a body: it has not been read then.
  const before = req.readableEnded ? body : undefined
  if (before === undefined) {
    checkCharset(carrier)
    const decode = decoderOf(headers)
    return readBytes(req, options).then((bytes) => decoded(bytes, decode, carrier))
  }
  if (typeof before !== 'string' && !(before instanceof Uint8Array)) {
    return taken(checkParsed(before, { depth: options.depthLimit }) ?? { value: before })
  }
  // A middleware that returns text has handled the charset; one that returns bytes, only the
  // coding.
  if (typeof before !== 'string') checkCharset(carrier)
  if (Buffer.byteLength(before) > options.bodyLimit) throw tooLarge(options)
  return parsed(before, carrier)
}

/** Decodes and parses the bytes of a body. The limit applies before and after decoding. */
function decoded(bytes: Uint8Array, decode: Decode, carrier: Carrier): unknown {
  if (decode === identity) return parsed(bytes, carrier)
  const { options } = carrier
  return settled(
    decode(bytes, options.bodyLimit, () => tooLarge(options)),
    (plain) => parsed(plain, carrier),
  )
}

function parsed(sent: Uint8Array | string, { media, options }: Carrier): unknown {
  if (xmlTypes.includes(media.type)) return taken(parseXml(sent, charsetOf(media), options))
  return taken(parseJson(typeof sent === 'string' ? Buffer.from(sent) : sent, { depth: options.depthLimit }))
}

const charsetOf = ({ parameters }: MediaType): string | undefined => parameters.get('charset')?.toLowerCase()

function parseXml(sent: Uint8Array | string, charset: string | undefined, options: BodyOptions): JsonResult {
  const result = readXml(sent, charset, options.form, { depth: options.depthLimit })
  if (!('unsupportedCharset' in result)) return result
  throw unsupported(`The charset "${result.unsupportedCharset}" is not understood. Send UTF-8.`, options)
}

function taken(result: JsonResult): unknown {
  if ('value' in result) return result.value
  const { malformed, pointer } = result
  const errors = [
    { detail: malformed, clause: 'HDR-5', code: 'malformed', ...(pointer === undefined ? {} : { pointer }) },
  ]
  throw new HttpProblem('malformed-body', { detail: malformed, errors })
}

/** The media type of the body. Throws 415 if it is not accepted. */
function mediaTypeOf(headers: IncomingHttpHeaders, options: BodyOptions): MediaType {
  const field = headers['content-type']
  const media = field === undefined ? undefined : parseMediaType(field)
  if (media !== undefined && options.accepted.includes(media.type)) return media
  if (options.takes?.(media?.type ?? '') === true) return media ?? untyped
  const what = field === undefined ? 'The body has no Content-Type' : 'The Content-Type is not supported'
  throw unsupported(`${what}. Send ${options.accepted.join(' or ')}.`, options)
}

const untyped: MediaType = { type: '', parameters: new Map() }

/** The charset of XML may also be declared in the document: see `readXml`. */
function checkCharset({ media, options }: Carrier): void {
  if (media.parameters.size === 0) return
  const charset = charsetOf(media)
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || xmlTypes.includes(media.type)) return
  throw unsupported('JSON is UTF-8 (RFC 8259). Omit the charset, or set it to utf-8.', options)
}

function unsupported(detail: string, { accepted, patch }: BodyOptions): HttpProblem {
  const headers = { [patch ? header.acceptPatch : header.accept]: accepted.join(', ') }
  const errors = [{ header: header.contentType, detail, allowed: accepted, code: 'unsupported', clause: 'HDR-5' }]
  return new HttpProblem('unsupported-content', { detail, headers, errors })
}

const tooLarge = ({ bodyLimit }: BodyOptions): HttpProblem =>
  new HttpProblem('body-too-large', { detail: `A body must not exceed ${bodyLimit} bytes.`, headers: closing })

/** The rest of a refused body is not read, so these responses close the connection. */
async function readBytes(req: IncomingMessage, options: BodyOptions): Promise<Uint8Array> {
  if (req.readableEnded || req.readableDidRead) {
    throw new ConfigurationError(
      'middleware-missing',
      'Another middleware has consumed the body without setting req.body. Move it after this one, or let it set ' +
        'req.body to the parsed body.',
    )
  }
  const late = (): HttpProblem =>
    new HttpProblem('request-timeout', { detail: 'The body did not arrive in time.', headers: closing })
  try {
    const length = req.headers['content-length']
    const body = getRawBody(req, { limit: options.bodyLimit, ...(length === undefined ? {} : { length }) })
    return await withTimeout(body, options.timeLeft(), late)
  } catch (error) {
    if (isProblem(error)) throw error
    const { type } = error as { type?: string }
    if (type === 'entity.too.large') throw tooLarge(options)
    if (type === 'stream.encoding.set') {
      throw new ConfigurationError(
        'middleware-missing',
        'Another middleware has called req.setEncoding(). Remove that call: bodies are read as bytes.',
      )
    }
    throw new HttpProblem('malformed-body', {
      detail: 'The body is incomplete.',
      headers: closing,
      cause: error,
    })
  }
}
