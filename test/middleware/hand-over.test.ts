import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { handOver } from '../../src/middleware/hand-over.js'
import type { Middleware } from '../../src/middleware/middleware.js'

const run = (middleware: Middleware) => handOver(middleware, {} as IncomingMessage, {} as ServerResponse)

describe('handOver', () => {
  it.each([undefined, null, 'route', 'router'])('HDR-7: resolves if the middleware calls next(%s)', async (passed) => {
    await expect(run((_req, _res, next) => next(passed))).resolves.toBeUndefined()
  })

  it.each([new Error('a'), 'text', 0, false])('ERR-3: rejects with the argument of next(%s)', async (passed) => {
    await expect(run((_req, _res, next) => next(passed))).rejects.toBe(passed)
  })

  it('ERR-3: rejects if the middleware throws, or if an async middleware rejects', async () => {
    const error = new Error('a')
    await expect(
      run(() => {
        throw error
      }),
    ).rejects.toBe(error)
    await expect(run((async () => Promise.reject(error)) as unknown as Middleware)).rejects.toBe(error)
  })

  it('HDR-7: the promise stays pending if the middleware does not call next()', async () => {
    const open = Symbol('open')
    await expect(
      Promise.race([run(() => {}), new Promise((resolve) => setImmediate(() => resolve(open)))]),
    ).resolves.toBe(open)
  })
})
