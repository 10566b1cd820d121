/**
 * Watches every service of the tests: what it answers is compared with its document when the test
 * ends. Nothing is changed on the way: neither the response object nor its bytes, nor the time that a
 * request takes. So a test sees what it would see without it.
 */
import { ServerResponse } from 'node:http'
import { splitTarget } from '../../src/http/targets.js'
import type { Middleware } from '../../src/middleware/middleware.js'
import type { Answered } from '../../src/openapi/strict/answered.js'

/** A request that a service has got. */
interface Visit {
  readonly service: object
  readonly method: string
  readonly path: string
  readonly before: ReadonlySet<string>
  /** Whose turn it was before: the app's, or that of a service in front. */
  readonly outer: Visit | undefined
}

interface Pending {
  readonly visit: Visit
  /** Whether the body may break the schema: see `withBrokenRows`. */
  readonly mayNotFit: boolean
  readonly answered: Omit<Answered, 'path' | 'method'>
}

interface Body {
  pieces: Buffer[]
  bytes: number
}

/** Bodies longer than this are compared by their heads alone. */
const mostBytes = 1_048_576

/** Who answers a request at the moment; not there where it is the app. */
const turns = new WeakMap<ServerResponse, Visit>()
const bodies = new WeakMap<ServerResponse, Body>()
let pending: Pending[] = []
let mayNotFit = false

/** What has ended since the last call, and is to be compared. */
export function takePending(): readonly Pending[] {
  const taken = pending
  pending = []
  return taken
}

/**
 * Runs a part of a test in which other sessions wrote rows that break their schema. The library shows
 * them as they are, so that no body of these answers has to fit. Everything else of them has to.
 */
export async function withBrokenRows<T>(work: () => Promise<T>): Promise<T> {
  mayNotFit = true
  try {
    return await work()
  } finally {
    mayNotFit = false
  }
}

/** The same service, whose answers are watched. Only what it answers itself counts: not what stands behind it. */
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

/** Hand-written routes, whose answers are not the service's. */
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

/** Listens to all responses of this process, once. The library looks at `end` and `write` when it is loaded, so this comes first. */
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
  if (body.bytes <= mostBytes) body.pieces.push(piece)
}

function answeredBy(res: ServerResponse, { before }: Visit): Pending['answered'] {
  const { pieces = [], bytes = 0 } = bodies.get(res) ?? {}
  return {
    status: res.statusCode,
    headers: headOf(res),
    body: bytes <= mostBytes ? Buffer.concat(pieces) : undefined,
    before,
  }
}

/** The head as it was written, of whoever's fields. */
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
