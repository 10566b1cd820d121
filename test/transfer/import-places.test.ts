/**
 * The number of files that are in memory at the same time is limited to four times `maxConcurrent`,
 * however slowly the files arrive.
 */

import { once } from 'node:events'
import http from 'node:http'
import { describe, expect, it } from 'vitest'
import { api, mount } from '../../src/index.js'
import { csv, imports } from '../../src/transfer/index.js'
import { frameworks, listen } from '../clauses/fixture.js'
import { clientes, clientesOf, pedidos, pedidosOf } from './fixture.js'

describe.each(frameworks)('concurrent imports on %s', (_, express) => {
  it('ERR-1: an import takes a slot before its file is read, and releases the slot however it ends', async () => {
    const ends: number[] = []
    const served = await listen(
      express().use(
        api({
          onError: () => {},
          onResponse: ({ status }) => void ends.push(status),
          versions: {
            v1: [
              mount(pedidos, pedidosOf(0)),
              mount(clientes, clientesOf()),
              imports('cargas', pedidos, {
                description: 'Takes orders from a file.',
                formats: [csv()],
                transaction: 'none',
                maxConcurrent: 1,
                bodyLimit: 1_000,
              }),
            ],
          },
        }),
      ),
    )
    const headers = { 'content-type': 'text/csv', 'content-length': 900 }
    /**
     * Sends the header of an import. After the server has responded with 100 (Continue), sends the
     * first bytes of the body.
     */
    const open = async () => {
      const request = http.request({
        port: served.port,
        method: 'POST',
        path: '/v1/cargas',
        headers: { ...headers, expect: '100-continue' },
      })
      request.on('error', () => {})
      request.flushHeaders()
      await once(request, 'continue')
      request.write('id,nota')
      return request
    }
    const send = () => served.send('POST', '/v1/cargas', { 'content-type': 'text/csv' }, 'id,nota\n')
    const slow = [await open(), await open(), await open(), await open()]
    try {
      // The server refuses a fifth import only after the four imports in `slow` have taken all
      // slots.
      await expect.poll(async () => (await send()).status).toBe(503)
      const refused = await send()
      expect(refused.json).toMatchObject({
        status: 503,
        code: 'unavailable',
        detail: expect.stringContaining('Nothing was changed'),
      })
      expect(refused.headers['retry-after']).toBe('10')
      // Imports now end in four ways: one is aborted, one is too large, one is malformed, and the
      // others are accepted. Each import must release its slot.
      slow[0]?.destroy()
      await expect.poll(async () => (await send()).status).toBe(200)
      expect((await served.send('POST', '/v1/cargas', { 'content-type': 'text/csv' }, 'x'.repeat(1_001))).status).toBe(
        413,
      )
      expect((await served.send('POST', '/v1/cargas', { 'content-type': 'text/csv' }, 'id,nota\n"')).status).toBe(400)
      for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200)
    } finally {
      for (const request of slow) request.destroy()
      await served.close()
    }
  })
})
