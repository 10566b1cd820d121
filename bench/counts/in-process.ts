/** A server of Node's with a connection that ends in this process: nothing takes part but Node's HTTP and the handler. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { Ask } from '../workloads/ask.js'
import type { Sent } from '../workloads/turns.js'

/** The server's end of a connection. It takes all at once, as a socket does that nobody fills. */
class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  /** How often something left: what is corked together leaves together. */
  writes = 0
  #parts: (string | Buffer)[] = []

  constructor() {
    super({ decodeStrings: false })
  }

  /** What was written since it was last asked for. */
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

  /** Bounds on time are no matter here. */
  setTimeout(): this {
    return this
  }
}

/** An answer as it was written. */
export interface Told {
  readonly status: number
  /** Names and values in turn. */
  readonly fields: readonly string[]
  readonly text: string
  readonly writes: number
}

export interface Watch {
  /** Node has read the head of the request, and nobody has it yet. */
  readonly before?: (req: IncomingMessage, res: ServerResponse) => void
  /** It is answered, and whatever that has set off at once has run. */
  readonly after?: () => void
}

/** Sends one request after the other, each in a turn of its own, with no promise and no timer from one to the next. */
export class Caller {
  readonly #connection = new Connection()
  readonly #server: Server
  #handler: RequestListener = () => {}
  #watch: Watch = {}
  #settled: () => void = () => {}

  constructor() {
    this.#server = createServer((req, res) => {
      // Node makes the date anew each second, by a timer: no request's own doing.
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

  /** The next request is sent when `told` returns another. */
  run(handler: RequestListener, watch: Watch, next: (told: Told | undefined) => Sent | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const send = (told: Told | undefined): void => {
        const sent = next(told)
        if (sent === undefined) resolve()
        else this.#connection.push(messageOf(sent))
      }
      this.#handler = handler
      this.#watch = watch
      this.#settled = () => {
        try {
          send(this.#told())
        } catch (error) {
          reject(error)
        }
      }
      // In a turn of its own, like those after it.
      setImmediate(send, undefined)
    })
  }

  /** As the benchmark's own workloads ask a server. */
  askerOf(handler: RequestListener): Ask {
    return async (path, { method = 'GET', headers = {} } = {}) => {
      let answer: Told | undefined
      await this.run(handler, {}, (told) => {
        answer = told
        return told === undefined ? { method, path, headers } : undefined
      })
      const { status, fields, text } = answer as Told
      const named: Record<string, string> = {}
      for (let at = 0; at < fields.length; at += 2)
        named[(fields[at] as string).toLowerCase()] = fields[at + 1] as string
      return { status, headers: named, text }
    }
  }

  #told(): Told {
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
