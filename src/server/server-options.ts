/** The options of `createServer()` and their defaults. docs/server.md explains each default. */
import type { ServerOptions as NodeOptions } from 'node:http'
import type { ServerOptions as NodeTlsOptions } from 'node:https'
import { checkOptions, invalidOption } from '../options/check.js'
import { type Kinds, type NumberKind, timer } from '../options/kinds.js'
import type { HttpProblem } from '../problem.js'

/**
 * The options of `createServer()`. Times are in milliseconds; 0 disables a limit unless noted
 * otherwise.
 */
export interface ServerOptions {
  /**
   * How long the request line and all header fields may take to arrive. After this time, the
   * response is 408. Default 10,000, or `requestTimeout` if that is less.
   */
  readonly headersTimeout?: number
  /**
   * How long the whole request may take to arrive, including the body. After this time, the
   * response is 408. Default 60,000.
   */
  readonly requestTimeout?: number
  /**
   * Time between two checks of `headersTimeout` and `requestTimeout`, and thus the maximum delay of
   * a 408. At least 1; default 5,000.
   */
  readonly connectionsCheckingInterval?: number
  /**
   * How long an idle connection stays open. Must be longer than the idle timeout of the load
   * balancer. Default 65,000.
   */
  readonly keepAliveTimeout?: number
  /**
   * How long a connection may stay silent (no byte in either direction) during a request or
   * response. After this time, the connection is cut. Default 120,000.
   */
  readonly timeout?: number
  /**
   * Maximum size of the request line and all header fields, in bytes. If they are larger, the
   * response is 431. At least 1; default 16,384.
   */
  readonly maxHeaderSize?: number
  /**
   * Maximum number of header fields. The response to a request with more fields is 431. Without
   * this library, Node 20 would silently drop the excess fields. Default 100.
   */
  readonly maxHeadersCount?: number
  /**
   * Maximum number of open connections. Further connections are closed immediately. Default 10,000.
   */
  readonly maxConnections?: number
  /**
   * Maximum number of requests per connection. The last response has `Connection: close`. Default
   * 0: unlimited.
   */
  readonly maxRequestsPerSocket?: number
  /**
   * How long `shutdown()` keeps serving requests before the server closes. In this time, the
   * readiness probe responds with 503. Default 0.
   */
  readonly drain?: number
  /**
   * How long `close()` and `shutdown()` wait for requests in progress before they cut connections.
   * Default 10,000; 0 means no waiting.
   */
  readonly grace?: number
  /**
   * Makes the server an https server. Takes `key`, `cert`, `SNICallback` and all other options of
   * `https.createServer`.
   */
  readonly tls?: NodeTlsOptions
  /** Further options that are passed to `http.createServer` or `https.createServer`. */
  readonly node?: Omit<NodeOptions, 'IncomingMessage' | 'ServerResponse' | keyof ServerOptions>
  /** The prefix of `type` in problems, like the option `problemBase` of `api()`. */
  readonly problemBase?: string
  /**
   * Called with Node's error when Node's parser refuses a request, a request does not arrive in
   * time, or a connection fails. Not called if the service has its own `clientError` listener. If a
   * response could be sent, the function also gets the problem in that response and the id in the
   * response's `x-request-id`. Node reports no error for many requests with more than
   * `maxHeadersCount` header fields (on Node 20, for all of them). The function is not called for
   * these requests.
   */
  readonly onClientError?: (error: Error, problem: HttpProblem | undefined, requestId: string | undefined) => void
}

const defaults = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  timeout: 120_000,
  maxHeaderSize: 16_384,
  maxHeadersCount: 100,
  maxConnections: 10_000,
  maxRequestsPerSocket: 0,
  drain: 0,
  grace: 10_000,
} as const satisfies Partial<Record<keyof ServerOptions, number>>

type Bounds = Readonly<Record<keyof typeof defaults, number>>

export interface ResolvedOptions
  extends Bounds,
    Pick<ServerOptions, 'tls' | 'node' | 'problemBase' | 'onClientError'> {}

const number: NumberKind = { from: 0, to: 2 ** 31 - 1, whole: true }

const inTls = { instead: 'Put the https options into the option "tls": { tls: { key, cert } }.' }
const besideIt = { instead: 'Put it next to "tls" and "node": it is an option of createServer().' }
const ourOwn = { instead: 'createServer() uses its own class. For a class of your own, use http.createServer.' }

/**
 * Options that are refused inside `tls` and `node`. If such an option were also set next to `tls`
 * and `node`, only one of the two values would apply, and it would not be clear which.
 */
export const nodeKinds = {
  ...(Object.fromEntries(Object.keys(defaults).map((name) => [name, besideIt])) as Record<
    keyof typeof defaults,
    typeof besideIt
  >),
  IncomingMessage: ourOwn,
  ServerResponse: ourOwn,
}

/**
 * The value 0 is invalid for `maxHeaderSize` and `connectionsCheckingInterval`. With 0 for
 * `maxHeaderSize`, Node would use its default value. With 0 for `connectionsCheckingInterval`, Node
 * would check without a pause.
 */
export const serverKinds: Kinds<
  ServerOptions & Record<'key' | 'cert' | 'ca' | 'pfx' | 'passphrase' | 'SNICallback', never>
> = {
  headersTimeout: timer,
  requestTimeout: timer,
  connectionsCheckingInterval: { ...timer, from: 1 },
  keepAliveTimeout: timer,
  timeout: timer,
  maxHeaderSize: { ...number, from: 1, unit: 'bytes' },
  maxHeadersCount: number,
  maxConnections: number,
  maxRequestsPerSocket: number,
  drain: timer,
  grace: timer,
  tls: { options: nodeKinds, open: true },
  node: { options: nodeKinds, open: true },
  problemBase: 'string',
  onClientError: 'function',
  key: inTls,
  cert: inTls,
  ca: inTls,
  pfx: inTls,
  passphrase: inTls,
  SNICallback: inTls,
}

/** The options with their defaults. Throws `ConfigurationError` if an option is invalid. */
export function resolveServerOptions(given: ServerOptions): ResolvedOptions {
  checkOptions('createServer()', given, serverKinds)
  const bounds = Object.fromEntries(
    Object.entries(defaults).map(([name, otherwise]) => [name, given[name as keyof Bounds] ?? otherwise]),
  ) as unknown as Bounds
  const { tls, node, problemBase, onClientError } = given
  return Object.freeze({
    ...bounds,
    headersTimeout: headersTimeoutOf(given, bounds),
    ...(tls && { tls }),
    ...(node && { node }),
    ...(problemBase !== undefined && { problemBase }),
    ...(onClientError && { onClientError }),
  })
}

function headersTimeoutOf(given: ServerOptions, { headersTimeout, requestTimeout }: Bounds): number {
  if (requestTimeout === 0 || headersTimeout <= requestTimeout) return headersTimeout
  if (given.headersTimeout === undefined) return requestTimeout
  throw invalidOption(
    `The option "headersTimeout" is ${headersTimeout}, which is more than "requestTimeout" (${requestTimeout}). ` +
      `The headers are part of the request. Set "headersTimeout" to at most ${requestTimeout}.`,
  )
}
