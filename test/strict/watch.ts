/**
 * Watches every service of the tests: when a test ends, the responses of its services are compared
 * with their OpenAPI documents. Watching neither changes nor delays a response, so a test behaves
 * as it does without watching.
 */
import { ServerResponse } from 'node:http'
import { splitTarget } from '../../src/http/targets.js'
import type { Middleware } from '../../src/middleware/middleware.js'
import type { SentResponse } from '../../src/openapi/strict/answered.js'

/** A request that a service has received. */
interface Visit {
  readonly service: object
  readonly method: string
  readonly path: string
  /** The names of the header fields that were set before the service was called. */
  readonly before: ReadonlySet<string>
  /**
   * The same request, as the service that called this service received it. `undefined` if no other
   * service called this service.
   */
  readonly outer: Visit | undefined
}

interface Pending {
  readonly visit: Visit
  /** Whether the body may violate its schema. See `withBrokenRows`. */
  readonly mayNotFit: boolean
  readonly answered: Omit<SentResponse, 'path' | 'method'>
}

interface Body {
  pieces: Buffer[]
  bytes: number
}

/**
 * The longest body that is compared, in bytes. If a body is longer, only the status and the header
 * fields are compared.
 */
const maxBytes = 1_048_576

/**
 * Maps each response to the request that a service currently handles. A response has no entry while
 * the app or a hand-written route handles its request.
 */
const turns = new WeakMap<ServerResponse, Visit>()
const bodies = new WeakMap<ServerResponse, Body>()
let pending: Pending[] = []
let mayNotFit = false

/** Returns the responses that have ended since the last call of this function. */
export function takePending(): readonly Pending[] {
  const taken = pending
  pending = []
  return taken
}

/**
 * Runs a part of a test in which the service reads rows that violate their schema. Other sessions
 * wrote these rows, and the library returns them unchanged. So the bodies of the responses in this
 * part need not match the document. Everything else must match.
 */
export async function withBrokenRows<T>(work: () => Promise<T>): Promise<T> {
  mayNotFit = true
  try {
    return await work()
  } finally {
    mayNotFit = false
  }
}

/**
 * Returns the service with watched responses. The responses that later middlewares send are not
 * watched.
 */
export function watchService<S extends Middleware>(service: S): S {
  return new Proxy(service, {
    apply(target, self, args: readonly unknown[]) {
      const [req, res, next] = args as Parameters<Middleware>
      if (!(res instanceof ServerResponse)) return Reflect.apply(target, self, args)
      const outer = turns.get(res)
      const visit: Visit = {
        service,
        method: req.method ?? 'GET',
        path: splitTarget(req.url ?? '/').path,
        before: new Set(res.getHeaderNames()),
        outer,
      }
      turns.set(res, visit)
      bodies.set(res, bodies.get(res) ?? { pieces: [], bytes: 0 })
      const passOn = (error?: unknown): void => {
        turn(res, outer)
        Reflect.apply(next as (error?: unknown) => void, undefined, error === undefined ? [] : [error])
      }
      return Reflect.apply(target, self, [req, res, passOn, ...args.slice(3)])
    },
  })
}

/** Wraps hand-written routes, so that their responses are not watched. */
export function handOut(routes: Middleware): Middleware {
  return (req, res, next) => {
    const inner = turns.get(res)
    turn(res, undefined)
    return routes(req, res, (error) => {
      turn(res, inner)
      next(error)
    })
  }
}

function turn(res: ServerResponse, visit: Visit | undefined): void {
  if (visit === undefined) turns.delete(res)
  else turns.set(res, visit)
}

/**
 * Listens to all responses of this process. Only the first call has an effect. This function must
 * run before the library is loaded, because the library reads `end` and `write` of
 * `ServerResponse.prototype` when it is loaded.
 */
export function watchResponses(): void {
  const key = Symbol.for('express-rest-conventions.tests.watching')
  const { prototype } = ServerResponse
  if (Object.hasOwn(prototype, key)) return
  Object.defineProperty(prototype, key, { value: true })
  const { write, end } = prototype
  prototype.write = function (this: ServerResponse, ...args: unknown[]) {
    keep(this, args)
    return Reflect.apply(write, this, args)
  } as typeof write
  prototype.end = function (this: ServerResponse, ...args: unknown[]) {
    const visit = this.writableEnded ? undefined : turns.get(this)
    if (visit !== undefined) keep(this, args)
    const result: unknown = Reflect.apply(end, this, args)
    if (visit !== undefined) pending.push({ visit, mayNotFit, answered: answeredBy(this, visit) })
    return result
  } as typeof end
}

function keep(res: ServerResponse, [chunk, encoding]: readonly unknown[]): void {
  const body = bodies.get(res)
  if (body === undefined) return
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
  const isText = typeof chunk === 'string'
  const piece = isText
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : Buffer.from(chunk)
  body.bytes += piece.length
  if (body.bytes <= maxBytes) body.pieces.push(piece)
}

function answeredBy(res: ServerResponse, { before }: Visit): Pending['answered'] {
  const { pieces = [], bytes = 0 } = bodies.get(res) ?? {}
  return {
    status: res.statusCode,
    headers: headOf(res),
    body: bytes <= maxBytes ? Buffer.concat(pieces) : undefined,
    before,
  }
}

/** The header fields as they were written, including the fields of all middlewares. */
function headOf(res: ServerResponse): ReadonlyMap<string, string> {
  const { _header: head = '' } = res as unknown as { readonly _header?: string }
  const fields = new Map<string, string>()
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const known = fields.get(name)
    fields.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return fields
}
