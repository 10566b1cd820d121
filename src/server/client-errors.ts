/** What is refused before any handler sees it: as problems (ERR-3) where Node alone would give a bare status. */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HttpProblem } from '../problem.js'
import { header } from '../wire.js'
import { currentResponse } from './connections.js'
import { type ProblemResponse, problemResponse } from './problem-response.js'
import type { ResolvedOptions } from './server-options.js'

/** Milliseconds for which what a refused client still sends is read and thrown away: closed at once, it might never see the answer (RFC 9112 9.6). */
const lingering = 1_000

/** An error of Node's parser. */
interface ClientError extends Error {
  readonly code?: string
  /** The parser's own words, such as `Invalid method encountered`. */
  readonly reason?: string
  /** The bytes that the parser was given when it gave up: mostly the whole head. */
  readonly rawPacket?: Buffer
}

/** Answers what Node's parser refuses, until the service has a `clientError` listener of its own. */
export function answerClientErrors(server: Server, options: ResolvedOptions): void {
  const answered = new WeakSet<Socket>()
  server.on('clientError', (error: ClientError, stream) => {
    const socket = stream as Socket
    // Whoever listens answers, as with Node's own server. What comes behind a refusal is no news.
    if (server.listenerCount('clientError') > 1 || answered.has(socket)) return
    answered.add(socket)
    const current = currentResponse(socket)
    const problem = canAnswer(socket, current) ? problemOf(error, options) : undefined
    const requestId = problem === undefined ? undefined : randomUUID()
    options.onClientError?.(error, problem, requestId)
    if (problem === undefined || requestId === undefined) {
      socket.destroy(error)
      return
    }
    const text = answer(problem, requestId, { ...options, isHead: isHead(error, current) })
    if (current !== undefined) {
      // A handler waits for the rest of this request: it has to hear at once that there is none.
      socket.write(text)
      socket.destroy(error)
      return
    }
    socket.end(text)
    const timer = setTimeout(() => socket.destroy(), lingering)
    socket.once('close', () => clearTimeout(timer))
  })
}

/** Nothing may be put into the middle of another answer, and who has not asked gets none: its first request might take a 408 for its own. */
const canAnswer = (socket: Socket, current: ServerResponse | undefined): boolean =>
  socket.writable && current?.headersSent !== true && socket.bytesRead > 0

/**
 * Whether the answer is one to a HEAD, which has no body: clients take its bytes for another answer
 * (RFC 9110 9.3.2). Of a head that comes in pieces, nobody knows.
 */
const isHead = ({ rawPacket }: ClientError, current: ServerResponse | undefined): boolean =>
  current === undefined ? rawPacket?.toString('latin1', 0, 5) === 'HEAD ' : current.req.method === 'HEAD'

function problemOf({ code = '', reason }: ClientError, options: ResolvedOptions): HttpProblem | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem('headers-too-large', { detail: overflowOf(options) })
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new HttpProblem('body-too-large', {
      detail: 'The extensions of the chunks are too long. Send the chunks without.',
    })
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpProblem('request-timeout', {
      detail: 'The whole request has to be sent without a long pause. Send it again.',
    })
  }
  if (!code.startsWith('HPE_')) return undefined
  return new HttpProblem('bad-request', {
    detail: `This is no well-formed HTTP/1.1${reason === undefined ? '' : `: ${reason}`}.`,
  })
}

/** Later releases of Node say the same of too many fields as of too large ones. */
function overflowOf({ maxHeaderSize, maxHeadersCount }: ResolvedOptions): string {
  const fields = maxHeadersCount === 0 ? '' : `, or more than ${maxHeadersCount} fields`
  return `The request line and the header fields are more than ${maxHeaderSize} bytes${fields}. Send fewer or shorter ones.`
}

function answer(
  problem: HttpProblem,
  requestId: string,
  options: ResolvedOptions & { readonly isHead: boolean },
): string {
  const fields = answerFields(problem, requestId, options)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(fields.head).map((field) => field.join(': ')),
  ]
  // A server with a clock says the date (RFC 9110 6.6.1); on answers of a handler Node does.
  return `${head.join('\r\n')}\r\nDate: ${new Date().toUTCString()}\r\n\r\n${options.isHead ? '' : fields.body}`
}

/** The fields that every problem has: what a document says of 400 holds here too. */
function answerFields(problem: HttpProblem, requestId: string, { problemBase }: ResolvedOptions): ProblemResponse {
  const { head, body } = problemResponse(problem, {
    requestId,
    ...(problemBase === undefined ? {} : { base: problemBase }),
  })
  const always = {
    [header.cacheControl]: 'no-store',
    [header.vary]: header.accept,
    [header.requestId]: requestId,
    [header.connection]: 'close',
  }
  return { head: { ...head, ...always }, body }
}

/**
 * `listener`, for requests whose header fields are all there. Node 20 drops those beyond the bound in silence, and a request that has lost its `If-Match` or its
 * `Authorization` that way is another one.
 */
export function withAllFields(listener: RequestListener, options: ResolvedOptions): RequestListener {
  const most = options.maxHeadersCount * 2
  if (most === 0) return listener
  return function requestListener(this: unknown, req: IncomingMessage, res: ServerResponse): void {
    if (req.rawHeaders.length <= most) {
      listener.call(this as never, req, res as never)
      return
    }
    const detail = `There are more than ${options.maxHeadersCount} header fields. Send fewer.`
    const { head, body } = answerFields(new HttpProblem('headers-too-large', { detail }), randomUUID(), options)
    res.writeHead(431, head).end(body)
  }
}
