/** The one way an answer leaves: status, headers and body written at once, without Express's own tag and type. */
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

/** What is written behind the head at once: text as UTF-8, bytes as they are. */
export type WholeBody = string | Uint8Array | Octets

/** What is written behind the head. */
type Body = WholeBody | Streamed

/** An answer before it is written. */
export interface Answer {
  readonly status: number
  /** Nobody else's. */
  readonly headers: Headers
  readonly body?: Body
}

/** Ends the connection with the answer: for a request whose body is not read to its end. */
export const closing: Headers = Object.freeze({ [header.connection]: 'close' })

/** Writes an answer as `sendFirst` does, unless somebody has begun one. */
export function send(res: ServerResponse, answer: Answer, head: boolean): void {
  // What has ended has sent its headers.
  if (!res.headersSent) sendFirst(res, answer, head)
}

/**
 * Writes the answer to a request that has none yet; its headers are completed in place. What other middlewares have put into `Vary` and `Link` stays beside ours; a HEAD gets
 * the headers alone, with the length of the body that it does not get.
 */
export function sendFirst(res: ServerResponse, { status, headers, body: whole }: Answer, head: boolean): void {
  if (res.destroyed) {
    if (whole instanceof Streamed) whole.discard()
    return
  }
  // Somebody in front has a hand in the head of the answer, such as `compression`.
  const watched = Object.hasOwn(res, 'writeHead')
  if (watched && status === 304 && compresses(res, headers)) headers[header.vary] = mergeVary(headers[header.vary], header.acceptEncoding)
  const { [header.vary]: vary, [header.link]: links } = headers
  if (vary !== undefined) headers[header.vary] = mergeVary(res.getHeader(header.vary), vary)
  if (links !== undefined) headers[header.link] = mergeLinks(res.getHeader(header.link), links)
  if (whole instanceof Streamed) {
    stream(res, status, headers, whole, head)
    return
  }
  if (whole !== undefined) headers[header.contentLength] = String(lengthOf(whole))
  else if (status !== 204 && status !== 304) headers[header.contentLength] = '0'
  // Beside a length it would be a message that no client reads (RFC 9112 6.2).
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

/** Nobody knows how long it will be: HTTP/1.1 sends it in chunks, so that its end can be told from a cut (RFC 9112 7.1). */
function stream(res: ServerResponse, status: number, headers: Headers, body: Streamed, head: boolean): void {
  res.writeHead(status, headers)
  if (head) {
    body.discard()
    res.end()
  } else body.flowInto(res)
}

function lengthOf(body: WholeBody): number {
  if (body instanceof Octets) return body.bytes.length
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

function write(res: ServerResponse, status: number, headers: Headers, body: WholeBody | undefined): void {
  res.writeHead(status, headers)
  if (body === undefined) res.end()
  else if (headers[header.connection] === closing[header.connection] && !res.req.complete) {
    res.write(body instanceof Octets ? bufferOf(body) : body)
    passOver(res.req, () => res.end())
  } else if (body instanceof Octets) {
    // Who has put a function of his own in this place may take every text for UTF-8.
    if (res.end === end && res.write === writePart) res.end(body.bytes, 'latin1')
    else res.end(bufferOf(body))
  } else res.end(body)
}

const { end, write: writePart } = ServerResponse.prototype

/** Milliseconds for which a closing connection still takes what the client is sending. */
const lingering = 1000

/**
 * Lets the rest of a request's body pass unread before the connection closes: closed at once while data comes in, TCP resets it, and a client that is still sending
 * loses the answer (RFC 9112 9.6).
 */
function passOver(req: IncomingMessage, then: () => void): void {
  const done = (): void => {
    clearTimeout(timer)
    req.off('end', done).off('close', done)
    then()
  }
  const timer = setTimeout(done, lingering)
  req.once('end', done).once('close', done).resume()
}

/**
 * One link of a `Link` field (RFC 8288 3). What an address can't hold, though a raw request target may, is percent-encoded, so that none ends its link early.
 *
 * @example formatLink('http://host/v1/a b?sort=x,y', 'next') // '<http://host/v1/a%20b?sort=x,y>; rel="next"'
 */
export function formatLink(url: string, rel: string): string {
  return `<${linkable(url)}>; rel="${rel}"`
}

/** An address as a link can hold it. */
export const linkable = (url: string): string => url.replace(/[^\x21-\x7e]|[<>"\\^`{|}]/gu, percentEncoded)

/** Node gives the bytes of a target as Latin-1. */
function percentEncoded(character: string): string {
  const bytes = Buffer.from(character, character <= '\xff' ? 'latin1' : 'utf8')
  return bytes.toString('hex').replace(/../g, '%$&').toUpperCase()
}

/** Where and how a problem is told. */
export interface ProblemTelling {
  readonly representation: ProblemRepresentation
  readonly base: string | undefined
  readonly instance: string
  readonly requestId: string | undefined
  /** What the answer varies by. Default: `Accept`. */
  readonly vary?: string
  /** Gives it the form that errors of the service had before (ERR-3); `undefined`, also of what it gives: the form of the conventions. */
  readonly shaped?: ((facts: ProblemFacts) => WrittenShape | undefined) | undefined
}

const spellings = new Map(Object.values(header).map((name) => [name.toLowerCase(), name]))

/** Header fields under the spellings that `header` has for them, so that a field stands once whatever case it was written in. */
export function spelled(headers: Readonly<Record<string, string>>): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [spellings.get(name.toLowerCase()) ?? name, value]))
}

/** The answer that tells a problem: RFC 9457, never stored (ERR-3, HDR-6); 410 is empty (VER-2). */
export function problemAnswer(problem: HttpProblem, telling: ProblemTelling): Answer {
  const headers: Headers = { ...spelled(problem.headers), [header.cacheControl]: 'no-store' }
  if (problem.status === 410) return { status: 410, headers }
  const { representation, base, instance, requestId, vary = header.accept, shaped } = telling
  const place = { ...(base === undefined ? {} : { base }), instance, ...(requestId === undefined ? {} : { requestId }) }
  headers[header.vary] = mergeVary(headers[header.vary], vary)
  const facts = problemBody(problem, place)
  const own = shaped?.(facts as unknown as ProblemFacts)
  headers[header.contentType] = own?.contentType ?? representation.problemType
  return { status: own?.status ?? problem.status, headers, body: own?.body ?? representation.encodeProblem(facts) }
}
