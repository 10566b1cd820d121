/**
 * The types of middlewares, based on `node:http` alone, so that any version of Express accepts
 * them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export type NextFunction = (error?: unknown) => void
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: NextFunction) => void
export type ErrorMiddleware = (error: unknown, req: IncomingMessage, res: ServerResponse, next: NextFunction) => void

/** The properties that Express adds to a request and that the library reads, if Express is used. */
export interface ExpressRequest extends IncomingMessage {
  baseUrl?: string
  originalUrl?: string
  body?: unknown
  app?: { get(name: string): unknown }
}
