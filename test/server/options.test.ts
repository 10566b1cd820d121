import { createServer as nodeServer } from 'node:http'
import { Server as TlsServer } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createServer, type ServerOptions } from '../../src/server/index.js'
import { answers, client, port } from './serving.js'

const app = (_req: unknown, res: { end(text: string): void }): void => res.end('served')

const bounds = [
  'headersTimeout',
  'requestTimeout',
  'keepAliveTimeout',
  'timeout',
  'maxHeadersCount',
  'maxHeaderSize',
  'maxRequestsPerSocket',
  'maxConnections',
  'connectionsCheckingInterval',
] as const

const boundsOf = (server: object): unknown =>
  Object.fromEntries(bounds.map((name) => [name, (server as Record<string, unknown>)[name]]))

describe('the options of createServer()', () => {
  it('have the defaults that docs/server.md gives', () => {
    expect(boundsOf(createServer(app))).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      timeout: 120_000,
      maxHeadersCount: 101, // the 101st field is the first to be refused
      maxHeaderSize: 16_384,
      maxRequestsPerSocket: 0,
      maxConnections: 10_000,
      connectionsCheckingInterval: 5_000,
    })
  })

  it('are set on the server', () => {
    const given = Object.fromEntries(bounds.map((name, at) => [name, 1_000 + at]))
    given.requestTimeout = 5_000
    expect(boundsOf(createServer(app, given))).toEqual({ ...given, maxHeadersCount: (given.maxHeadersCount ?? 0) + 1 })
    expect(createServer(app, { node: { noDelay: false, highWaterMark: 1 } })).toMatchObject({
      noDelay: false,
      highWaterMark: 1,
    })
  })

  it('the default of "headersTimeout" is at most "requestTimeout", and a limit of 0 means no limit', () => {
    expect(createServer(app, { requestTimeout: 5_000 }).headersTimeout).toBe(5_000)
    expect(createServer(app, { requestTimeout: 0 }).headersTimeout).toBe(10_000)
    expect(createServer(app, { headersTimeout: 0 }).headersTimeout).toBe(0)
    expect(createServer(app, { maxConnections: 0 }).maxConnections).toBeUndefined()
  })

  it('an option that is undefined counts as absent', () => {
    const none = {
      grace: undefined,
      tls: undefined,
      node: undefined,
      timeout: undefined,
      problemBase: undefined,
      onClientError: undefined,
    }
    const server = createServer(app, none as unknown as ServerOptions)
    expect(server.timeout).toBe(120_000)
    expect(server).not.toBeInstanceOf(TlsServer)
  })

  it.each<[unknown, RegExp]>([
    [null, /are null\. Give an object/],
    [{ keepalivetimeout: 1 }, /Did you mean "keepAliveTimeout"\?/],
    [{ key: 'k', cert: 'c' }, /no option "key".*into the option "tls"/],
    [{ maxHeaderSize: 0 }, /"maxHeaderSize" of createServer\(\) is 0.*1 to/],
    [{ connectionsCheckingInterval: 0 }, /1 to/],
    [{ grace: -1 }, /"grace" of createServer\(\) is -1/],
    [{ timeout: '5' }, /"timeout" of createServer\(\) is '5'/],
    [{ timeout: Number.POSITIVE_INFINITY }, /timeout/],
    [{ headersTimeout: 10, requestTimeout: 5 }, /more than "requestTimeout"/],
    [{ tls: true }, /"tls" of createServer\(\) is true\. Give an object/],
    [{ node: null }, /"node" of createServer\(\) is null\. Give an object/],
    [
      { tls: { keepAliveTimeout: 5 } },
      /"tls" of createServer\(\) has no option "keepAliveTimeout"\. Put it next to "tls"/,
    ],
    [{ node: { ServerResponse: class {} } }, /"node" of createServer\(\) has no option "ServerResponse"/],
    [{ onClientError: 'log' }, /onClientError/],
    [{ problemBase: 5 }, /problemBase/],
  ])('%j is refused with an error that names the fix', (options, message) => {
    expect(() => createServer(app, options as ServerOptions)).toThrow(message)
    expect(() => createServer(app, options as ServerOptions)).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    )
  })

  it.each([undefined, null, {}, 'app'])('a value that is not a listener is refused: %j', (listener) => {
    expect(() => createServer(listener as never)).toThrow(/Give an Express app/)
  })

  it('"timeout" closes a connection that waits for a response, but not an idle connection', async () => {
    const at = await port(
      createServer((req, res) => (req.url === '/' ? res.end('served') : undefined), {
        timeout: 100,
        keepAliveTimeout: 5_000,
      }),
    )
    const [idle, stuck] = [await client(at), await client(at)]
    idle.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    stuck.send('GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await stuck.closed).toBe('')
    await pause(100)
    idle.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect((await idle.closed).match(/200 OK/g)).toHaveLength(2)
  })

  it('"keepAliveTimeout" closes an idle connection, but not one that waits for a response', async () => {
    let finish = (): void => {}
    const serve = (keepAliveTimeout: number): Promise<number> =>
      port(
        createServer(
          (req, res) => {
            if (req.url === '/') res.end('served')
            else finish = () => void res.end('served')
          },
          { timeout: 0, keepAliveTimeout },
        ),
      )
    const [short, long] = [await serve(50), await serve(60_000)]
    // If both servers had the same timeout, `longer` would be closed before `idle`.
    const [longer, waiting, idle] = [await client(long), await client(short), await client(short)]
    longer.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await longer.receives(/served$/)
    waiting.send('GET /waiting HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    idle.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await idle.closed).toMatch(/served$/)
    longer.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect((await longer.closed).match(/200 OK/g)).toHaveLength(2)
    finish()
    expect(await waiting.closed).toMatch(/served$/)
  })

  it('connections beyond "maxConnections" are closed immediately', async () => {
    const server = createServer(app, { maxConnections: 1 })
    const at = await port(server)
    const first = await client(at)
    expect(await answers(at, '')).toBe('')
    first.send('GET / HTTP/1.0\r\n\r\n')
    expect(await first.closed).toMatch(/served$/)
  })

  it('listen() has the signatures of Node, and emits the same errors', async () => {
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 5 }, resolve))
    expect(server.address()).toMatchObject({ address: '127.0.0.1' })
    const other = nodeServer()
    const address = server.address() as { port: number }
    const taken = await new Promise<NodeJS.ErrnoException>((resolve) =>
      createServer(app).on('error', resolve).listen(address.port, '127.0.0.1'),
    )
    expect(taken.code).toBe('EADDRINUSE')
    await server.shutdown()
    expect(server.listen).toBe(other.listen)
  })
})
