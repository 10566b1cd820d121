/** Runs another middleware as one of the library's own steps. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from './middleware.js'

/**
 * Resolves when the middleware calls `next()`, rejects with the error it passes to `next`. Stays
 * pending if the middleware sends the response itself.
 */
export function handOver(middleware: Middleware, req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown): void => (isError(error) ? reject(error) : resolve())
    // An async middleware, as in Express 5, reports errors by its promise.
    Promise.resolve(middleware(req, res, next) as unknown).catch(reject)
  })
}

/** `next('route')` and `next('router')` skip handlers in Express; they are not errors. */
const isError = (passed: unknown): boolean =>
  passed !== undefined && passed !== null && passed !== 'route' && passed !== 'router'
