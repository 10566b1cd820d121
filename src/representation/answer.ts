/**
 * Writes responses: the status, the header fields and the body together. The methods of Express are
 * not used, because they would add an entity tag and a content type.
 */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { ProblemFacts, WrittenShape } from '../conventions/shape.js'
import { type HttpProblem, problemBody } from '../problem.js'
import { header } from '../wire.js'
import { compresses, followCoding } from './coded-tags.js'
import type { ProblemRepresentation } from './encoding.js'
import { mergeLinks, mergeVary } from './header-fields.js'
import { bufferOf, Octets } from './octets.js'
import { Streamed } from './streamed.js'

export type Headers = Record<string, string>

/**
 * A body that is written in one piece. A string is written as UTF-8, and bytes are written
 * unchanged.
 */
export type WholeBody = string | Uint8Array | Octets

/** The body of a response. */
type Body = WholeBody | Streamed

/** A response before it is written. */
export interface Answer {
  readonly status: number
  /** The object belongs only to this response, so it may be modified. */
  readonly headers: Headers
  readonly body?: Body
}

/**
 * Header fields that close the connection after the response. They are used if the request's body
 * is not read completely.
 */
export const closing: Headers = Object.freeze({ [header.connection]: 'close' })

/**
 * Writes a response as `sendFirst` does, unless the header fields of a response have already been
 * sent.
 */
export function send(res: ServerResponse, answer: Answer, head: boolean): void {
  // `headersSent` is also true for a response that has ended.
  if (!res.headersSent) sendFirst(res, answer, head)
}

/**
 * Writes the response to a request that has no response yet. Modifies `headers`. Keeps the names
 * and links that other middlewares have put into `Vary` and `Link`. If `head` is true, only the
 * header fields are sent, including the length of the omitted body if the length is known.
 */
export function sendFirst(res: ServerResponse, { status, headers, body: whole }: Answer, head: boolean): void {
  if (res.destroyed) {
    if (whole instanceof Streamed) whole.discard()
    return
  }
  // True if a middleware in front of the service, such as `compression`, has replaced `writeHead`.
  const watched = Object.hasOwn(res, 'writeHead')
  if (watched && status === 304 && compresses(res, headers))
    headers[header.vary] = mergeVary(headers[header.vary], header.acceptEncoding)
  const { [header.vary]: vary, [header.link]: links } = headers
  if (vary !== undefined) headers[header.vary] = mergeVary(res.getHeader(header.vary), vary)
  if (links !== undefined) headers[header.link] = mergeLinks(res.getHeader(header.link), links)
  if (whole instanceof Streamed) {
    stream(res, status, headers, whole, head)
    return
  }
  if (whole !== undefined) headers[header.contentLength] = String(lengthOf(whole))
  else if (status !== 204 && status !== 304) headers[header.contentLength] = '0'
  // A message must not have both a length and a transfer coding (RFC 9112 6.2).
  if (headers[header.transferEncoding] !== undefined) delete headers[header.transferEncoding]
  const body = head ? undefined : whole
  const tag = headers[header.etag]
  if (!watched || tag === undefined) {
    write(res, status, headers, body)
    return
  }
  const release = followCoding(res, tag)
  try {
    write(res, status, headers, body)
  } finally {
    release()
  }
}

/**
 * Streams a body of unknown length. HTTP/1.1 sends it in chunks, so that clients can distinguish
 * its end from a truncation (RFC 9112 7.1).
 */
function stream(res: ServerResponse, status: number, headers: Headers, body: Streamed, head: boolean): void {
  res.writeHead(status, headers)
  if (head) {
    body.discard()
    res.end()
  } else body.flowInto(res)
}

