/** An HTTP server around an Express app, with bounds and an end: `express-rest-conventions/server`. */
export { createServer } from './create-server.js'
export type { ServerOptions } from './server-options.js'
export type { GracefulServer, ShutdownOptions, ShutdownReport } from './shutdown.js'
