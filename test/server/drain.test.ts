/** The drain is the first part of `shutdown()`: readiness fails, but requests are still served. */
import { once } from 'node:events'
import { Agent, createServer as nodeServer, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer, type GracefulServer, probes } from '../../src/server/index.js'
import { client, port } from './serving.js'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

function service() {
  const app = express()
  app.use(probes())
  app.get('/now', (_req, res) => void res.send('now'))
  return app
}

/** Whether a new connection is accepted. */
const takes = (at: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(at, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })

describe('the drain of shutdown()', () => {
  it('at first keeps serving new and keep-alive connections, and only readiness responds with 503', async () => {
    const server = createServer(service(), { drain: 60_000 })
    const at = await port(server)
    const old = await client(at)
    old.send(get('/now'))
    await old.receives(/now$/)
    expect(server.draining).toBe(false)
    const done = server.shutdown()
    expect([server.draining, server.listening]).toEqual([true, true])
    const fresh = await client(at)
    for (const one of [old, fresh]) {
      one.send(get('/ready'))
      await one.receives(/503 Service Unavailable[\s\S]*\}$/)
      one.send(get('/now'))
      expect(await one.receives(/\}HTTP[\s\S]*now$/)).not.toMatch(/Connection: close/)
    }
    void server.shutdown({ drain: 0 })
    expect([await old.closed, await fresh.closed].every((text) => text.endsWith('now'))).toBe(true)
    expect(await done).toEqual({ destroyed: 0 })
    expect(await takes(at)).toBe(false)
  })

  it('sends "Connection: close" in its second half, and still accepts new connections', async () => {
    const server = createServer(service())
    const at = await port(server)
    const done = server.shutdown({ drain: 1_000 })
    // Repeats the request until a response has `Connection: close`.
    let text = ''
    while (!text.includes('Connection: close')) {
      expect(server.listening).toBe(true)
      const one = await client(at)
      one.send(get('/now'))
      text = await one.receives(/now$/)
      one.socket.destroy()
    }
    expect([server.listening, await takes(at)]).toEqual([true, true])
    expect(await done).toEqual({ destroyed: 0 })
  })

  it('may be longer than the grace period, which starts when the drain ends', async () => {
    const server = createServer((_req, res) => void setTimeout(() => res.end('late'), 400), { drain: 300, grace: 250 })
    const at = await port(server)
    const one = await client(at)
    one.send(get('/'))
    await once(server, 'request')
    expect(await server.shutdown()).toEqual({ destroyed: 0 })
    expect(await one.closed).toMatch(/late$/)
  })

  it('ends early on close() or on a call with a shorter drain; a call with a longer drain has no effect', async () => {
    for (const end of [
      (server: GracefulServer) => void server.close(),
      (server: GracefulServer) => void server.shutdown({ drain: 0 }),
    ]) {
      const server = createServer((_req, res) => void res.flushHeaders(), { drain: 60_000, grace: 200 })
      const one = await client(await port(server))
      one.send(get('/'))
      await one.receives(/\r\n\r\n/)
      const done = server.shutdown()
      expect(server.shutdown({ drain: 120_000, grace: 120_000 })).toBe(done)
      end(server)
      expect(server.listening).toBe(false)
      expect(await done).toEqual({ destroyed: 1 })
    }
  }, 10_000)

  it('close() during the drain calls back without an error, because the server was open', async () => {
    const server = createServer(service())
    await port(server)
    void server.shutdown({ drain: 60_000 })
    expect(await new Promise((resolve) => server.close(resolve))).toBeUndefined()
  })

  it('shutdown({ drain: 0, grace: 0 }) closes everything at once, during the drain and after it', async () => {
    for (const drain of [60_000, 0]) {
      const server = createServer((_req, res) => void res.flushHeaders(), { grace: 60_000 })
      const one = await client(await port(server))
      one.send(get('/'))
      await one.receives(/\r\n\r\n/)
      const done = server.shutdown({ drain })
      void server.shutdown({ drain: 0, grace: 0 })
      expect(await done).toEqual({ destroyed: 1 })
    }
  })

  it('is skipped if the server has not emitted `listening`', async () => {
    const never = createServer(service(), { drain: 60_000 })
    expect(await never.shutdown()).toEqual({ destroyed: 0 })
    expect(never.draining).toBe(true)
    const early = createServer(service(), { drain: 60_000 })
    early.listen(0)
    expect(await early.shutdown()).toEqual({ destroyed: 0 })
    await pause(20)
    expect(early.listening).toBe(false)
  })

  it('a server that listens again is no longer draining, and can drain again', async () => {
    const server = createServer(service())
    expect(await server.shutdown()).toEqual({ destroyed: 0 })
    const at = await port(server)
    expect(server.draining).toBe(false)
    const one = await client(at)
    one.send(get('/ready'))
    expect(await one.receives(/\r\n\r\n/)).toMatch(/204 No Content[\s\S]*keep-alive/)
    const done = server.shutdown({ drain: 100 })
    expect(server.draining).toBe(true)
    await done
  })

  it('Node refuses a listen() during the drain, because the server is still listening', async () => {
    const server = createServer(service())
    await port(server)
    const done = server.shutdown({ drain: 50 })
    expect(() => server.listen(0)).toThrow(expect.objectContaining({ code: 'ERR_SERVER_ALREADY_LISTEN' }))
    await done
  })

  it('upgraded connections stay open during the drain and the grace period after it', async () => {
    const server = createServer(service())
    server.on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
      socket.on('data', (data) => socket.write(data)).on('error', () => {})
    })
    const one = await client(await port(server))
    one.send('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    await one.receives(/101/)
    const done = server.shutdown({ drain: 100, grace: 100 })
    one.send('during')
    await one.receives(/during$/)
    expect(await done).toEqual({ destroyed: 1 })
  })

  it.each([-1, 0.5, '5', 2 ** 31])('refuses %s as the value of "drain"', (drain) => {
    expect(() => createServer(service()).shutdown({ drain: drain as number })).toThrow(/"drain" of shutdown\(\)/)
    expect(() => createServer(service(), { drain: drain as number })).toThrow(/"drain" of createServer\(\)/)
  })
})

