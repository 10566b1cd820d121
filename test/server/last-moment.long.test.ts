/**
 * When a server closes, requests that have already reached the machine get a response. Requests
 * that arrive while the server closes get a response too.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer, type GracefulServer } from '../../src/server/index.js'
import { certificate } from './certificate.js'
import { type Client, client, port } from './serving.js'

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const heads = (text: string): number => text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0

function service() {
  const app = express()
  app.get('/now', (_req, res) => void res.send('now'))
  app.get('/large', (_req, res) => void res.send('x'.repeat(100_000)))
  app.post('/body', (req, res) => {
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
    })
    req.on('end', () => res.send(`size ${size}`))
  })
  return app
}

async function ended(server: GracefulServer): Promise<void> {
  expect(await server.shutdown()).toEqual({ destroyed: 0 })
}

/** Opens connections, and waits until each has received a response and is idle. */
async function idle(at: number, count: number): Promise<Client[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const one = await client(at)
      one.send(get('/now'))
      await one.receives(/now$/)
      return one
    }),
  )
}

// Writing to a socket passes the bytes to the kernel immediately. The machine of the server then
// has the bytes, but Node has not read them.
describe('data in the kernel that Node has not read when shutdown() is called', () => {
  it('the next request of an idle connection gets a response', async () => {
    const server = createServer(service())
    const all = await idle(await port(server), 30)
    for (const one of all) one.send(get('/now'))
    const done = ended(server)
    for (const one of all) expect(heads(await one.closed)).toBe(2)
    await done
  })

  it('all requests of a pipeline get a response, and only the last response has "Connection: close"', async () => {
    const server = createServer(service())
    const [one] = (await idle(await port(server), 1)) as [Client]
    one.send(get('/now').repeat(20))
    const done = ended(server)
    await immediate()
    await immediate()
    one.send(get('/now'))
    const text = await one.closed
    expect(heads(text)).toBe(22)
    expect(text.match(/Connection: close/g) ?? []).toHaveLength(1)
    await done
  })

  it('all requests of a pipeline get a response, even if a slow client has made Node stop reading', async () => {
    const server = createServer(service())
    const one = await client(await port(server))
    one.socket.pause()
    // More requests than Node reads at once. Their responses have 20 MB in total.
    one.send(get('/large', `X-Padding: ${'p'.repeat(2_000)}\r\n`).repeat(200))
    await once(server, 'request')
    const done = ended(server)
    await pause(200)
    one.socket.resume()
    expect(heads(await one.closed)).toBe(200)
    await done
  })

  it.each([
    ['an HTTP/1.0 request', 'GET /now HTTP/1.0\r\n\r\n'],
    ['an HTTP/1.0 request with keep-alive', 'GET /now HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
    ['a request whose header arrives in two parts', 'GET /now HT'],
  ])('%s gets a response', async (_, text) => {
    const server = createServer(service())
    const at = await port(server)
    const open = await Promise.all([client(at), once(server, 'connection')]).then(([one]) => one)
    open.send(text)
    const queued = connect(at, '127.0.0.1')
    let received = ''
    queued.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk
    })
    queued.write(text)
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const done = ended(server)
    if (text.endsWith('HT')) {
      await pause(300)
      for (const socket of [open.socket, queued]) socket.write('TP/1.1\r\nHost: x\r\n\r\n')
    }
    expect(await open.closed).toMatch(/200 OK[\s\S]*now$/)
    if (!queued.closed) await once(queued, 'close')
    expect(received).toMatch(/200 OK[\s\S]*now$/)
    await done
  })

  it('a request with "Expect: 100-continue" gets 100, and the body that follows gets a response', async () => {
    const server = createServer(service())
    const [one] = (await idle(await port(server), 1)) as [Client]
    one.send('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n')
    const done = ended(server)
    await one.receives(/100 Continue/)
    await pause(200)
    one.send('abcd')
    expect(await one.closed).toMatch(/200 OK[\s\S]*Connection: close[\s\S]*size 4$/)
    await done
  })

  it('a slowly uploaded body arrives completely', async () => {
    const server = createServer(service())
    const one = await client(await port(server))
    one.send('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 150000\r\n\r\n')
    const done = ended(server)
    // A silent connection is closed after one second. The upload takes longer.
    for (let i = 0; i < 15; i++) {
      one.send('b'.repeat(10_000))
      await pause(100)
    }
    expect(await one.closed).toMatch(/200 OK[\s\S]*size 150000$/)
    await done
  })

  it('a connection that requests an upgrade is upgraded', async () => {
    const server = createServer(service())
    server.on('upgrade', (_req, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nbye')
    })
    const at = await port(server)
    const queued = connect(at, '127.0.0.1')
    queued.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    const data = once(queued, 'data')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const done = ended(server)
    expect(String((await data)[0])).toMatch(/^HTTP\/1\.1 101[\s\S]*bye$/)
    queued.destroy()
    await done
  })
})

