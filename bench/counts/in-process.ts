/**
 * A Node server with a connection inside this process. Only Node's HTTP code and the handler run
 * for a request.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { Ask } from '../workloads/ask.js'
import type { Sent } from '../workloads/turns.js'

/**
 * The server's end of a connection. It accepts all data immediately, as a socket with free buffer
 * space does.
 */
class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  /** The number of writes. Corked writes count as one. */
  writes = 0
  #parts: (string | Buffer)[] = []

  constructor() {
    super({ decodeStrings: false })
  }

  /** Returns the data that was written since the last call. */
  written(): string {
    const text = Buffer.concat(this.#parts.map((part) => Buffer.from(part))).toString()
    this.#parts = []
    return text
  }

  override _read(): void {}

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.writes += 1
    this.#parts.push(chunk)
    done()
  }

  override _writev(chunks: { chunk: string | Buffer }[], done: () => void): void {
    this.writes += 1
    for (const { chunk } of chunks) this.#parts.push(chunk)
    done()
  }

  /** Does nothing, because timeouts do not matter here. */
  setTimeout(): this {
    return this
  }
}

/** A response, parsed from the data that the server wrote. */
export interface Received {
  readonly status: number
  /** Header fields: names and values alternate. */
  readonly fields: readonly string[]
  readonly text: string
  readonly writes: number
}

export interface Watch {
  /** Called when Node has parsed the head of a request, before the handler. */
  readonly before?: (req: IncomingMessage, res: ServerResponse) => void
  /** Called one turn of the event loop after the response was sent. */
  readonly after?: () => void
}

/**
 * Sends requests one after the other, each in its own turn of the event loop. Creates no promise
 * and no timer between two requests.
 */
export class Caller {
  readonly #connection = new Connection()
  readonly #server: Server
  #handler: RequestListener = () => {}
  #watch: Watch = {}
  #settled: () => void = () => {}

  constructor() {
    this.#server = createServer((req, res) => {
      // Node formats the `Date` field once a second, with a timer. That is not a cost of a single
      // request.
      res.sendDate = false
      const settled = (): void => {
        this.#watch.after?.()
        this.#settled()
      }
      res.on('finish', () => void setImmediate(settled))
      this.#watch.before?.(req, res)
      this.#handler(req, res)
    })
    this.#server.emit('connection', this.#connection)
  }

  /**
   * Sends the requests that `next` returns, until it returns `undefined`. `next` gets the previous
   * response.
   */
  run(
    handler: RequestListener,
    watch: Watch,
    next: (received: Received | undefined) => Sent | undefined,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const send = (received: Received | undefined): void => {
        const sent = next(received)
        if (sent === undefined) resolve()
        else this.#connection.push(messageOf(sent))
      }
      this.#handler = handler
      this.#watch = watch
      this.#settled = () => {
        try {
          send(this.#received())
        } catch (error) {
          reject(error)
        }
      }
      // The first request is sent in its own turn of the event loop, as all later requests are.
      setImmediate(send, undefined)
    })
  }

  /** Returns a client that the benchmark's workloads can use. */
  askerOf(handler: RequestListener): Ask {
    return async (path, { method = 'GET', headers = {} } = {}) => {
      let answer: Received | undefined
      await this.run(handler, {}, (received) => {
        answer = received
        return received === undefined ? { method, path, headers } : undefined
      })
      const { status, fields, text } = answer as Received
      const named: Record<string, string> = {}
      for (let at = 0; at < fields.length; at += 2)
        named[(fields[at] as string).toLowerCase()] = fields[at + 1] as string
      return { status, headers: named, text }
    }
  }

  #received(): Received {
    const { writes } = this.#connection
    this.#connection.writes = 0
    const text = this.#connection.written()
    const end = text.indexOf('\r\n\r\n')
    const [first = '', ...lines] = text.slice(0, end).split('\r\n')
    const fields = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    return { status: Number(first.split(' ')[1]), fields, text: text.slice(end + 4), writes }
  }
}

function messageOf({ method = 'GET', path, headers = {}, body }: Sent): Buffer {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const fields = Object.entries({ host: 'bench.example', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join('')}\r\n${body ?? ''}`)
}
