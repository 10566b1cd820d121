/** The options of `createServer()`: their defaults, and what is made of them. docs/server.md has the reason of each. */
import type { ServerOptions as NodeOptions } from 'node:http'
import type { ServerOptions as NodeTlsOptions } from 'node:https'
import { checkOptions, invalidOption } from '../options/check.js'
import { type Kinds, type NumberKind, timer } from '../options/kinds.js'
import type { HttpProblem } from '../problem.js'

/** What `createServer()` takes. Times are in milliseconds; 0 switches a bound off, where nothing else is said. */
export interface ServerOptions {
  /** Until the request line and all header fields are there; beyond it 408. Default 10,000, or `requestTimeout` where that is less. */
  readonly headersTimeout?: number
  /** Until the whole request is there, body included; beyond it 408. Default 60,000. */
  readonly requestTimeout?: number
  /** How often the two are looked at: what they are late by, at most. At least 1; default 5,000. */
  readonly connectionsCheckingInterval?: number
  /** For which an idle connection stays open. It must be longer than that of the balancer in front. Default 65,000. */
  readonly keepAliveTimeout?: number
  /** For which no byte may go either way while a request or an answer is under way; then the connection is cut. Default 120,000. */
  readonly timeout?: number
  /** Bytes of the request line and all header fields; beyond it 431. At least 1; default 16,384. */
  readonly maxHeaderSize?: number
  /** Number of header fields; beyond it 431, where Node 20 alone would drop the rest in silence. Default 100. */
  readonly maxHeadersCount?: number
  /** Connections at once; those beyond it are closed as they come. Default 10,000. */
  readonly maxConnections?: number
  /** Requests of one connection; the last is answered with `Connection: close`. Default 0, which is no bound. */
  readonly maxRequestsPerSocket?: number
  /**
   * Time for which `shutdown()` goes on serving while `probes()` answer 503, before it closes.
   * Default 0.
   */
  readonly drain?: number
  /**
   * Time for which `close()` and `shutdown()` wait for what is under way; then they cut it. Default
   * 10,000; here 0 is no time at all.
   */
  readonly grace?: number
  /** What makes it an https server: `key` and `cert`, `SNICallback` and all else that `https.createServer` takes. */
  readonly tls?: NodeTlsOptions
  /** Further options of `http.createServer`, as they are. */
  readonly node?: Omit<NodeOptions, 'IncomingMessage' | 'ServerResponse' | keyof ServerOptions>
  /** What `type` of a problem begins with, as in `api`. */
  readonly problemBase?: string
  /**
   * Hears of each request that ended before any handler: Node's error, and where one could be
   * answered the problem and the id in its `x-request-id`.
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

const inTls = { instead: 'Put what https needs into tls: { tls: { key, cert } }.' }
const besideIt = { instead: 'Put it beside tls and node: it is an option of createServer().' }
const ourOwn = { instead: 'createServer() makes its own class: use http.createServer for one of yours.' }

/** What stands in both places would hold in one of them, and nobody could tell which. */
export const nodeKinds = {
  ...(Object.fromEntries(Object.keys(defaults).map((name) => [name, besideIt])) as Record<
    keyof typeof defaults,
    typeof besideIt
  >),
  IncomingMessage: ourOwn,
  ServerResponse: ourOwn,
}

/** Of a size and a pause, 0 is nothing that could be meant: Node would take its own size, and look without a pause. */
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
    `headersTimeout is ${headersTimeout}, which is more than requestTimeout, ${requestTimeout}: the headers are part of the request. Give at most that.`,
  )
}
