/**
 * `express-rest-conventions/server`: an HTTP server for an Express app, with limits, probes and
 * graceful shutdown.
 */
export { createServer } from './create-server.js'
export { type HealthMiddleware, health, type ProbesMiddleware, probes } from './health.js'
export type { Check, HealthCheck, HealthOptions, ProbesOptions } from './health-options.js'
export type { ShutdownReport } from './server-end.js'
export type { ServerOptions } from './server-options.js'
export type { GracefulServer, ShutdownOptions } from './shutdown.js'
