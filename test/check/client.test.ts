/**
 * Tests of the HTTP client that all checks use. The client sends unsafe requests only to URLs in
 * the ledger, which lists the records that the checks have created. It does not exceed the budget
 * of requests, and retries safe requests if the service is busy.
 */
import { afterEach, expect, it } from 'vitest'
import { Client, UnsafeRequestError } from '../../src/check/client/client.js'
import { Unchecked } from '../../src/check/verdict.js'
import { type Serving, serving } from './serving.js'

let service: Serving | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

/** Starts a service that responds with these statuses in turn. Also returns the requests it got. */
async function answering(...statuses: readonly number[]) {
  const asked: string[] = []
  service = await serving((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    const status = statuses[asked.length - 1] ?? 200
    res.writeHead(status, status === 429 || status === 503 ? { 'Retry-After': '0' } : {}).end('text')
  })
  return { asked, url: `${service.origin}/v1/orders` }
}

const options = { principals: [], rate: 10_000, budget: 100 }

it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
  'the client sends no %s to a URL that is not in the ledger',
  async (method) => {
    const { asked, url } = await answering()
    const client = new Client({ ...options, mayWrite: (_, address) => address === `${url}/7` })
    await expect(client.send(method, url)).rejects.toThrow(UnsafeRequestError)
    await expect(client.race(`${url}/8`, [{ method }, { method }])).rejects.toThrow(UnsafeRequestError)
    expect(asked).toEqual([])
    await client.send(method, `${url}/7`)
    expect(asked).toEqual([`${method} /v1/orders/7`])
    client.close()
  },
)

it.each(['', '?limit=1', '/'])('if a URL is the origin plus "%s", the client requests the path "/"', async (end) => {
  const { asked, url } = await answering()
  const client = new Client(options)
  await client.send('GET', `${new URL(url).origin}${end}`)
  expect(asked).toEqual([`GET ${end.startsWith('/') ? end : `/${end}`}`])
  client.close()
})

it('the client sends the path and the query of a URL as given, without normalizing them', async () => {
  const { asked, url } = await answering()
  const client = new Client(options)
  await client.send('GET', `${url}/a%252Cb/../c?sort=+x&y=%2Bz&&`)
  expect(asked).toEqual(['GET /v1/orders/a%252Cb/../c?sort=+x&y=%2Bz&&'])
  client.close()
})

it('the client retries a GET once if the service is busy, and throws Unchecked if it is still busy', async () => {
  const { asked, url } = await answering(429, 200, 503, 503)
  const client = new Client(options)
  expect((await client.send('GET', url)).answer.status).toBe(200)
  await expect(client.send('GET', url)).rejects.toThrow(Unchecked)
  expect(asked.length).toBe(4)
  client.close()
})

it('the client never retries an unsafe request', async () => {
  const { asked, url } = await answering(503)
  const client = new Client({ ...options, mayWrite: () => true })
  await expect(client.send('PATCH', url)).rejects.toThrow('the service is busy')
  expect(asked).toEqual(['PATCH /v1/orders'])
  client.close()
})

it('the client sends no more requests than the budget allows, and counts each request of a race', async () => {
  const { asked, url } = await answering()
  const client = new Client({ ...options, budget: 3, mayWrite: () => true })
  await client.send('GET', url)
  await expect(client.race(url, [{ method: 'PATCH' }, { method: 'PATCH' }, { method: 'PATCH' }])).rejects.toThrow(
    'the budget of 3 requests is spent',
  )
  await expect(client.send('GET', url)).rejects.toThrow('the budget of 3 requests is spent')
  expect(client.sent).toBe(3)
  expect(asked.length).toBeLessThanOrEqual(3)
  client.close()
})
