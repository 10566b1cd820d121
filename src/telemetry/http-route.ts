/**
 * Sets `http.route` of the server span (OpenTelemetry semantic conventions for HTTP). The
 * instrumentation of Node's `http` creates the span, keeps it in the active context, and reads the
 * route when the response has been sent.
 */

import type { ServerResponse } from 'node:http'

/** The record of a request in OpenTelemetry's context. */
export interface TracedRequest {
  /** Used as `http.route`, and with the method as the name of the span. */
  route?: string | undefined
}

interface Registered {
  readonly context?: { active?(): { getValue?(key: symbol): unknown } | undefined }
}

/**
 * The symbol with which every copy of `@opentelemetry/api` 1.x registers itself globally. Using it
 * needs no dependency, and works with any copy that the service uses.
 */
export const openTelemetry = Symbol.for('opentelemetry.js.api.1')

/** The context key of `getRPCMetadata` in `@opentelemetry/core`. */
const rpcMetadata = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA')

/**
 * The record of the current request; `undefined` if it is not traced. Never throws, so that tracing
 * does not affect responses.
 */
export function tracedRequest(): TracedRequest | undefined {
  const registered = (globalThis as { readonly [openTelemetry]?: Registered })[openTelemetry]
  try {
    const found = registered?.context?.active?.()?.getValue?.(rpcMetadata)
    return isHttp(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** The latest name of each traced request. */
const names = new WeakMap<TracedRequest, { route: string | undefined }>()

/**
 * Sets the route of a traced request. Express's instrumentation overwrites it for each layer that
 * it passes, and has no notion of versions. So the latest route is set again when the connection
 * closes, before the listener that ends the span.
 */
export function nameRoute(traced: TracedRequest, res: ServerResponse, route: string | undefined): void {
  // Not an assignment, which would throw for a record that can't be written.
  Reflect.set(traced, 'route', route)
  const known = names.get(traced)
  if (known !== undefined) {
    known.route = route
    return
  }
  const name = { route }
  names.set(traced, name)
  res.prependOnceListener('close', () => {
    Reflect.set(traced, 'route', name.route)
  })
}

const isHttp = (found: unknown): found is TracedRequest =>
  typeof found === 'object' && found !== null && (found as { readonly type?: unknown }).type === 'http'
