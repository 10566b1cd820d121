/**
 * An HTTP server around an Express app, with bounds, probes and graceful shutdown:
 * `express-rest-conventions/server`.
 */
export { createServer } from './create-server.js'
export { type HealthMiddleware, health, type ProbesMiddleware, probes } from './health.js'
export type { Check, HealthCheck, HealthOptions, ProbesOptions } from './health-options.js'
export type { ShutdownReport } from './server-end.js'
export type { ServerOptions } from './server-options.js'
export type { GracefulServer, ShutdownOptions } from './shutdown.js'
