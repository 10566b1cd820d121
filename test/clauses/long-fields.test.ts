/**
 * Limits on the length of header fields and query values, and on the number of values of a query
 * parameter. Requests reach these limits only if the server has a larger `maxHeaderSize` than the
 * default of Node.
 */
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, note: { type: 'string' } } },
  filters: { note: { many: true } },
})

const records = Array.from({ length: 101 }, (_unused, at) => ({ id: at + 1, note: at === 0 ? 'a' : randomUUID() }))

describe('long fields', () => {
  const app = express().use(api({ versions: { v1: [mount(orders, memoryAdapter(orders, { records }))] } }))
  const server = http.createServer({ maxHeaderSize: 200_000 }, app)
  let origin: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.close()
  })

  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const answer = await fetch(origin + path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: JSON.parse(await answer.text()) }
  }

  it('QUERY-8: a query value can have at most 16,384 characters, and a parameter at most 8,192 values', async () => {
    expect((await send('GET', `/v1/orders?note=${'x'.repeat(16_384)}`)).status).toBe(200)
    const long = await send('GET', `/v1/orders?note=${'x'.repeat(16_385)}`)
    expect([long.status, long.json.errors[0]]).toMatchObject([
      400,
      { parameter: 'note', code: 'maxLength', params: { limit: 16_384 } },
    ])
    const many = await send('GET', `/v1/orders?${'note=x&'.repeat(8_193)}`)
    expect([many.status, many.json.errors]).toMatchObject([
      400,
      [{ parameter: 'note', code: 'maxItems', params: { limit: 8_192 } }],
    ])
  })

  it('ERR-1: a conditional header or Prefer of more than 16,384 characters gets 400 and changes nothing', async () => {
    for (const name of ['If-Match', 'If-None-Match', 'Prefer']) {
      const answer = await send('PATCH', '/v1/orders/1', { [name]: `"${'x'.repeat(16_384)}"` }, { note: 'b' })
      expect([name, answer.status, answer.json.errors[0]]).toMatchObject([
        name,
        400,
        { header: name, code: 'maxLength' },
      ])
    }
    expect((await send('GET', '/v1/orders/1')).json.note).toBe('a')
  })

  it('QUERY-7: following the next links of a long query returns every item once', async () => {
    const seen: number[] = []
    const filter = records.map(({ note }) => `note=${note}`).join('&')
    let url: string | undefined = `${origin}/v1/orders?limit=10&${filter}`
    while (url !== undefined) {
      const answer: Response = await fetch(url)
      seen.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id))
      url = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(records.map(({ id }) => id))
  })
})
