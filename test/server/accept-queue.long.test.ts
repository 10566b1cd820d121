/**
 * Tests of servers that close while connections are in the kernel's queue. Node has not accepted
 * these connections yet.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as nodeServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer, type GracefulServer } from '../../src/server/index.js'
import { certificate } from './certificate.js'
import { client, port } from './serving.js'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const served = (_req: unknown, res: { end(text: string): void }): void => res.end('served')
const whole = /^HTTP\/1\.1 200 OK\r\n[\s\S]*served$/

/**
 * The bytes that a socket received until it was closed, followed by the error code if the
 * connection failed.
 */
function outcome(socket: Socket): Promise<string> {
  let text = ''
  let failure = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    failure = ` ${code}`
  })
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve) => {
    socket.once('close', () => resolve(text + failure))
  })
}

/**
 * Opens connections. Resolves when they are in the kernel's queue, before the event loop lets Node
 * accept them.
 */
async function crowd(count: number, open: () => Socket, first = request): Promise<Promise<string>[]> {
  const outcomes = Array.from({ length: count }, () => {
    const socket = open()
    if (first !== '') socket.write(first)
    return outcome(socket)
  })
  // In the next tick, Node starts to connect to the IP address or the socket path.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  return outcomes
}

const allServed = async (outcomes: readonly Promise<string>[]): Promise<void> => {
  const all = await Promise.all(outcomes)
  expect(all.filter((text) => !whole.test(text))).toEqual([])
}

const ends: readonly [string, (server: GracefulServer) => Promise<unknown>][] = [
  ['shutdown()', (server) => server.shutdown()],
  ['close()', (server) => new Promise((resolve) => server.close(resolve))],
]

