/**
 * `createServer()`: Node's server with limits and graceful shutdown. It responds with problem
 * bodies to requests that Node refuses, and creates request and response objects whose prototypes
 * Express does not need to change.
 */

import { createServer as createHttpServer, IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer, type Server as TlsServer } from 'node:https'
import { checkArgument } from '../options/check.js'
import { functionBy } from '../options/kinds.js'
import { answerClientErrors, refusingTooManyFields } from './client-errors.js'
import { trackConnections } from './connections.js'
import { type RequestObjects, requestObjects } from './request-objects.js'
import { type ResolvedOptions, resolveServerOptions, type ServerOptions } from './server-options.js'
import { addShutdown, type GracefulServer } from './shutdown.js'

/**
 * Creates an `http` server, or an `https` server if `tls` is set, for an Express app (4.21 or 5) or
 * another request listener. The server limits the time, the size and the number of requests. On
 * `shutdown()` and `close()`, it still responds to the requests that clients have already sent. It
 * responds with problem bodies (RFC 9457) to requests that Node itself refuses (ERR-3). It creates
 * request and response objects whose prototypes Express does not need to change. Start the server
 * with Node's `listen()`.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * const server = createServer(app)
 * server.listen(3000)
 * process.once('SIGTERM', () => server.shutdown({ grace: 20_000 }))
 */
export function createServer(
  app: RequestListener,
  options: ServerOptions & { readonly tls: object },
): GracefulServer<TlsServer>
export function createServer(app: RequestListener, options?: ServerOptions): GracefulServer<Server>
export function createServer(
  app: RequestListener,
  options: ServerOptions = {},
): GracefulServer<Server> | GracefulServer<TlsServer> {
  checkArgument('the first argument of createServer()', app, functionBy('an Express app or another request listener'))
  const resolved = resolveServerOptions(options)
  const objects = requestObjects(app)
  const server = nodeServer(refusingTooManyFields(app, resolved), resolved, objects)
  server.timeout = resolved.timeout
  // One more than the limit, so that `refusingTooManyFields` can detect requests with too many
  // header fields.
  server.maxHeadersCount = resolved.maxHeadersCount === 0 ? 0 : resolved.maxHeadersCount + 1
  server.maxRequestsPerSocket = resolved.maxRequestsPerSocket
  if (resolved.maxConnections > 0) server.maxConnections = resolved.maxConnections
  if (objects.usesExpressPrototypes) {
    server.on('listening', objects.check)
    restoreUpgradePrototypes(server)
  }
  answerClientErrors(server, resolved)
  return addShutdown(server, trackConnections(server), resolved)
}

function nodeServer(listener: RequestListener, options: ResolvedOptions, objects: RequestObjects): Server | TlsServer {
  const { tls, node, headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize } =
    options
  const { IncomingMessage, ServerResponse } = objects
  const bounds = { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize }
  const all = { ...node, ...tls, ...bounds, IncomingMessage, ServerResponse }
  return tls === undefined ? createHttpServer(all, listener) : createHttpsServer(all, listener)
}

/**
 * Restores Node's prototypes for the requests of the events `upgrade` and `connect`. Express never
 * sees these requests. Their handlers expect Node's objects, whose properties can be assigned.
 * Express's prototypes declare some of these properties as getters. If the event has no listener,
 * Node serves an upgrade as an ordinary request. So the listener `restore` is added only if the
 * service has a listener for the event.
 */
function restoreUpgradePrototypes(server: Server): void {
  const restore = (req: IncomingMessage): void => {
    Object.setPrototypeOf(req, IncomingMessage.prototype)
  }
  const events: readonly unknown[] = ['upgrade', 'connect']
  server.on('newListener', (event: string, listener: unknown) => {
    if (events.includes(event) && listener !== restore && !server.listeners(event).includes(restore))
      server.on(event, restore)
  })
  server.on('removeListener', (event: string, listener: unknown) => {
    if (events.includes(event) && listener !== restore && server.listenerCount(event) === 1) server.off(event, restore)
  })
}
