/**
 * An HTTP server around an Express app, with bounds, probes and graceful shutdown:
 * `express-rest-conventions/server`.
 */
export { createServer } from './create-server.js'
export { type ProbesMiddleware, probes } from './probes.js'
export type { ProbesOptions } from './probes-options.js'
export type { ShutdownReport } from './server-end.js'
export type { ServerOptions } from './server-options.js'
export type { GracefulServer, ShutdownOptions } from './shutdown.js'
