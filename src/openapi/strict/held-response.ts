/** Holds an answer until its end, so that it can still be replaced. */
import { type OutgoingHttpHeaders, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'

/** An answer before it leaves. `body` is `undefined` where it is streamed: its head has left by then. */
export interface Held {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer | undefined
}

/**
 * Shows an answer before it leaves: `judge` gives what is to leave in its place, or `undefined`
 * where it may leave as it is. Of a streamed answer the head alone is shown, and leaves in any case.
 */
export function holdResponse(res: ServerResponse, judge: (held: Held) => Buffer | undefined): void {
  const { writeHead, write, end } = res
  let head: readonly unknown[] | undefined
  let status = 0
  let given: ReadonlyMap<string, string> = new Map()
  const free = (): void => {
    res.writeHead = writeHead
    res.write = write
    res.end = end
  }
  const leave = (): void => {
    free()
    if (head !== undefined) Reflect.apply(writeHead, res, head)
  }
  res.writeHead = ((...args: readonly unknown[]) => {
    for (const [name, value] of Object.entries(args.find(isFields) ?? {})) {
      // As Node does it, so that a field that no answer can have is still a failure of the service.
      validateHeaderName(name)
      validateHeaderValue(name, String(value))
    }
    head = args
    status = Number(args[0])
    given = new Map(Object.entries(args.find(isFields) ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]))
    return res
  }) as typeof res.writeHead
  const headersOf = (): ReadonlyMap<string, string> => new Map([...fieldsOf(res.getHeaders()), ...given])
  const show = (body: Buffer | undefined): Buffer | undefined =>
    judge({ status: head === undefined ? res.statusCode : status, headers: headersOf(), body })
  res.write = ((...args: readonly unknown[]) => {
    show(undefined)
    leave()
    return Reflect.apply(write, res, args)
  }) as typeof res.write
  res.end = ((...args: readonly unknown[]) => {
    const [chunk, encoding] = args
    const body =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : chunk instanceof Uint8Array
          ? Buffer.from(chunk)
          : Buffer.alloc(0)
    const other = show(body)
    if (other === undefined) {
      leave()
      return Reflect.apply(end, res, args)
    }
    free()
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    res.writeHead(500, { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
    return res.end(other)
  }) as typeof res.end
}

const fieldsOf = (headers: OutgoingHttpHeaders): readonly (readonly [string, string])[] =>
  Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), String(value)] as const]))

const isFields = (arg: unknown): arg is object => typeof arg === 'object' && arg !== null
