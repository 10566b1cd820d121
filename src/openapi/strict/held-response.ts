/**
 * Passes responses to a function. `holdResponse` passes a response before it is sent, so that it
 * can still be replaced. `watchResponse` passes a response after it has ended.
 */
import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import { isContainer } from '../../definition/json.js'
import { headFields } from '../../http/head-fields.js'

/**
 * A response. `body` is `undefined` if the whole body is not known, because it is too long, or
 * because the header fields were flushed before the body was written.
 */
export interface Held {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer | undefined
}

/** The maximum size of a buffered body in bytes. */
const maxBytes = 1_048_576

/** Buffers a body up to the maximum size. */
class KeptBody {
  #pieces: Buffer[] = []
  #bytes = 0

  /** Adds the chunk in the arguments of `write` or `end`. */
  add([chunk, encoding]: readonly unknown[]): void {
    const isText = typeof chunk === 'string'
    if (!isText && !(chunk instanceof Uint8Array)) return
    const piece = isText
      ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(chunk)
    this.#bytes += piece.length
    if (this.isWhole) this.#pieces.push(piece)
    else this.#pieces = []
  }

  get isWhole(): boolean {
    return this.#bytes <= maxBytes
  }

  whole(): Buffer | undefined {
    return this.isWhole ? Buffer.concat(this.#pieces) : undefined
  }
}

/** Calls `inspect` when a response ends. The response is sent unchanged and without delay. */
export function watchResponse(res: ServerResponse, inspect: (held: Held) => void): void {
  const { writeHead, write, end } = res
  const kept = new KeptBody()
  let head: readonly unknown[] = []
  res.writeHead = ((...args: readonly unknown[]) => {
    head = args
    return Reflect.apply(writeHead, res, args)
  }) as typeof res.writeHead
  res.write = ((...args: readonly unknown[]) => {
    kept.add(args)
    return Reflect.apply(write, res, args)
  }) as typeof res.write
  res.end = ((...args: readonly unknown[]) => {
    const isFirst = !res.writableEnded
    if (isFirst) kept.add(args)
    const result: unknown = Reflect.apply(end, res, args)
    if (isFirst) inspect({ status: res.statusCode, headers: fieldsOf(res, head), body: kept.whole() })
    return result
  }) as typeof res.end
}

/**
 * Holds a response until it ends or exceeds 1 MiB, or until `flushHeaders()` is called. `inspect`
 * returns the body of a 500 that replaces the response, or `undefined` to send the response
 * unchanged.
 */
export function holdResponse(res: ServerResponse, inspect: (held: Held) => Buffer | undefined): void {
  const { writeHead, write, end, flushHeaders } = res
  const kept = new KeptBody()
  const held: (readonly unknown[])[] = []
  let head: readonly unknown[] = []
  /**
   * Sends the held response and returns true, or sends the 500 and returns false. `body`: the
   * complete body, if it is known.
   */
  const release = (body: Buffer | undefined): boolean => {
    const status = typeof head[0] === 'number' ? head[0] : res.statusCode
    const other = inspect({ status, headers: fieldsOf(res, head), body })
    Object.assign(res, { writeHead, write, end, flushHeaders })
    Reflect.deleteProperty(res, 'headersSent')
    if (other === undefined) {
      if (head.length > 0) Reflect.apply(writeHead, res, head)
      for (const args of held) Reflect.apply(write, res, args)
      return true
    }
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    res.writeHead(500, { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
    res.end(other)
    // Anything that the service writes afterwards is discarded.
    Object.assign(res, { write: () => true, end: () => res })
    return false
  }
  /** Makes `headersSent` true, as it would be without the hold. */
  const markHeadersSent = (): void => {
    Object.defineProperty(res, 'headersSent', { value: true, configurable: true })
  }
  res.writeHead = ((...args: readonly unknown[]) => {
    for (const [name, value] of headFields(args.find(isContainer))) {
      // The fields are validated as in Node, so that the service still gets an exception for an
      // invalid field.
      validateHeaderName(name)
      validateHeaderValue(name, String(value))
    }
    head = args
    markHeadersSent()
    return res
  }) as typeof res.writeHead
  res.write = ((...args: readonly unknown[]) => {
    kept.add(args)
    markHeadersSent()
    if (!kept.isWhole) return release(undefined) && Reflect.apply(write, res, args)
    held.push(args)
    return true
  }) as typeof res.write
  res.flushHeaders = () => {
    if (release(undefined)) res.flushHeaders()
  }
  res.end = ((...args: readonly unknown[]) => {
    kept.add(args)
    return release(kept.whole()) ? Reflect.apply(end, res, args) : res
  }) as typeof res.end
}

/**
 * Returns all header fields of a response, including those passed to `writeHead`, by name in lower
 * case.
 */
function fieldsOf(res: ServerResponse, head: readonly unknown[]): ReadonlyMap<string, string> {
  const values = new Map(Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]))
  const given = headFields(head.find(isContainer)).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  for (const [name] of given) values.delete(name)
  for (const [name, value] of given) values.set(name, values.has(name) ? `${values.get(name)}, ${value}` : value)
  return values
}
