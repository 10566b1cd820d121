/**
 * Sets `http.route` of the server span (OpenTelemetry semantic conventions for HTTP). The
 * instrumentation of Node's `http` creates this span and keeps a record of the request in the
 * active context. It reads the route from this record when the response has been sent.
 */

import type { ServerResponse } from 'node:http'

/** The record of a request in OpenTelemetry's context. */
export interface TracedRequest {
  /** The value of `http.route`. The name of the span consists of the method and this route. */
  route?: string | undefined
}

interface Registered {
  readonly context?: { active?(): { getValue?(key: symbol): unknown } | undefined }
}

/**
 * The symbol with which every copy of `@opentelemetry/api` 1.x registers itself globally. With this
 * symbol, the library needs no dependency, and works with any copy that the service uses.
 */
export const openTelemetry = Symbol.for('opentelemetry.js.api.1')

/** The context key of `getRPCMetadata` in `@opentelemetry/core`. */
const rpcMetadata = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA')

/**
 * The record of the current request; `undefined` if the request is not traced. Never throws, so
 * that tracing does not affect responses.
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

/** The latest route of each traced request. */
const names = new WeakMap<TracedRequest, { route: string | undefined }>()

/**
 * Sets the route of a traced request. Express's instrumentation overwrites the route for each layer
 * that a request passes, and its routes can lack the version. Therefore, when the response emits
 * `close`, the `route` from the latest call of this function is set again. This happens before the
 * instrumentation of `http` ends the span.
 */
export function nameRoute(traced: TracedRequest, res: ServerResponse, route: string | undefined): void {
  // `Reflect.set` is used because an assignment would throw if the record can't be written.
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
