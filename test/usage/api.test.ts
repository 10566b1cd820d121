/** Tests of the calls that `api` and `resourceRouter` count, on both major versions of Express. */
import { memoryAdapter } from 'express-rest-conventions/memory'
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/auth/index.js'
import { api, defineResource, mount, resourceRouter } from '../../src/index.js'
import { type Usage, usage } from '../../src/usage/index.js'
import { listen, majors } from '../middleware/majors.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: { type: 'string' } } },
})

const authenticated = authenticate({
  field: 'X-Api-Key',
  challenge: 'ApiKey realm="x"',
  identify: (key) => (key === 'no' ? undefined : key === 'nobody' ? { sub: 'ana' } : { azp: key, sub: 'ana' }),
})

async function counted(counts: Usage) {
  const { calls } = await counts.read()
  return calls
    .map(({ version, method, route, client, count }) => `${count} ${version} ${method} ${route} ${client}`)
    .sort()
}

describe.each(majors)('counted calls (%s)', (_, express) => {
  it('api() counts every response by version, method, path template and client', async () => {
    const counts = usage({ client: 'token', secret: 'a secret of these tests' })
    const app = express()
    const hand = express.Router()
    hand.get('/by-hand/:name', (_req: unknown, res: { end(): void }) => res.end())
    const adapter = memoryAdapter(orders, { records: [{ id: 'a' }] })
    app.use(
      '/private',
      api({
        authenticate: authenticated,
        usage: counts,
        versions: {
          v2: {
            resources: [mount(orders, adapter)],
            routes: hand,
          },
          v1: 'retired',
        },
      }),
    )
    const port = await listen(app)
    const ask = async (path: string, key: string | undefined, method = 'GET') => {
      const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key }
      return (await fetch(`http://127.0.0.1:${port}/private${path}`, { method, headers, redirect: 'manual' })).status
    }
    const statuses = [
      await ask('/v2/orders/a', 'billing'),
      await ask('/v2/orders/none', 'billing'),
      await ask('/v2/orders/a', 'web', 'HEAD'),
      await ask('/v2/orders', undefined),
      await ask('/v2/orders', 'nobody'),
      await ask('/v2/orders?x=1', 'web'),
      await ask('/v2/by-hand/7', 'web'),
      await ask('/v2/none', 'web'),
      await ask('/v1/orders/a', 'web'),
      await ask('/v9/orders/a', 'web'),
    ]
    expect(statuses).toEqual([200, 404, 302, 401, 200, 400, 200, 404, 410, 404])
    const lines = async () => (await counted(counts)).map((line) => line.replace(/hmac:[0-9a-f]{16}$/, 'hmac:*'))
    // The response of a hand-written route is counted after it has been sent, so the test polls.
    await expect
      .poll(lines)
      .toEqual(
        [
          '2 v2 GET /orders/{id} billing',
          '1 v2 HEAD /orders/{id} web',
          '1 v2 GET /orders (unnamed)',
          '1 v2 GET /orders hmac:*',
          '1 v2 GET /orders web',
          '1 v2 GET /by-hand/:name web',
          '1 v2 GET (unknown) web',
          '1 v1 GET (unknown) (unnamed)',
          '1 (unknown) GET (unknown) (unnamed)',
        ].sort(),
      )
    await counts.close()
  })

  it('resourceRouter() counts calls by the version and the template of its mount path', async () => {
    const counts = usage()
    const app = express()
    app.use('/private/v3/areas/:area', resourceRouter(orders, memoryAdapter(orders), { usage: counts }))
    const port = await listen(app)
    await fetch(`http://127.0.0.1:${port}/private/v3/areas/7/orders`)
    expect(await counted(counts)).toEqual(['1 v3 GET /areas/{area}/orders undefined'])
    await counts.close()
  })
})
