/** Request bodies: read only where one is wanted, bounded, strict (HDR-5). */

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

/** How much of a body is read, and for how long. */
export interface BodyLimits {
  /** Bytes. */
  readonly bodyLimit: number
  /** How deep arrays and objects may nest. */
  readonly depthLimit: number
  /** Milliseconds. */
  readonly timeout: number
}

export const bodyLimitKinds: Kinds<BodyLimits> = { bodyLimit: bytes, depthLimit: count, timeout: milliseconds }

/** The limits of a service's bodies: 1 MiB, 32 levels and 30 seconds unless it says otherwise; no time is longer than a timer takes. */
export function resolveBodyLimits(options: { readonly [Name in keyof BodyLimits]?: number | undefined }): BodyLimits {
  const { bodyLimit = 1_048_576, depthLimit = 32, timeout = 30_000 } = options
  return {
    bodyLimit,
    depthLimit,
    timeout: Math.min(timeout, longestTimer),
  }
}

const whole: readonly string[] = Object.freeze([mediaType.json, ...xmlTypes])

/** The media types that bodies are understood in: of whole representations, and of merge patches. */
export const bodyTypes = Object.freeze({
  whole,
  patch: Object.freeze([mediaType.mergePatch, ...whole]) as readonly string[],
})

/** How the body of a request is read. */
export interface BodyOptions {
  /** Media types that are understood. */
  readonly accepted: readonly string[]
  /** What types of value stand where, which XML does not say. */
  readonly form: Form
  /** Bytes. */
  readonly bodyLimit: number
  /** How deep arrays and objects may nest. */
  readonly depthLimit: number
  /** Milliseconds until 408, asked for where a body is waited for; none where the time is up. No more than a timer takes: see `resolveBodyLimits`. */
  readonly timeLeft: () => number
  /** Whether a body of this media type is read as JSON, as the service did before (HDR-5). Empty: it has none. Default: none is. */
  readonly takes?: ((mediaType: string) => boolean) | undefined
  /** The body is a patch: a 415 names the media types in `Accept-Patch` (RFC 5789). */
  readonly patch: boolean
}

/** True where the request carries a body (RFC 9112 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || lengthOf(headers) > 0

const lengthOf = (headers: IncomingHttpHeaders): number => Number(headers['content-length'] ?? 0)

/** A request whose body is wanted. Its fields are looked up once: an app that Express has mounted by itself makes every look at a request slow. */
interface Carrier {
  readonly req: IncomingMessage
  readonly headers: IncomingHttpHeaders
  /** What the request says; NaN where the body says it itself, in chunks. */
  readonly length: number
  readonly media: MediaType
  readonly options: BodyOptions
}

/** One turn of the microtasks later. */
const soon = Promise.resolve()

/**
 * Hands the body, parsed, to `use`, and gives back what comes of it (HDR-5): at once where the body is there, which it is behind a middleware that has waited. One that
 * another middleware has parsed already is used, whatever it was: an object after the same checks of its structure; bytes and text are parsed here.
 * Throws 400, 408, 413 and 415 problems, or rejects with them.
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
  // Where somebody listens to the stream already, it passes by whoever does not listen at once.
  if (req.readableFlowing !== null) return settled(readAnyhow(carrier), use)
  // What came in one packet with the head is here by then: Node's parser has passed it on.
  return soon.then(() => settled(hasArrived(carrier) ? readArrived(carrier) : readAnyhow(carrier), use))
}

/**
 * The bytes of a body, decoded from its `Content-Encoding`, whatever they say. Coded and decoded they
 * keep to the limit. Rejects with 400, 408, 413 and 415 problems.
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
  // Another middleware, such as `express.text()`, has read and decoded it.
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
 * Whether all of the body has come already, so that nobody has to wait and listen for it: a timer and five listeners less. False also where it is too large or something
 * is unusual with the stream: then it is read as any other.
 */
