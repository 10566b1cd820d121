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
   * Time until the request line and all header fields have arrived; then 408. Default 10,000, or
   * `requestTimeout` if that is less.
   */
  readonly headersTimeout?: number
  /** Time until the whole request has arrived, including the body; then 408. Default 60,000. */
  readonly requestTimeout?: number
  /**
   * How often the two timeouts are checked, and thus their maximum delay. At least 1; default
   * 5,000.
   */
  readonly connectionsCheckingInterval?: number
  /**
   * How long an idle connection stays open. Must be longer than that of the load balancer. Default
   * 65,000.
   */
  readonly keepAliveTimeout?: number
  /**
   * How long no byte may be transferred in either direction during a request or response; then the
   * connection is cut. Default 120,000.
   */
  readonly timeout?: number
  /**
   * Maximum bytes of the request line and all header fields; beyond it 431. At least 1; default
   * 16,384.
   */
  readonly maxHeaderSize?: number
  /**
   * Maximum number of header fields; beyond it 431, where Node 20 alone would silently drop the
   * rest. Default 100.
   */
  readonly maxHeadersCount?: number
  /** Maximum number of open connections; further ones are closed immediately. Default 10,000. */
  readonly maxConnections?: number
  /**
   * Maximum requests per connection; the last response has `Connection: close`. Default 0:
   * unlimited.
   */
  readonly maxRequestsPerSocket?: number
  /**
   * How long `shutdown()` keeps serving while `probes()` respond with 503, before the server
   * closes. Default 0.
   */
  readonly drain?: number
  /**
   * How long `close()` and `shutdown()` wait for requests in progress before cutting connections.
   * Default 10,000; 0 means no waiting.
   */
  readonly grace?: number
  /**
   * Makes it an https server: `key` and `cert`, `SNICallback` and all other options of
   * `https.createServer`.
   */
  readonly tls?: NodeTlsOptions
  /** Further options that are passed to `http.createServer`. */
  readonly node?: Omit<NodeOptions, 'IncomingMessage' | 'ServerResponse' | keyof ServerOptions>
  /** The prefix of `type` in problems, as in `api`. */
  readonly problemBase?: string
  /**
   * Called for each request that ended before any handler, with Node's error and, if a response
   * could be sent, the problem and the id in its `x-request-id`.
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

const inTls = { instead: 'Put the https options into tls: { tls: { key, cert } }.' }
const besideIt = { instead: 'Put it next to tls and node: it is an option of createServer().' }
const ourOwn = { instead: 'createServer() uses its own class. Use http.createServer with a class of your own.' }

/** An option set in both places would apply in only one of them, without a way to tell which. */
export const nodeKinds = {
  ...(Object.fromEntries(Object.keys(defaults).map((name) => [name, besideIt])) as Record<
    keyof typeof defaults,
    typeof besideIt
  >),
  IncomingMessage: ourOwn,
  ServerResponse: ourOwn,
}

/**
 * For the size and the interval 0 is invalid: Node would use its default size, and check without a
 * pause.
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

/** The options with their defaults. Throws `ConfigurationError`. */
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
    `headersTimeout is ${headersTimeout}, which is more than requestTimeout, ${requestTimeout}: the headers are ` +
      'part of the request. Set at most that.',
  )
}