describe.each(ends)('connections that are queued when %s is called', (_, end) => {
  it.each([50, 300])('all %i requests get a response', async (count) => {
    const server = createServer(served)
    const at = await port(server)
    const queued = await crowd(count, () => connect(at, '127.0.0.1'))
    await end(server)
    await allServed(queued)
  })

  it('all requests over a Unix socket get a response', async () => {
    const home = mkdtempSync(join(tmpdir(), 'queue-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const server = createServer(served)
    await new Promise<void>((resolve) => server.listen(join(home, 's'), resolve))
    const queued = await crowd(100, () => connect(join(home, 's')))
    await end(server)
    await allServed(queued)
  })

  it('all requests over TLS get a response, although the handshakes start after the call', async () => {
    const server = createServer(served, { tls: certificate() })
    const at = await port(server)
    const queued = await crowd(50, () => connectTls({ port: at, host: '127.0.0.1', rejectUnauthorized: false }))
    await end(server as unknown as GracefulServer)
    await allServed(queued)
  })

  it('requests that are sent after the call get a response too', async () => {
    const server = createServer(served)
    const at = await port(server)
    const sockets: Socket[] = []
    const queued = await crowd(
      100,
      () => {
        const socket = connect(at, '127.0.0.1')
        sockets.push(socket)
        return socket
      },
      '',
    )
    const done = end(server)
    for (const [i, socket] of sockets.entries())
      socket.once('connect', () => setTimeout(() => socket.write(request), i * 4))
    await allServed(queued)
    await done
  })

  it('all requests get a response, even if the handler takes 3 ms for each', async () => {
    const server = createServer((_req, res) => {
      for (const until = performance.now() + 3; performance.now() < until; );
      res.end('served')
    })
    const at = await port(server)
    const queued = await crowd(200, () => connect(at, '127.0.0.1'))
    await end(server)
    await allServed(queued)
  })

  it('requests that arrive while the event loop is blocked get a response', async () => {
    const server = createServer(served)
    const at = await port(server)
    const open = await client(at)
    open.send(request)
    await open.receives(/served$/)
    const done = end(server)
    const idle = await crowd(1, () => connect(at, '127.0.0.1'), '')
    const queued = await crowd(100, () => connect(at, '127.0.0.1'))
    open.send(request)
    for (const until = performance.now() + 1_500; performance.now() < until; );
    await allServed(queued)
    expect((await open.closed).match(/served/g)).toHaveLength(2)
    expect(await Promise.all(idle)).toEqual([''])
    await done
  })
})

describe('a listening socket', () => {
  it('Node itself resets queued connections on close(), so the workaround is still needed', async () => {
    const server = nodeServer(served)
    const queued = await port(server).then((at) => crowd(50, () => connect(at, '127.0.0.1')))
    server.close()
    const lost = (await Promise.all(queued)).filter((text) => !whole.test(text))
    expect(lost.length).toBeGreaterThan(0)
  })

  it('closes after half of the grace period if new connections keep arriving', async () => {
    const server = createServer(served, { grace: 1_000 })
    const at = await port(server)
    const begun = performance.now()
    const done = server.shutdown()
    const before = await crowd(20, () => connect(at, '127.0.0.1'))
    // Each accepted connection starts the next two, so the queue is never empty.
    const more = (): void => {
      for (let i = 0; i < 2; i++)
        connect(at, '127.0.0.1')
          .on('error', () => {})
          .resume()
          .end(request)
    }
    server.on('connection', more)
    more()
    await allServed(before)
    await done
    expect(performance.now() - begun).toBeGreaterThan(450)
    await expect(once(connect(at, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('closes before the grace period has ended if connections arrive only every 5 ms', async () => {
    const server = createServer(served, { grace: 60_000 })
    const at = await port(server)
    const stream = setInterval(
      () =>
        connect(at, '127.0.0.1')
          .on('error', () => {})
          .resume()
          .end(request),
      5,
    )
    onTestFinished(() => clearInterval(stream))
    expect(await server.shutdown()).toEqual({ destroyed: 0 })
  }, 10_000)

  it('connections beyond maxConnections are still refused, and do not keep the socket open', async () => {
    const server = createServer(served, { maxConnections: 1 })
    const at = await port(server)
    const [first] = await Promise.all([client(at), once(server, 'connection')])
    const queued = await crowd(50, () => connect(at, '127.0.0.1'))
    const done = server.shutdown()
    expect((await Promise.all(queued)).filter((text) => whole.test(text))).toEqual([])
    first.send(request)
    expect(await first.closed).toMatch(whole)
    expect(await done).toEqual({ destroyed: 0 })
  })
})

describe('close() behaves as in Node', () => {
  it('sets "listening" to false at once, and calls back after the last connection has closed', async () => {
    const server = createServer(served)
    const at = await port(server)
    const queued = await crowd(5, () => connect(at, '127.0.0.1'))
    const order: string[] = []
    server.on('close', () => order.push('close'))
    const called = new Promise<unknown>((resolve) =>
      server.close((error) => resolve(order.push(`called back ${error}`))),
    )
    expect(server.listening).toBe(false)
    await called
    await allServed(queued)
    expect(order).toEqual(['close', 'called back undefined'])
    expect(Object.hasOwn(server, 'listening') || Object.hasOwn(server, 'listen')).toBe(false)
    expect(server.address()).toBeNull()
  })

  it('has the same results as in Node if it is called twice', async () => {
    const seen = await Promise.all(
      [nodeServer(served), createServer(served)].map(async (server) => {
        await port(server)
        const order: unknown[] = []
        server.on('close', () => order.push('close'))
        const second = new Promise<void>((resolve) => {
          server.close((error) => order.push(error))
          server.close((error) => resolve(void order.push((error as NodeJS.ErrnoException).code)))
        })
        await second
        await immediate()
        return order
      }),
    )
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]).toContain('ERR_SERVER_NOT_RUNNING')
  })

  it('after shutdown(), passes an error to its callback, as a second close() does', async () => {
    const server = createServer(served)
    await port(server)
    const done = server.shutdown()
    expect(await new Promise((resolve) => server.close(resolve))).toMatchObject({ code: 'ERR_SERVER_NOT_RUNNING' })
    await done
  })

  it('listen() right after close() listens again, on the same port', async () => {
    const server = createServer(served)
    const at = await port(server)
    const done = server.shutdown()
    server.close()
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
    await done
    expect([server.listening, server.draining]).toEqual([true, false])
    const one = await client(at)
    one.send(request)
    expect(await one.receives(/served$/)).toMatch(/keep-alive/)
    expect(await server.shutdown()).toEqual({ destroyed: 0 })
    expect(server.listening).toBe(false)
  })

  it('a listen() function that other code set on the server is kept', async () => {
    const server = createServer(served)
    await port(server)
    const own = server.listen.bind(server)
    server.listen = own
    await server.shutdown()
    expect(server.listen).toBe(own)
  })

  it('if the server never listened, passes an error to its callback, and the server emits "close"', async () => {
    const server = createServer(served)
    const closed = once(server, 'close')
    expect(await new Promise((resolve) => server.close(resolve))).toMatchObject({ code: 'ERR_SERVER_NOT_RUNNING' })
    await closed
  })

  it('a server that is closed before it has emitted "listening" never emits "listening"', async () => {
    const server: Server = createServer(served)
    const events: string[] = []
    for (const event of ['listening', 'close']) server.on(event, () => events.push(event))
    server.listen(0)
    server.close()
    await once(server, 'close')
    await immediate()
    expect(events).toEqual(['close'])
  })
})

describe('a process that ends on SIGTERM', () => {
  const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
  async function start(file: string): Promise<{ child: ChildProcess; at: number; exited: Promise<unknown[]> }> {
    const child = spawn(process.execPath, [script(file)], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    return { child, at: Number(String(line)), exited: once(child, 'exit') }
  }

  /**
   * Sends requests to a paused process, so that all connections are queued when the process handles
   * SIGTERM. Each request must get a response.
   */
  async function flood(file: string, count: number): Promise<void> {
    const { child, at, exited } = await start(file)
    child.kill('SIGSTOP')
    const sockets = Array.from({ length: count }, () => connect(at, '127.0.0.1'))
    const outcomes = sockets.map(outcome)
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (const socket of sockets) socket.write(request)
    child.kill('SIGTERM')
    child.kill('SIGCONT')
    await allServed(outcomes)
    expect(await exited).toEqual([0, null])
  }

  it.each([50, 200, 480])('responds to the requests of %i connections that are open at the signal', async (count) => {
    for (let round = 0; round < 3; round++) await flood('ending-process.mjs', count)
  })

  it('responds to all requests if all workers of a cluster end together', async () => {
    await flood('ending-cluster.mjs', 200)
  })

  it('under steady load in a cluster, leaves new connections to the other worker', async () => {
    const { child, at, exited } = await start('ending-cluster.mjs')
    const outcomes: Promise<string>[] = []
    const load = setInterval(() => {
      for (let i = 0; i < 2; i++) {
        const socket = connect(at, '127.0.0.1')
        outcomes.push(outcome(socket))
        socket.write(request.replace('Host', 'Connection: close\r\nHost'))
      }
    }, 4)
    onTestFinished(() => clearInterval(load))
    await pause(100)
    const before = [...outcomes]
    child.kill('SIGUSR2')
    const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    expect(String(line)).toBe('exit 0\n')
    await pause(50)
    clearInterval(load)
    await allServed(before)
    // Node.js itself loses a connection that the primary passes to a worker while the worker exits.
    const later = await Promise.all(outcomes.slice(before.length))
    expect(later.filter((text) => !whole.test(text)).length).toBeLessThanOrEqual(2)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  it('responds, under steady load, to the connections that exist at the signal', async () => {
    const { child, at, exited } = await start('ending-process.mjs')
    const open: Promise<string>[] = []
    const load = setInterval(() => {
      for (let i = 0; i < 5; i++) {
        const socket = connect(at, '127.0.0.1')
        socket.once('connect', () => open.push(outcome(socket)))
        socket.on('error', () => {})
        socket.write(request.replace('Host', 'Connection: close\r\nHost'))
      }
    }, 2)
    onTestFinished(() => clearInterval(load))
    await pause(300)
    const before = [...open]
    child.kill('SIGTERM')
    await pause(20)
    clearInterval(load)
    await allServed(before)
    expect(before.length).toBeGreaterThan(50)
    expect(await exited).toEqual([0, null])
  })
})