describe('connections that are silent when shutdown() is called', () => {
  it('are closed one second after the last activity on any of them', async () => {
    const server = createServer(service(), { grace: 60_000 })
    const at = await port(server)
    const silent = await client(at)
    const late = await Promise.all(Array.from({ length: 4 }, () => client(at)))
    const done = ended(server)
    // The last connection sends its request long after the first second.
    for (const one of late) {
      await pause(600)
      one.send(get('/now'))
    }
    for (const one of late) expect(await one.closed).toMatch(/now$/)
    expect(await silent.closed).toBe('')
    await done
  }, 10_000)

  it('a TLS handshake in progress can complete, and a connection whose handshake stalls is closed', async () => {
    const server = createServer(service(), { tls: certificate(), grace: 60_000 })
    const at = await port(server)
    // A proxy that forwards the first 50 bytes, and the rest when the test calls `open`.
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const upstreams: Socket[] = []
    const line = createTcpServer((near) => {
      const far = connect(at, '127.0.0.1')
      upstreams.push(far)
      far.pipe(near)
      near.on('error', () => {})
      far.on('error', () => {})
      near.once('data', (first: Buffer) => {
        near.pause()
        far.write(first.subarray(0, 50))
        void opened.then(() => {
          far.write(first.subarray(50))
          near.pipe(far)
        })
      })
    })
    onTestFinished(() => void line.close())
    const begun = once(server, 'connection')
    const held = connectTls({ port: await port(line as Server), host: '127.0.0.1', rejectUnauthorized: false })
    let text = ''
    held.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    held.on('error', () => {})
    held.write(get('/now'))
    await begun
    const stuck = connect(at, '127.0.0.1')
      .on('error', () => {})
      .resume()
    stuck.write(Buffer.from('16030100', 'hex'))
    await once(server, 'connection')
    const done = server.shutdown()
    await pause(300)
    open()
    await once(held, 'close')
    expect(text).toMatch(/200 OK[\s\S]*now$/)
    if (!stuck.closed) await once(stuck, 'close')
    expect(await done).toEqual({ destroyed: 0 })
  }, 10_000)
})

describe('a server that has closed', () => {
  it('has the same listeners and properties when it listens again, however often it was closed', async () => {
    const server = createServer(service())
    const at = await port(server)
    const counts = () => server.eventNames().map((event) => [event, server.listenerCount(event)])
    const [before, names] = [counts(), Reflect.ownKeys(server)]
    for (let round = 0; round < 5; round++) {
      await server.shutdown({ drain: round % 2 ? 5 : 0 })
      await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
    }
    expect(counts()).toEqual(before)
    expect(Reflect.ownKeys(server)).toEqual(names)
  })

  it('resolves shutdown() even if the service has closed all connections itself', async () => {
    const server = createServer((_req, res) => void res.flushHeaders())
    const one = await client(await port(server))
    one.send(get('/'))
    await one.receives(/\r\n\r\n/)
    const done = server.shutdown()
    server.closeAllConnections()
    expect(await done).toEqual({ destroyed: 0 })
  })
})