/**
 * A proxy that checks whether each server is ready. It sends requests only to ready servers, over
 * keep-alive connections.
 */
async function balancer(every: number) {
  const agent = new Agent({ keepAlive: true })
  const ready = new Map<number, boolean>()
  const probe = (at: number): void => {
    const asked = request({ port: at, host: '127.0.0.1', path: '/ready', agent: false }, (response) => {
      response.resume()
      if (ready.has(at)) ready.set(at, response.statusCode === 204)
    })
    asked.on('error', () => ready.has(at) && ready.set(at, false)).end()
  }
  const polling = setInterval(() => {
    for (const at of ready.keys()) probe(at)
  }, every)
  let turn = 0
  const proxy = nodeServer((req, res) => {
    const able = [...ready].filter(([, good]) => good).map(([at]) => at)
    const at = able[turn++ % able.length]
    const passed = request({ port: at, host: '127.0.0.1', path: req.url, method: req.method, agent }, (response) => {
      res.writeHead(response.statusCode ?? 502)
      response.pipe(res)
    })
    passed.on('error', (error) => res.writeHead(502).end(String(error)))
    req.pipe(passed)
  })
  const at = await port(proxy)
  onTestFinished(() => {
    clearInterval(polling)
    agent.destroy()
  })
  return {
    at,
    add: (server: number) => void ready.set(server, false),
    remove: (server: number) => void ready.delete(server),
    isReady: (server: number) => ready.get(server) === true,
  }
}

describe('a rolling restart behind a proxy that checks readiness', () => {
  it('loses no request of a steady load', async () => {
    const front = await balancer(50)
    const app = service()
    app.post('/slow', (req, res) => void req.resume().on('end', () => setTimeout(() => res.send('now'), 30)))
    const start = async () => {
      const server = createServer(app, { drain: 500 })
      const at = await port(server)
      front.add(at)
      await expect.poll(() => front.isReady(at), { timeout: 10_000 }).toBe(true)
      return { server, at }
    }
    let fleet: { server: GracefulServer; at: number }[] = [await start(), await start()]
    const failed: string[] = []
    let answered = 0
    let over = false
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const drive = async (slow: boolean): Promise<void> => {
      while (!over) {
        const outcome = await new Promise<string>((resolve) => {
          const options = {
            port: front.at,
            host: '127.0.0.1',
            path: slow ? '/slow' : '/now',
            method: slow ? 'POST' : 'GET',
            agent,
          }
          const asked = request(options, (response) => {
            let text = String(response.statusCode)
            response.setEncoding('utf8').on('data', (chunk: string) => {
              text += ` ${chunk}`
            })
            response.on('close', () => resolve(text))
          })
          asked.on('error', ({ message }) => resolve(message)).end(slow ? 'x'.repeat(10_000) : '')
        })
        if (outcome === '200 now') answered++
        else failed.push(outcome)
        await pause(2)
      }
    }
    const driven = Promise.all(Array.from({ length: 12 }, (_, i) => drive(i % 3 === 0)))
    for (let round = 0; round < 2; round++) {
      for (const old of fleet) {
        const next = await start()
        expect(await old.server.shutdown()).toEqual({ destroyed: 0 })
        front.remove(old.at)
        fleet = [...fleet.filter((one) => one !== old), next]
      }
    }
    over = true
    await driven
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(200)
  })
})
