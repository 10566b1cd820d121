/** The shape of a middleware, on `node:http` alone: the `app.use` of any Express takes it. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export type NextFunction = (error?: unknown) => void
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: NextFunction) => void
export type ErrorMiddleware = (error: unknown, req: IncomingMessage, res: ServerResponse, next: NextFunction) => void

/** What Express adds to a request that the library looks at, where there is an Express. */
export interface ExpressRequest extends IncomingMessage {
  baseUrl?: string
  originalUrl?: string
  body?: unknown
  app?: { get(name: string): unknown }
}
