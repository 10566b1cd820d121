/** Runs a middleware of the service as a promise. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from './middleware.js'

/**
 * Runs a middleware. The promise resolves when the middleware calls `next()`, and rejects with the
 * error that the middleware throws or passes to `next`. The promise stays pending if the middleware
 * sends the response itself.
 */
export function handOver(middleware: Middleware, req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown): void => (isError(error) ? reject(error) : resolve())
    // An async middleware, which Express 5 supports, reports an error by rejecting its promise.
    Promise.resolve(middleware(req, res, next) as unknown).catch(reject)
  })
}

/**
 * Whether the argument of `next` is an error. `next('route')` and `next('router')` skip handlers in
 * Express, and are not errors.
 */
const isError = (passed: unknown): boolean =>
  passed !== undefined && passed !== null && passed !== 'route' && passed !== 'router'
