import { once } from 'node:events'
import { createServer as nodeServer, type Server, type ServerResponse } from 'node:http'
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer } from '../../src/server/index.js'
import { client, port } from './serving.js'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A service whose responses to `/later/:name` wait until the test sends them. */
function service() {
  const waiting = new Map<string, ServerResponse>()
  const arrivals = new Map<string, () => void>()
  const app = express()
  app.get('/now', (_req, res) => void res.send('now'))
  app.get('/later/:name', ({ params }, res) => {
    waiting.set(params.name, res)
    arrivals.get(params.name)?.()
  })
  app.post('/body', (req, res) => void req.resume().on('end', () => res.send('body')))
  const arrived = (name: string): Promise<ServerResponse> =>
    new Promise((resolve) => {
      const look = (): void => resolve(waiting.get(name) as ServerResponse)
      if (waiting.has(name)) look()
      else arrivals.set(name, look)
    })
  return { app, arrived }
}

/**
 * Waits for some turns of the event loop. Responses have `Connection: close` from the second turn
 * after `shutdown()`.
 */
async function turns(count = 4): Promise<void> {
  for (let i = 0; i < count; i++) await immediate()
}

const settledWithin = async (promise: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  Promise.race([promise.then(() => true), pause(milliseconds, false)])

describe('shutdown()', () => {
  it('accepts no more connections, closes idle connections, and lets requests in flight complete', async () => {
    const { app, arrived } = service()
    const server = createServer(app)
    const at = await port(server)
    const idle = await client(at)
    idle.send(get('/now'))
    await idle.receives(/now$/)
    const busy = await client(at)
    busy.send(get('/later/a'))
    const res = await arrived('a')
    const done = server.shutdown()
    expect(await idle.closed).toMatch(/Connection: keep-alive/)
    expect(server.listening).toBe(false)
    const late = await client(at).then(
      ({ closed }) => closed.then(() => 'closed'),
      () => 'refused',
    )
    expect(late).toMatch(/closed|refused/)
    expect(await settledWithin(done, 100)).toBe(false)
    res.end('a')
    expect(await busy.closed).toMatch(/Connection: close[\s\S]*a$/)
    expect(await done).toEqual({ destroyed: 0 })
  })

  it('a new request on a busy connection gets a response; only the last response has "Connection: close"', async () => {
    const { app, arrived } = service()
    const server = createServer(app)
    const one = await client(await port(server))
    one.send(get('/later/a') + get('/later/b'))
    const [first, second] = [await arrived('a'), await arrived('b')]
    const done = server.shutdown()
    await turns()
    one.send(get('/later/c'))
    const third = await arrived('c')
    third.end('c')
    first.end('a')
    second.end('b')
    const heads = (await one.closed).match(/^Connection: .*(?=\r)/gm)
    expect(heads).toEqual(['Connection: keep-alive', 'Connection: keep-alive', 'Connection: close'])
    expect(await done).toEqual({ destroyed: 0 })
  })

  it('a header or a body that is still being sent can arrive completely', async () => {
    const { app } = service()
    const server = createServer(app)
    const at = await port(server)
    const body = await client(at)
    body.send('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n')
    await body.receives(/100 Continue/)
    const head = await client(at)
    head.send('GET /now HTTP/1.1\r\nHo')
    const opened = await client(at)
    await pause(50)
    const done = server.shutdown()
    await pause(150)
    body.send('abcd')
    head.send('st: x\r\n\r\n')
    opened.send(get('/now'))
    expect(await body.closed).toMatch(/200 OK[\s\S]*Connection: close[\s\S]*body$/)
    expect(await head.closed).toMatch(/200 OK[\s\S]*Connection: close[\s\S]*now$/)
    expect(await opened.closed).toMatch(/200 OK[\s\S]*Connection: close[\s\S]*now$/)
    expect(await done).toEqual({ destroyed: 0 })
  })

  it('a connection that stays silent is closed long before the grace period ends', async () => {
    const server = createServer(service().app, { grace: 20_000 })
    const at = await port(server)
    const [silent] = await Promise.all([client(at), once(server, 'connection')])
    const done = server.shutdown()
    expect(await silent.closed).toBe('')
    expect(await done).toEqual({ destroyed: 0 })
  }, 5_000)

  it('a response that has already started is completed, and then its connection is closed', async () => {
    const { app, arrived } = service()
    const server = createServer(app)
    const one = await client(await port(server))
    one.send(get('/later/a'))
    const res = await arrived('a')
    res.writeHead(200, { 'Content-Length': 2 })
    res.write('a')
    await one.receives(/a$/)
    const done = server.shutdown()
    res.end('b')
    expect(await one.closed).toMatch(/Connection: keep-alive[\s\S]*ab$/)
    expect(await done).toEqual({ destroyed: 0 })
  })

  it.each([
    ['shutdown()', (server: ReturnType<typeof createServer>) => void server.shutdown()],
    ['close()', (server: Server) => void server.close()],
  ])('%s does not cut off a response to a slow reader', async (_, end) => {
    const size = 30_000_000
    const server = createServer((_req, res) => void res.end(Buffer.alloc(size, 'x')))
    const slow = await client(await port(server))
    slow.send(get('/'))
    await slow.receives(/x/)
    slow.socket.pause()
    await pause(50)
    const closed = once(server, 'close')
    end(server)
    await pause(200)
    slow.socket.resume()
    const text = await slow.closed
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(size)
    await closed
  })

  it('aborts the remaining requests when the grace period is over, and returns their number', async () => {
    const { app, arrived } = service()
    const server = createServer(app)
    const at = await port(server)
    const [one, two] = [await client(at), await client(at)]
    one.send(get('/later/a'))
    two.send('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n')
    const res = await arrived('a')
    const gone = once(res, 'close')
    expect(await server.shutdown({ grace: 100 })).toEqual({ destroyed: 2 })
    await gone
    expect([await one.closed, await two.closed]).toEqual(['', ''])
  })

  it('repeated calls return the same promise, and can only shorten the grace period', async () => {
    const { app, arrived } = service()
    const server = createServer(app, { grace: 60_000 })
    let closes = 0
    server.on('close', () => closes++)
    const one = await client(await port(server))
    one.send(get('/later/a'))
    await arrived('a')
    const done = server.shutdown()
    expect(server.shutdown({ grace: 50 })).toBe(done)
    expect(server.shutdown({ grace: 50_000 })).toBe(done)
    expect(await done).toEqual({ destroyed: 1 })
    expect(server.shutdown()).toBe(done)
    await pause(10)
    expect(closes).toBe(1)
  })

  it('close() waits at most the grace period for requests, and calls back as in Node', async () => {
    const { app, arrived } = service()
    const server = createServer(app, { grace: 100 })
    const one = await client(await port(server))
    one.send(get('/later/a'))
    await arrived('a')
    const errors: unknown[] = []
    await new Promise<void>((resolve) => {
      expect(server.close((error) => resolve(void errors.push(error)))).toBe(server)
    })
    server.close((error) => errors.push((error as NodeJS.ErrnoException).code))
    await pause(10)
    expect(errors).toEqual([undefined, 'ERR_SERVER_NOT_RUNNING'])
  })

  it('resolves for a server that never listened, and can shut down the server after a later listen()', async () => {
    const server = createServer(service().app)
    expect(await server.shutdown()).toEqual({ destroyed: 0 })
    const one = await client(await port(server))
    one.send(get('/now'))
    expect(await one.receives(/now$/)).toMatch(/Connection: keep-alive/)
    expect(await server.shutdown()).toEqual({ destroyed: 0 })
    await one.closed
  })

  it('under load, no response is lost, cut off or sent twice', async () => {
    const body = `${'x'.repeat(100_000)}!`
    let given = 0
    const app = express()
    app.get('/:count', (_req, res) => {
      given++
      setTimeout(() => res.send(body), Math.random() * 5)
    })
    const server = createServer(app)
    const at = await port(server)
    const drive = async (): Promise<number> => {
      const one = await client(at)
      let had = 0
      let over = false
      void one.closed.then(() => {
        over = true
      })
      while (!over) {
        one.send(get('/a'))
        had++
        await Promise.race([one.receives(new RegExp(`^([^!]*!){${had}}`)), one.closed])
      }
      const text = await one.closed
      expect(text.endsWith(body)).toBe(true)
      return text.split(body).length - 1
    }
    const driven = Promise.all(Array.from({ length: 8 }, drive))
    await pause(100)
    const done = server.shutdown()
    const had = (await driven).reduce((sum, count) => sum + count, 0)
    expect(await done).toEqual({ destroyed: 0 })
    expect(had).toBe(given)
    expect(had).toBeGreaterThan(8)
  })

  it('a server that is closed right after listen() never listens', async () => {
    for (const listen of [(server: Server) => server.listen(0), (server: Server) => server.listen(0, 'localhost')]) {
      const server = createServer(service().app)
      onTestFinished(() => void server.close())
      listen(server)
      expect(await server.shutdown()).toEqual({ destroyed: 0 })
      await pause(50)
      expect(server.listening).toBe(false)
    }
  })

  it('"await using" closes the server', async () => {
    const server = createServer(service().app)
    await port(server)
    await server[Symbol.asyncDispose]()
    expect(server.listening).toBe(false)
  })

  it('during the grace period, upgraded connections stay open, and the service can send data on them', async () => {
    const server = createServer(service().app)
    const upgraded: NodeJS.WritableStream[] = []
    server.on('upgrade', (_req, socket) => {
      upgraded.push(socket)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    })
    const at = await port(server)
    const [one, two] = [await client(at), await client(at)]
    for (const each of [one, two]) {
      each.send('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
      await each.receives(/101/)
    }
    const done = server.shutdown({ grace: 300 })
    upgraded[0]?.end('bye')
    expect(await one.closed).toMatch(/bye$/)
    expect(await settledWithin(done, 50)).toBe(false)
    expect(await done).toEqual({ destroyed: 1 })
    await two.closed
  })

  it('connections of a "checkContinue" listener are closed too', async () => {
    const { app, arrived } = service()
    const server = createServer(app)
    server.on('checkContinue', (req, res) => {
      res.writeContinue()
      app(req, res)
    })
    const one = await client(await port(server))
    one.send(get('/later/a'))
    const first = await arrived('a')
    const done = server.shutdown()
    await turns()
    one.send('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nx')
    await pause(50)
    first.end('a')
    expect(await one.closed).toMatch(/keep-alive[\s\S]*Connection: close[\s\S]*body$/)
    expect(await done).toEqual({ destroyed: 0 })
  })

  it('on close(), Node itself cuts off the response to a slow reader, so the workaround is still needed', async () => {
    const server = nodeServer((_req, res) => void res.end(Buffer.alloc(30_000_000, 'x')))
    onTestFinished(() => server.closeAllConnections())
    const slow = await client(await port(server))
    slow.send(get('/'))
    await slow.receives(/x/)
    slow.socket.pause()
    await pause(50)
    server.close()
    slow.socket.resume()
    expect((await slow.closed).length).toBeLessThan(30_000_000)
  })

  it.each([-1, 1.5, Number.NaN, '5', 2 ** 31])('refuses %s as the value of "grace"', (grace) => {
    expect(() => createServer(service().app).shutdown({ grace: grace as number })).toThrow(/"grace" of shutdown\(\)/)
  })
})
