/**
 * `http.route` of the server span (OpenTelemetry semantic conventions for HTTP). The instrumentation
 * of Node's `http` makes the span and reads its route when the answer has been sent. It keeps both in
 * the active context.
 */

import type { ServerResponse } from 'node:http'

/** The record of a request in OpenTelemetry's context. */
export interface TracedRequest {
  /** Becomes `http.route`, and with the method the name of the span. */
  route?: string | undefined
}

interface Registered {
  readonly context?: { active?(): { getValue?(key: symbol): unknown } | undefined }
}

/**
 * Where every copy of `@opentelemetry/api` 1.x registers itself. Reading it here needs no dependency,
 * and finds the copy that the service uses, whichever that is.
 */
export const openTelemetry = Symbol.for('opentelemetry.js.api.1')

/** The context key of `getRPCMetadata` in `@opentelemetry/core`. */
const rpcMetadata = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA')

/** The record of the request that is served now; `undefined` where it is not traced. Never throws: tracing changes no answer. */
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
 * Gives a traced request its route. Express's instrumentation changes it with each layer that it
 * passes, and knows no version; so it is set again when the connection closes, in front of the
 * listener that ends the span. The latest name counts.
 */
export function nameRoute(traced: TracedRequest, res: ServerResponse, route: string | undefined): void {
  // Not an assignment: a record that can't be written changes no answer.
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