function hasArrived({ req, length, options }: Carrier): boolean {
  // A message with a length ends with its last byte (RFC 9112 6.3). Whoever has taken some of it has put it back.
  if (req.readableLength !== length || length > options.bodyLimit) return false
  // Nobody has listened, piped, paused or asked for text.
  return req.readableFlowing === null && req.readableEncoding === null && !req.destroyed
}

function readArrived(carrier: Carrier): unknown {
  const { req, headers } = carrier
  checkCharset(carrier)
  const decode = decoderOf(headers)
  const bytes = req.read() as Uint8Array
  // So that the stream comes to its end.
  req.resume()
  return decoded(bytes, decode, carrier)
}

/** The body of a stream that somebody has read already, or that has to be listened to. */
function readAnyhow(carrier: Carrier): unknown {
  const { req, headers, options } = carrier
  const { body } = req as ExpressRequest
  // Express 4 leaves an empty object where its parsers have passed a body by: then it has not been read.
  const before = req.readableEnded ? body : undefined
  if (before === undefined) {
    checkCharset(carrier)
    const decode = decoderOf(headers)
    return readBytes(req, options).then((bytes) => decoded(bytes, decode, carrier))
  }
  if (typeof before !== 'string' && !(before instanceof Uint8Array)) {
    return taken(checkParsed(before, { depth: options.depthLimit }) ?? { value: before })
  }
  // Whoever has made text of it knew its charset, whoever has read it its coding.
  if (typeof before !== 'string') checkCharset(carrier)
  if (Buffer.byteLength(before) > options.bodyLimit) throw tooLarge(options)
  return parsed(before, carrier)
}

/** What stands in bytes as they came. Coded and decoded they keep to the limit, so that neither is a way round it. */
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

/** The media type, which is understood. */
function mediaTypeOf(headers: IncomingHttpHeaders, options: BodyOptions): MediaType {
  const field = headers['content-type']
  const media = field === undefined ? undefined : parseMediaType(field)
  if (media !== undefined && options.accepted.includes(media.type)) return media
  if (options.takes?.(media?.type ?? '') === true) return media ?? untyped
  const what = field === undefined ? 'The body has no Content-Type' : 'The Content-Type is not supported'
  throw unsupported(`${what}. Send ${options.accepted.join(' or ')}.`, options)
}

const untyped: MediaType = { type: '', parameters: new Map() }

/** XML says its charset itself as well: see `readXml`. */
function checkCharset({ media, options }: Carrier): void {
  if (media.parameters.size === 0) return
  const charset = charsetOf(media)
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || xmlTypes.includes(media.type)) return
  throw unsupported('JSON is UTF-8 (RFC 8259). Leave the charset out, or say utf-8.', options)
}

function unsupported(detail: string, { accepted, patch }: BodyOptions): HttpProblem {
  const headers = { [patch ? header.acceptPatch : header.accept]: accepted.join(', ') }
  const errors = [{ header: header.contentType, detail, allowed: accepted, code: 'unsupported', clause: 'HDR-5' }]
  return new HttpProblem('unsupported-content', { detail, headers, errors })
}

const tooLarge = ({ bodyLimit }: BodyOptions): HttpProblem =>
  new HttpProblem('body-too-large', { detail: `A body holds at most ${bodyLimit} bytes.`, headers: closing })

/** What is refused is left unread, so these answers close the connection. */
async function readBytes(req: IncomingMessage, options: BodyOptions): Promise<Uint8Array> {
  if (req.readableEnded || req.readableDidRead) {
    throw new ConfigurationError(
      'middleware-missing',
      'Another middleware has consumed the body without leaving it in req.body. Put it behind, or let it leave what it has parsed.',
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
        'Another middleware has called req.setEncoding(). Leave it out: bodies are bytes.',
      )
    }
    throw new HttpProblem('malformed-body', {
      detail: 'The body did not arrive whole.',
      headers: closing,
      cause: error,
    })
  }
}
