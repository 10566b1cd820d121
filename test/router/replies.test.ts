import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { api, endpoint, endpointReply, representation } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

describe('header objects that a service reuses', () => {
  const headers = { 'X-Kept': 'A field of the service.' }
  const describe = { responses: { 200: { headers }, 204: { headers } } }
  const kept = Object.freeze({ 'X-Kept': 'yes', vary: 'Cookie' })

  it.each([
    ['a reply with a body', { handle: (): unknown => endpointReply({ status: 200, body: { a: 1 }, headers: kept }) }],
    ['a reply without a body', { handle: (): unknown => endpointReply({ status: 204, headers: kept }) }],
    [
      'a custom representation',
      {
        handle: (): unknown => 7,
        representations: [representation('text/csv', { value: () => ({ body: 'a', headers: kept }) })],
      },
    ],
  ])(
    'HDR-6: the library adds header fields to %s without changing the header object that the service passed',
    async (_, method) => {
      open = await listen(
        express().use(
          api({
            versions: {
              v1: [
                endpoint('eco', { description: 'Says it again.', methods: { GET: { describe, ...method } as never } }),
              ],
            },
          }),
        ),
      )
      for (let again = 0; again < 3; again += 1) {
        const { headers } = await open.send('GET', '/v1/eco', { accept: 'text/csv, */*;q=0.1' })
        expect(headers['x-kept']).toBe('yes')
        expect(String(headers.vary).split(', ').sort()).toEqual(['Accept', 'Cookie'])
      }
      expect(kept).toEqual({ 'X-Kept': 'yes', vary: 'Cookie' })
    },
  )
})
