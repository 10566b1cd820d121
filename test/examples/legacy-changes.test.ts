/** The changes that clients can see at each step of examples/legacy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serveStep, steps } from './legacy-steps.js'

const token = { Authorization: 'Bearer office-token' }
const json = { ...token, 'Content-Type': 'application/json' }

describe.each(steps)('step %d of examples/legacy', (step) => {
  let service: Served
  beforeAll(async () => {
    service = await serveStep(step)
  })
  afterAll(() => service.close())
  const call = (method: string, path: string, init: RequestInit = {}) =>
    fetch(service.base + path, { method, headers: token, redirect: 'manual', ...init })
  const patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call('PATCH', path, { body: JSON.stringify(body), headers: { ...json, ...headers } })
  let made = 0
  const create = async () => {
    made += 1
    const body = { code: `T-${made}`, recipient: 'Ana', address: 'Mitre 1', depot: `${service.base}/v1/depot/1` }
    return call('POST', '/v1/deliveries', { body: JSON.stringify(body), headers: json })
  }

  it(`AUTH-4: a 401 ${step < 3 ? 'has no challenge' : 'has a challenge'}`, async () => {
    const { status, headers } = await call('GET', '/v1/deliveries', { headers: {} })
    expect([status, headers.get('www-authenticate')]).toEqual([401, step < 3 ? null : 'Bearer'])
  })

  it(`ERR-3: the 404 of an unknown path and the 400 of broken JSON are ${step < 3 ? 'HTML' : 'JSON'}`, async () => {
    const type = step < 3 ? /^text\/html/ : /^application\/(?:problem\+)?json/
    expect((await call('GET', '/v1/invoices')).headers.get('content-type')).toMatch(type)
    const broken = await call('POST', '/v1/deliveries', { body: '{', headers: json })
    expect([broken.status, broken.headers.get('content-type')]).toEqual([400, expect.stringMatching(type)])
  })

  it(`VERB-2: a 201 has ${step < 3 ? 'no Location' : 'a Location'}`, async () => {
    const { status, headers } = await create()
    expect(status).toBe(201)
    const location = headers.get('location')
    if (step < 3) expect(location).toBeNull()
    else expect((await fetch(location as string, { headers: token })).status).toBe(200)
  })

  it(`HDR-2: the Etag of a delivery is ${step < 4 ? 'weak' : 'strong'}`, async () => {
    expect((await call('GET', '/v1/deliveries/2')).headers.get('etag')).toMatch(step < 4 ? /^W\/"/ : /^"/)
  })

  it(`HDR-3: two changes with the same If-Match get 200 and ${step < 4 ? '200' : '412'}`, async () => {
    const { id } = (await (await create()).json()) as { id: number }
    const etag = (await call('GET', `/v1/deliveries/${id}`)).headers.get('etag') as string
    const addresses = ['Mitre 2', 'Mitre 3']
    const answers = await Promise.all(
      addresses.map((address) => patch(`/v1/deliveries/${id}`, { address }, { 'If-Match': etag })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual(step < 4 ? [200, 200] : [200, 412])
  })

  it(`QUERY-7: a list ${step < 5 ? 'has no total' : 'has a total and links'}`, async () => {
    const { headers } = await call('GET', '/v1/deliveries?status=out&per_page=10')
    expect(headers.get('x-total-count')).toBe(step < 5 ? null : '155')
    expect(headers.get('link')).toEqual(step < 5 ? null : expect.stringContaining('rel="next"'))
  })

  it(`QUERY-8: a misspelt parameter ${step < 5 ? 'is ignored' : 'gets 400'}`, async () => {
    expect((await call('GET', '/v1/deliveries?statsu=out')).status).toBe(step < 5 ? 200 : 400)
  })

  it(`QUERY-4: a page that is not a number gets ${step < 2 ? 'the first page' : '400'}`, async () => {
    expect((await call('GET', '/v1/deliveries?page=two')).status).toBe(step < 2 ? 200 : 400)
  })

  it(`QUERY-5: per_page=700 gets ${step < 5 ? 500 : 'all'} rows, per_page=1001 gets ${step < 2 ? '500 rows' : '400'}`, async () => {
    const count = async (size: number) => {
      const answer = await call('GET', `/v1/deliveries?per_page=${size}`)
      return answer.status === 200 ? ((await answer.json()) as unknown[]).length : answer.status
    }
    const all = await count(700)
    expect(step < 5 ? all === 500 : all >= 620).toBe(true)
    expect(await count(1001)).toBe(step < 2 ? 500 : 400)
  })

  if (step >= 2)
    it('ERR-3: errors of the library have the format that old clients read, and contain no stack trace', async () => {
      const answers = [
        await call('GET', '/v1/deliveries?per_page=1001'),
        await call('POST', '/v1/deliveries/2', { headers: token }),
      ]
      for (const answer of answers) {
        const text = await answer.text()
        expect(Object.keys(JSON.parse(text)), text).toEqual(['error'])
        expect(text).not.toMatch(/node_modules|\.js:/)
      }
    })
})
