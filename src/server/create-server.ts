/** `createServer()`: Node's server with bounds, a graceful end, problems for what Node refuses, and request objects that Express need not change. */

import { createServer as createHttpServer, IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer, type Server as TlsServer } from 'node:https'
import { checkArgument } from '../options/check.js'
import { functionBy } from '../options/kinds.js'
import { answerClientErrors, withAllFields } from './client-errors.js'
import { trackConnections } from './connections.js'
import { type RequestObjects, requestObjects } from './request-objects.js'
import { type ResolvedOptions, resolveServerOptions, type ServerOptions } from './server-options.js'
import { addShutdown, type GracefulServer } from './shutdown.js'

/**
 * An `http` server, or with `tls` an `https` one, for an Express app (4.21 or 5) or any other request listener: with bounds on time, size and number, an end that loses
 * no request (`shutdown()`, `close()`), problem bodies for what Node refuses by itself (ERR-3), and requests that Express serves without changing their prototypes.
 * It listens by Node's own `listen`. Throws `ConfigurationError` where an option makes no sense.
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
  const server = nodeServer(withAllFields(app, resolved), resolved, objects)
  server.timeout = resolved.timeout
  // One more than the bound, so that `withAllFields` sees that there are too many.
  server.maxHeadersCount = resolved.maxHeadersCount === 0 ? 0 : resolved.maxHeadersCount + 1
  server.maxRequestsPerSocket = resolved.maxRequestsPerSocket
  if (resolved.maxConnections > 0) server.maxConnections = resolved.maxConnections
  if (objects.born) {
    server.on('listening', objects.check)
    giveBackUpgrades(server)
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
 * The requests of `upgrade` and `connect` never reach Express, and those who take them expect Node's objects, which let them assign what Express has as getters.
 * A listener of ours may stand there only beside one of theirs: with none, Node serves an upgrade as an ordinary request.
 */
function giveBackUpgrades(server: Server): void {
  const giveBack = (req: IncomingMessage): void => {
    Object.setPrototypeOf(req, IncomingMessage.prototype)
  }
  const events: readonly unknown[] = ['upgrade', 'connect']
  server.on('newListener', (event: string, listener: unknown) => {
    if (events.includes(event) && listener !== giveBack && !server.listeners(event).includes(giveBack))
      server.on(event, giveBack)
  })
  server.on('removeListener', (event: string, listener: unknown) => {
    if (events.includes(event) && listener !== giveBack && server.listenerCount(event) === 1)
      server.off(event, giveBack)
  })
}
