import { createServer as nodeServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../../src/server/index.js'

let servers: Server[]
const uncaught: unknown[] = []
const onUncaught = (error: unknown): void => void uncaught.push(error)

beforeAll(async () => {
  process.on('uncaughtException', onUncaught)
  const app = express()
  app.use((req, res) => void req.resume().on('end', () => res.send('served')))
  servers = [nodeServer(app), createServer(app)]
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterAll(() => {
  process.off('uncaughtException', onUncaught)
  for (const server of servers) server.close()
})

/**
 * Sends the bytes in two pieces, and ends the client's side of the connection. Returns the statuses
 * of all responses.
 */
const statuses = (server: Server, bytes: Buffer, cut: number): Promise<string[]> =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text.match(/HTTP\/1\.1 \d{3}/g) ?? []))
    socket.write(bytes.subarray(0, cut))
    setImmediate(() => socket.end(bytes.subarray(cut)))
  })

const requests = [
  'GET /a HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
  'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'GET /a HTTP/1.0\r\n\r\n',
  'PUT /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx',
]

const mutated = fc.record({
  base: fc.constantFrom(...requests),
  at: fc.nat(80),
  remove: fc.nat(4),
  put: fc.oneof(
    fc.constantFrom('\r\n', '\n', ':', ' ', '\0', 'Content-Length: 1\r\n', 'Upgrade: x\r\nConnection: upgrade\r\n'),
    fc.string({ maxLength: 5 }),
  ),
  cut: fc.nat(100),
})

describe('malformed requests', () => {
  it('get the same statuses as from a plain Node server, and cause no uncaught exception', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(mutated, async ({ base, at, remove, put, cut }) => {
        const bytes = Buffer.from(base.slice(0, at) + put + base.slice(at + remove), 'latin1')
        const [node, ours] = await Promise.all(servers.map((server) => statuses(server, bytes, cut)))
        expect(ours).toEqual(node)
        for (const status of node ?? []) seen.add(status)
      }),
      { numRuns: 400 },
    )
    expect(uncaught).toEqual([])
    expect(seen.size).toBeGreaterThan(1)
  })
})
