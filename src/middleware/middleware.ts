/**
 * The types of middlewares. They depend on `node:http` alone, so that any version of Express
 * accepts the middlewares.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export type NextFunction = (error?: unknown) => void
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: NextFunction) => void
export type ErrorMiddleware = (error: unknown, req: IncomingMessage, res: ServerResponse, next: NextFunction) => void

/**
 * A request with the properties that Express adds and the library reads. Without Express, they are
 * absent.
 */
export interface ExpressRequest extends IncomingMessage {
  baseUrl?: string
  originalUrl?: string
  body?: unknown
  app?: { get(name: string): unknown }
}
