/**
 * Responds with problem bodies (RFC 9457; ERR-3) to requests that Node itself refuses, such as
 * malformed or slow ones. Node usually refuses them before a handler runs, and would respond with a
 * bare status.
 */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { notify } from '../notify.js'
import { HttpProblem } from '../problem.js'
import { header } from '../wire.js'
import { currentResponse } from './connections.js'
import { type ProblemResponse, problemResponse } from './problem-response.js'
import type { ResolvedOptions } from './server-options.js'

/**
 * The longest time in milliseconds for which the connection stays open after a refusal, while
 * further input of the client is read and discarded. If the connection were closed at once, the
 * client might never see the response (RFC 9112 9.6).
 */
const lingerTime = 1_000

/** An error of Node's parser, of one of Node's timeouts, or of the connection. */
interface ClientError extends Error {
  readonly code?: string
  /** The parser's description, such as `Invalid method encountered`. */
  readonly reason?: string
  /** The bytes that the parser was given when it failed: usually the whole head of the request. */
  readonly rawPacket?: Buffer
}

/**
 * Responds to requests that Node refuses with a `clientError` event, unless the service has its own
 * listener for this event.
 */
export function answerClientErrors(server: Server, options: ResolvedOptions): void {
  const answered = new WeakSet<Socket>()
  server.on('clientError', (error: ClientError, stream) => {
    const socket = stream as Socket
    // If the service has its own `clientError` listener, that listener sends the response, as it
    // would with a plain Node server. Errors that follow a refusal on the same connection are
    // ignored.
    if (server.listenerCount('clientError') > 1 || answered.has(socket)) return
    answered.add(socket)
    const current = currentResponse(socket)
    const problem = canAnswer(socket, current) ? problemOf(error, options) : undefined
    const requestId = problem === undefined ? undefined : randomUUID()
    notify(options.onClientError, () => error, problem, requestId)
    if (problem === undefined || requestId === undefined) {
      socket.destroy(error)
      return
    }
    const text = answer(problem, requestId, { ...options, isHead: isHead(error, current) })
    if (current !== undefined) {
      // A handler has begun to process this request (or an earlier request of the pipeline). No
      // further input can be parsed, so the socket is destroyed at once. If the handler is still
      // reading the body, the read ends with an error.
      socket.write(text)
      socket.destroy(error)
      return
    }
    socket.end(text)
    const timer = setTimeout(() => socket.destroy(), lingerTime)
    socket.once('close', () => clearTimeout(timer))
  })
}

/**
 * Whether a response may be written to the socket. A response must not be inserted into another
 * response. A client that has sent nothing gets no response, because it might mistake a 408 for the
 * response to its first request.
 */
const canAnswer = (socket: Socket, current: ServerResponse | undefined): boolean =>
  socket.writable && current?.headersSent !== true && socket.bytesRead > 0

/**
 * Whether the refused request is a HEAD. The response to a HEAD must have no body: clients would
 * mistake the bytes of a body for the next response (RFC 9110 9.3.2). If the request line and the
 * header fields arrived in several pieces, a HEAD might not be recognized.
 */
const isHead = ({ rawPacket }: ClientError, current: ServerResponse | undefined): boolean =>
  current === undefined ? rawPacket?.toString('latin1', 0, 5) === 'HEAD ' : current.req.method === 'HEAD'

function problemOf({ code = '', reason }: ClientError, options: ResolvedOptions): HttpProblem | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem('headers-too-large', { detail: overflowOf(options) })
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new HttpProblem('body-too-large', {
      detail: 'The chunk extensions are too long. Send the chunks without extensions.',
    })
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpProblem('request-timeout', {
      detail: 'Send the whole request again, without long pauses.',
    })
  }
  if (!code.startsWith('HPE_')) return undefined
  return new HttpProblem('bad-request', {
    detail: `The request is not well-formed HTTP/1.1${reason === undefined ? '' : `: ${reason}`}.`,
  })
}

/**
 * Node releases after Node 20 use the same error code for too many header fields and for header
 * fields that are too large, so the message names both limits.
 */
function overflowOf({ maxHeaderSize, maxHeadersCount }: ResolvedOptions): string {
  const fields = maxHeadersCount === 0 ? '' : `, or there are more than ${maxHeadersCount} fields`
  return `The request line and the header fields exceed ${maxHeaderSize} bytes${fields}. Send fewer or shorter fields.`
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
  // A server with a clock sends the date (RFC 9110 6.6.1). Node adds `Date` only to the responses
  // of handlers.
  return `${head.join('\r\n')}\r\nDate: ${new Date().toUTCString()}\r\n\r\n${options.isHead ? '' : fields.body}`
}

/**
 * The header fields and the body of a response to a refused request. The header fields include
 * those that OpenAPI documents declare for every problem.
 */
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
 * Wraps `listener` so that it is called only for requests that have all of their header fields.
 * Node 20 silently drops the fields beyond its limit. A request that has lost its `If-Match` or
 * `Authorization` has a different meaning. `onClientError` is not called for the 431 that this
 * wrapper sends.
 */
export function refusingTooManyFields(listener: RequestListener, options: ResolvedOptions): RequestListener {
  const maxRaw = options.maxHeadersCount * 2
  if (maxRaw === 0) return listener
  return function requestListener(this: unknown, req: IncomingMessage, res: ServerResponse): void {
    if (req.rawHeaders.length <= maxRaw) {
      listener.call(this as never, req, res as never)
      return
    }
    const detail = `There are more than ${options.maxHeadersCount} header fields. Send fewer.`
    const { head, body } = answerFields(new HttpProblem('headers-too-large', { detail }), randomUUID(), options)
    res.writeHead(431, head).end(body)
  }
}