function lengthOf(body: WholeBody): number {
  if (body instanceof Octets) return body.binaryString.length
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

function write(res: ServerResponse, status: number, headers: Headers, body: WholeBody | undefined): void {
  res.writeHead(status, headers)
  if (body === undefined) res.end()
  else if (headers[header.connection] === closing[header.connection] && !res.req.complete) {
    res.write(body instanceof Octets ? bufferOf(body) : body)
    discardBody(res.req, () => res.end())
  } else if (body instanceof Octets) {
    // If a middleware has replaced `end` or `write`, the replacement may treat every string as
    // UTF-8.
    if (res.end === end && res.write === writePart) res.end(body.binaryString, 'latin1')
    else res.end(bufferOf(body))
  } else res.end(body)
}

const { end, write: writePart } = ServerResponse.prototype

/**
 * The maximum time, in milliseconds, for which the server still reads from a connection that will
 * be closed.
 */
const lingering = 1000

/**
 * Reads and discards the rest of a request's body, for at most `lingering` ms. Then calls `then`,
 * which ends the response. If the connection closed while data was still arriving, TCP would reset
 * the connection, and the client could lose the response (RFC 9112 9.6).
 */
function discardBody(req: IncomingMessage, then: () => void): void {
  const done = (): void => {
    clearTimeout(timer)
    req.off('end', done).off('close', done)
    then()
  }
  const timer = setTimeout(done, lingering)
  req.once('end', done).once('close', done).resume()
}

/**
 * Formats one link of a `Link` field (RFC 8288 3). A raw request target may contain characters that
 * a URI does not allow. These characters are percent-encoded, so that none of them ends the link
 * early.
 *
 * @example
 * formatLink('http://host/v1/a b?sort=x,y', 'next')
 * // '<http://host/v1/a%20b?sort=x,y>; rel="next"'
 */
export function formatLink(url: string, rel: string): string {
  return `<${linkable(url)}>; rel="${rel}"`
}

/** Percent-encodes the characters of a URL that a link must not contain. */
export const linkable = (url: string): string => url.replace(/[^\x21-\x7e]|[<>"\\^`{|}]/gu, percentEncoded)

/**
 * Percent-encodes a character. Node decodes the bytes of a request target as Latin-1, so a
 * character up to U+00FF stands for one byte.
 */
function percentEncoded(character: string): string {
  const bytes = Buffer.from(character, character <= '\xff' ? 'latin1' : 'utf8')
  return bytes.toString('hex').replace(/../g, '%$&').toUpperCase()
}

/** How a problem is written. */
export interface ProblemContext {
  readonly representation: ProblemRepresentation
  readonly base: string | undefined
  readonly instance: string
  readonly requestId: string | undefined
  /** The names that are added to `Vary`. Default: `Accept`. */
  readonly vary?: string
  /**
   * Returns a problem in the form that the service's errors had before the service followed ERR-3.
   * If this function is absent or returns `undefined`, the problem has the form of the conventions.
   */
  readonly shaped?: ((facts: ProblemFacts) => WrittenShape | undefined) | undefined
  /**
   * The value of `WWW-Authenticate` that is added to a 401 without this field, such as a 401 thrown
   * by a permission function.
   */
  readonly challenge?: string | undefined
}

const spellings = new Map(Object.values(header).map((name) => [name.toLowerCase(), name]))

/**
 * Changes the names of header fields to the spelling in the object `header`, so that no field
 * occurs in two spellings, such as `Link` and `link`. Names that `header` does not contain stay
 * unchanged.
 */
export function spelled(headers: Readonly<Record<string, string>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [spellings.get(name.toLowerCase()) ?? name, value]),
  )
}

/**
 * Returns the response for a problem, in the format of RFC 9457 unless `shaped` returns another
 * format (ERR-3). Caches must not store the response (HDR-6). A 410 has no body (VER-2).
 */
export function problemAnswer(problem: HttpProblem, options: ProblemContext): Answer {
  const headers: Headers = { ...spelled(problem.headers), [header.cacheControl]: 'no-store' }
  if (problem.status === 410) return { status: 410, headers }
  const { representation, base, instance, requestId, vary = header.accept, shaped, challenge } = options
  // A 401 must have a challenge (RFC 9110 15.5.2).
  if (problem.status === 401 && challenge !== undefined) headers[header.wwwAuthenticate] ??= challenge
  const place = { ...(base === undefined ? {} : { base }), instance, ...(requestId === undefined ? {} : { requestId }) }
  headers[header.vary] = mergeVary(headers[header.vary], vary)
  const facts = problemBody(problem, place)
  const own = shaped?.(facts as unknown as ProblemFacts)
  headers[header.contentType] = own?.contentType ?? representation.problemType
  return { status: own?.status ?? problem.status, headers, body: own?.body ?? representation.encodeProblem(facts) }
}
