/** Another middleware in the middle of our own steps. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from './middleware.js'

/** Resolves when the middleware calls `next()`, rejects with what it passes on; stays open where it answers by itself. */
export function handOver(middleware: Middleware, req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown): void => (isError(error) ? reject(error) : resolve())
    // An async handler of Express 5 style reports by its promise.
    Promise.resolve(middleware(req, res, next) as unknown).catch(reject)
  })
}

/** `next('route')` and `next('router')` are Express's words for "go on elsewhere". */
const isError = (passed: unknown): boolean =>
  passed !== undefined && passed !== null && passed !== 'route' && passed !== 'router'
