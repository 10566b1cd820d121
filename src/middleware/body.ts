/**
 * Reads request bodies (HDR-5). A body is read only if it is needed. The size and nesting depth of
 * a body and the time for reading it are limited, and a body is parsed strictly.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { checkParsed, type JsonResult, parseJson } from '../http/json-text.js'
import { type MediaType, parseMediaType, unsupportedType } from '../http/media-type.js'
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
  /** The maximum size, in bytes. */
  readonly bodyLimit: number
  /** The maximum nesting depth of arrays and objects. */
  readonly depthLimit: number
  /** The time in which the body must arrive, in milliseconds. */
  readonly timeout: number
}

export const bodyLimitKinds: Kinds<BodyLimits> = { bodyLimit: bytes, depthLimit: count, timeout: milliseconds }

/**
 * Returns the limits for reading bodies. The defaults are 1 MiB, 32 levels and 30 seconds. The
 * timeout is at most the longest delay of a Node timer.
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

/**
 * The media types of request bodies: `whole` for complete representations, and `patch` for PATCH
 * requests.
 */
export const bodyTypes = Object.freeze({
  whole,
  patch: Object.freeze([mediaType.mergePatch, ...whole]) as readonly string[],
})

/** The options for reading a request body. */
export interface BodyOptions {
  /** Accepted media types. */
  readonly accepted: readonly string[]
  /**
   * The JSON types of the values in the body. Only XML bodies need them, because XML does not mark
   * types.
   */
  readonly form: Form
  /** The maximum size, in bytes. */
  readonly bodyLimit: number
  /** The maximum nesting depth of arrays and objects. */
  readonly depthLimit: number
  /**
   * Returns how many milliseconds are left for reading the body. After this time, the response is
   * 408. The number is at most the longest delay of a Node timer (see `resolveBodyLimits`). Called
   * when reading starts.
   */
  readonly timeLeft: () => number
  /**
   * Whether a body of this media type is parsed as JSON although the type is not accepted. This
   * option is for services that already parsed such bodies before they adopted the conventions
   * (HDR-5). Called with an empty string if the request has no valid media type. Default: never.
   */
  readonly alsoAccepts?: ((mediaType: string) => boolean) | undefined
  /**
   * Whether the body is a patch. A 415 then lists the accepted media types in `Accept-Patch` (RFC
   * 5789) instead of `Accept`.
   */
  readonly patch: boolean
}

/** Whether the request has a body (RFC 9112 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || lengthOf(headers) > 0

const lengthOf = (headers: IncomingHttpHeaders): number => Number(headers['content-length'] ?? 0)

/**
 * A request whose body will be read. The properties of the request are looked up once and kept
 * here, because every property access on a request is slow in an app that Express has mounted.
 */
interface BodyRequest {
  readonly req: IncomingMessage
  readonly headers: IncomingHttpHeaders
  /** `Content-Length`; NaN for a chunked body. */
  readonly length: number
  readonly media: MediaType
  readonly options: BodyOptions
}

/** A resolved promise, for waiting until the next microtask. */
const nextMicrotask = Promise.resolve()

/**
 * Parses the body, calls `use` with the parsed body, and returns the result of `use` (HDR-5). If
 * the body has already arrived, for example while an earlier middleware was waiting, it is read
 * synchronously. A body that another middleware has read is accepted too. If that middleware has
 * set `req.body` to bytes or a string, the body is parsed here. If `req.body` is already parsed,
 * `checkParsed` checks it. Throws or rejects with a 400, 408, 413 or 415 problem. If another
 * middleware has made the body unreadable, throws or rejects with `ConfigurationError`.
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
  // If other code has already started or paused the stream, reading must start at once. Otherwise
  // data could be lost.
  if (req.readableFlowing !== null) return settled(readStreamed(carrier), use)
  // If the body arrived in the same packet as the head, it is available in the next microtask,
  // because Node's parser has emitted it by then.
  return nextMicrotask.then(() => settled(hasArrived(carrier) ? readArrived(carrier) : readStreamed(carrier), use))
}

/**
 * Reads the bytes of a body and decodes its `Content-Encoding`, but does not parse the body. The
 * size limit applies both before and after decoding. Rejects with a 400, 408, 413 or 415 problem.
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
  // Another middleware, such as `express.text()`, has already read and decoded the body.
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
 * Whether the whole body has certainly arrived. Such a body can be read without waiting, which
 * saves a timer and five listeners. Always false if the body is chunked or too large, or if other
 * code uses the stream. In these cases, `readStreamed` reads the body.
 */
