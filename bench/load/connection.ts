/**
 * A keep-alive connection that sends one request at a time. It implements only the parts of
 * HTTP/1.1 that the benchmark's servers need, so that the load generator uses less CPU time than
 * the server.
 */
import { connect, type Socket } from 'node:net'
import type { Sent } from '../workloads/turns.js'

export interface Reply {
  readonly status: number
  readonly tag: string | undefined
}

type Waiting = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void }

/**
 * The timeout of a response, in milliseconds. No request of the benchmark takes this long, even on
 * a busy machine.
 */
const replyTimeout = 30_000

export class Connection {
  readonly #socket: Socket
  readonly #host: string
  readonly #common: string
  #buffered: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined
  /**
   * Serialized requests. Most workloads repeat the same few requests, which are serialized only
   * once.
   */
  readonly #written = new Map<Sent, Buffer>()

  constructor(
    port: number,
    common: Readonly<Record<string, string>>,
    /** Whether the entity tags of responses are needed. */
    readonly tags: boolean,
  ) {
    this.#host = `host: 127.0.0.1:${port}\r\n`
    this.#common = fields(common)
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.setTimeout(replyTimeout, () =>
      this.#waiting?.reject(new Error(`The server has not responded for ${replyTimeout / 1000} s.`)),
    )
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#waiting?.reject(error))
    this.#socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection.')))
  }

  send(sent: Sent, keep: boolean): Promise<Reply> {
    let bytes = this.#written.get(sent)
    if (bytes === undefined) {
      bytes = this.#write(sent)
      if (keep) this.#written.set(sent, bytes)
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(bytes)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #write({ method = 'GET', path, headers = {}, body }: Sent): Buffer {
    const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
    const host = headers.host === undefined ? this.#host : ''
    return Buffer.from(
      `${method} ${path} HTTP/1.1\r\n${host}${this.#common}${fields(headers)}${length}\r\n${body ?? ''}`,
    )
  }

  #read(chunk: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    const parsed = parseReply(this.#buffered, this.tags)
    if (parsed === undefined) return
    this.#buffered = Buffer.alloc(0)
    const waiting = this.#waiting
    this.#waiting = undefined
    if (parsed instanceof Error) waiting?.reject(parsed)
    else waiting?.resolve(parsed)
  }
}

const fields = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/**
 * Parses the received data. Returns `undefined` while the response is incomplete (RFC 9112 6.3),
 * and an `Error` if the data is not a final HTTP/1.1 response. The data contains at most one
 * response, because requests are sequential.
 */
export function parseReply(bytes: Buffer, tags: boolean): Reply | Error | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end + 2)
  const status = Number(head.slice(9, 12))
  if (!head.startsWith('HTTP/1.1 ') || !(status >= 200))
    return new Error(`This is not a response: ${head.slice(0, 40)}`)
  if (!isComplete(bytes, head, end + 4, status)) return undefined
  return { status, tag: tags ? /\r\netag: *([^\r]+)/i.exec(head)?.[1] : undefined }
}

function isComplete(bytes: Buffer, head: string, bodyAt: number, status: number): boolean {
  if (status === 304 || status === 204) return true
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= bodyAt + Number(length)
  return bytes.toString('latin1', bytes.length - 5) === '0\r\n\r\n'
}