function hasArrived({ req, length, options }: BodyRequest): boolean {
  // A body with a `Content-Length` is complete as soon as that many bytes have arrived (RFC 9112
  // 6.3). If that many bytes are in the buffer, other code has read none of them, or has put them
  // back.
  if (req.readableLength !== length || length > options.bodyLimit) return false
  // True if the stream is not destroyed, and no code has attached a `data` or `readable` listener
  // to it, piped it, paused it or set its encoding.
  return req.readableFlowing === null && req.readableEncoding === null && !req.destroyed
}

function readArrived(carrier: BodyRequest): unknown {
  const { req, headers } = carrier
  checkCharset(carrier)
  const decode = decoderOf(headers)
  const bytes = req.read() as Uint8Array
  // Lets the stream end.
  req.resume()
  return decoded(bytes, decode, carrier)
}

/**
 * Reads a body for which `hasArrived` is false, such as a body that another middleware has already
 * read.
 */
function readStreamed(carrier: BodyRequest): unknown {
  const { req, headers, options } = carrier
  const { body } = req as ExpressRequest
  // If the body parsers of Express 4 have skipped a body, they have set `req.body` to an empty
  // object. The stream has not ended in this case, so the object is ignored.
  const before = req.readableEnded ? body : undefined
  if (before === undefined) {
    checkCharset(carrier)
    const decode = decoderOf(headers)
    return readBytes(req, options).then((bytes) => decoded(bytes, decode, carrier))
  }
  if (typeof before !== 'string' && !(before instanceof Uint8Array)) {
    return resultValue(checkParsed(before, { depth: options.depthLimit }) ?? { value: before })
  }
  // A middleware that sets `req.body` to a string has already decoded the charset. A middleware
  // that sets it to bytes has decoded only the content coding, so the charset is checked here.
  if (typeof before !== 'string') checkCharset(carrier)
  if (Buffer.byteLength(before) > options.bodyLimit) throw tooLarge(options)
  return parsed(before, carrier)
}

/**
 * Decodes and parses the bytes of a body. The size limit applies to the decoded bytes too.
 */
function decoded(bytes: Uint8Array, decode: Decode, carrier: BodyRequest): unknown {
  if (decode === identity) return parsed(bytes, carrier)
  const { options } = carrier
  return settled(
    decode(bytes, options.bodyLimit, () => tooLarge(options)),
    (plain) => parsed(plain, carrier),
  )
}

function parsed(sent: Uint8Array | string, { media, options }: BodyRequest): unknown {
  if (xmlTypes.includes(media.type)) return resultValue(parseXml(sent, charsetOf(media), options))
  return resultValue(parseJson(typeof sent === 'string' ? Buffer.from(sent) : sent, { depth: options.depthLimit }))
}

const charsetOf = ({ parameters }: MediaType): string | undefined => parameters.get('charset')?.toLowerCase()

function parseXml(sent: Uint8Array | string, charset: string | undefined, options: BodyOptions): JsonResult {
  const result = readXml(sent, charset, options.form, { depth: options.depthLimit })
  if (!('unsupportedCharset' in result)) return result
  throw unsupported(`The charset "${result.unsupportedCharset}" is not supported. Send UTF-8.`, options)
}

function resultValue(result: JsonResult): unknown {
  if ('value' in result) return result.value
  const { malformed, pointer } = result
  const errors = [
    { detail: malformed, clause: 'HDR-5', code: 'malformed', ...(pointer === undefined ? {} : { pointer }) },
  ]
  throw new HttpProblem('malformed-body', { detail: malformed, errors })
}

/**
 * Returns the media type of the body. Throws 415 if neither `accepted` nor `alsoAccepts` accepts
 * the type.
 */
function mediaTypeOf(headers: IncomingHttpHeaders, options: BodyOptions): MediaType {
  const field = headers['content-type']
  const media = field === undefined ? undefined : parseMediaType(field)
  if (media !== undefined && options.accepted.includes(media.type)) return media
  if (options.alsoAccepts?.(media?.type ?? '') === true) return media ?? untyped
  throw unsupported(`${unsupportedType(field, media)} Send ${options.accepted.join(' or ')}.`, options)
}

const untyped: MediaType = { type: '', parameters: new Map() }

/**
 * Throws 415 if a JSON body has a charset other than UTF-8. The charset of XML may also be declared
 * in the document, so `readXml` checks it.
 */
function checkCharset({ media, options }: BodyRequest): void {
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

/**
 * Reads the bytes of a body. The rest of a refused body is not read, so a response that refuses a
 * body closes the connection.
 */
async function readBytes(req: IncomingMessage, options: BodyOptions): Promise<Uint8Array> {
  if (req.readableEnded || req.readableDidRead) {
    throw new ConfigurationError(
      'middleware-missing',
      'Another middleware has consumed the body without setting req.body. Mount that middleware after this library, ' +
        'or make it set req.body to the parsed body.',
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
