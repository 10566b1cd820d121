import { AsyncLocalStorage } from 'node:async_hooks'
import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  Agent,
  IncomingMessage,
  createServer as makeNodeServer,
  type RequestListener,
  request,
  type Server,
  ServerResponse,
} from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createServer } from '../../src/server/index.js'
import { majors } from '../middleware/majors.js'
import { answers, client, port } from './serving.js'

const get = 'GET /a?b=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/**
 * The prototypes of a request and its response at the time when the first listener receives them.
 */
const bornWith = async (server: ReturnType<typeof createServer>): Promise<unknown[]> => {
  const seen: unknown[] = []
  server.prependOnceListener('request', (req, res) => seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res)))
  await answers(await port(server), get)
  return seen
}

const nodeServer: Make = (app) => makeNodeServer(app)
const ourServer: Make = (app) => createServer(app)
type Make = (app: RequestListener) => Server

const plain = [IncomingMessage.prototype, ServerResponse.prototype]

describe.each(majors)('request objects, on %s', (_, express) => {
  it('Express changes the prototype of a request from Node, but not of a request from createServer()', async () => {
    const change = vi.spyOn(Object, 'setPrototypeOf')
    onTestFinished(() => change.mockRestore())
    const changed = async (make: Make): Promise<number> => {
      const app = express()
      let changes = 0
      app.get('/a', (req, res) => {
        changes = change.mock.calls.filter(([object, prototype]) => object === req && prototype !== born).length
        res.end()
      })
      let born: unknown
      const server = make(app)
      server.prependListener('request', (req) => {
        born = Object.getPrototypeOf(req)
        change.mockClear()
      })
      await answers(await port(server), get)
      return changes
    }
    expect(await changed(ourServer)).toBe(0)
    // Express 4 keeps a reference to the original `setPrototypeOf`, so the test cannot observe its
    // calls.
    if (express === majors[0]?.[1]) expect(await changed(nodeServer)).toBe(1)
  })

  it('listeners of "upgrade" get a plain Node request; without a listener, Express serves the request', async () => {
    const app = express()
    app.get('/a', (_req, res) => void res.send('ordinary'))
    const server = createServer(app)
    const at = await port(server)
    const upgrade = get.replace('Connection: close', 'Connection: Upgrade, close\r\nUpgrade: x')
    const seen: unknown[] = []
    const take = (req: IncomingMessage, socket: { end(text: string): void }): void => {
      seen.push(Object.getPrototypeOf(req))
      // WebSocket libraries assign properties that are getters in Express.
      Object.assign(req, { protocol: 'x', query: { a: 1 } })
      socket.end('taken')
    }
    expect(await answers(at, upgrade)).toMatch(/ordinary/)
    server.once('upgrade', take)
    server.on('connect', take)
    expect(await answers(at, upgrade)).toBe('taken')
    expect(await answers(at, 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')).toBe('taken')
    expect(server.listenerCount('upgrade')).toBe(0)
    expect(await answers(at, upgrade)).toMatch(/ordinary/)
    server.on('upgrade', take)
    server.removeAllListeners('upgrade')
    expect(await answers(at, upgrade)).toMatch(/ordinary/)
    expect(seen).toEqual([IncomingMessage.prototype, IncomingMessage.prototype])
  })

  it('if the app redefines a request or response property of Node, the server creates plain Node objects', async () => {
    for (const spoil of [
      (app: ReturnType<typeof express>) =>
        Object.defineProperty(app.request, 'url', { get: () => '/other', configurable: true }),
      (app: ReturnType<typeof express>) =>
        Object.defineProperty(app.request, 'method', { set: () => {}, get: () => 'GET', configurable: true }),
      (app: ReturnType<typeof express>) =>
        Object.defineProperty(app.response, 'shouldKeepAlive', { value: false, writable: false }),
    ]) {
      const served = async (make: Make, late: boolean): Promise<readonly [string, unknown[]]> => {
        const app = express()
        app.get('/a', (req, res) => void res.json([req.url, req.method, res.statusCode]))
        if (!late) spoil(app)
        const server = make(app)
        if (late) spoil(app)
        const seen: unknown[] = []
        server.prependOnceListener('request', (req, res) =>
          seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res)),
        )
        return [await answers(await port(server), get), seen]
      }
      const [expected] = await served(nodeServer, false)
      for (const late of [false, true]) {
        const [text, seen] = await served(ourServer, late)
        expect(text.replace(/timeout=\d+/, '')).toBe(expected.replace(/timeout=\d+/, ''))
        expect(seen).toEqual(plain)
      }
    }
  })

  it('the prototypes of the app can be replaced, frozen or extended while the server runs', async () => {
    const app = express()
    app.get('/a', (req, res) => {
      res.send(`${(req as unknown as { who?: string }).who} ${Object.isFrozen(app.request)}`)
    })
    const at = await port(createServer(app))
    expect(await answers(at, get)).toMatch(/undefined false$/)
    Object.assign(app.request, { who: 'extended' })
    expect(await answers(at, get)).toMatch(/extended false$/)
    Object.freeze(app.request)
    Object.freeze(app.response)
    expect(await answers(at, get)).toMatch(/extended true$/)
    const other = Object.create(app.request, { who: { value: 'replaced' } })
    Object.defineProperty(app, 'request', { value: other })
    // The server creates the request with the earlier prototype, which Express then replaces.
    expect(await answers(at, get)).toMatch(/replaced false$/)
  })

  it('createServer() serves an app whose prototypes are already frozen', async () => {
    const app = express()
    app.get('/a', (_req, res) => void res.send('frozen'))
    Object.freeze(app.request)
    Object.freeze(app.response)
    expect(await answers(await port(createServer(app)), get)).toMatch(/frozen$/)
  })

  it('AsyncLocalStorage and the diagnostics channels of Node work with requests from createServer()', async () => {
    const storage = new AsyncLocalStorage<string>()
    const app = express()
    app.get('/a', async (req, res) => {
      await new Promise(setImmediate)
      res.send(`${storage.getStore()} ${responses.get(req) === res}`)
    })
    const responses = new Map<unknown, unknown>()
    const listen = (message: unknown): void => {
      const { request: req, response: res } = message as { request: unknown; response: unknown }
      responses.set(req, res)
    }
    const finished = vi.fn()
    diagnostics.subscribe('http.server.request.start', listen)
    diagnostics.subscribe('http.server.response.finish', finished)
    onTestFinished(() => {
      diagnostics.unsubscribe('http.server.request.start', listen)
      diagnostics.unsubscribe('http.server.response.finish', finished)
    })
    const server = createServer((req, res) => storage.run(`store ${req.url}`, () => app(req, res)))
    const direct = createServer(app)
    expect(await answers(await port(server), get)).toMatch(/store \/a\?b=1 true$/)
    expect(await answers(await port(direct), get)).toMatch(/undefined true$/)
    expect(finished).toHaveBeenCalledTimes(2)
  })

  it('request and response emit "close" if the client disconnects', async () => {
    const app = express()
    const seen: string[] = []
    const gone = new Promise<void>((resolve) => {
      app.post('/a', (req, res) => {
        req.on('aborted', () => seen.push('aborted'))
        req.on('error', (error: NodeJS.ErrnoException) => seen.push(String(error.code)))
        req.on('close', () => seen.push('close of req'))
        res.on('close', () => {
          seen.push(`close of res ${res.writableFinished} ${req.destroyed}`)
          setImmediate(resolve)
        })
        reached()
      })
    })
    let reached = (): void => {}
    const begun = new Promise<void>((resolve) => {
      reached = resolve
    })
    const one = await client(await port(createServer(app)))
    one.send('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab')
    await begun
    one.socket.destroy()
    await gone
    expect(seen.sort()).toEqual(['ECONNRESET', 'aborted', 'close of req', 'close of res false true'])
  })

  it('an agent of Node keeps its connection for many requests', async () => {
    const app = express()
    app.get('/a', (_req, res) => void res.json(1))
    const server = createServer(app)
    let connections = 0
    server.on('connection', () => connections++)
    const at = await port(server)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let count = 0; count < 20; count++) {
      const [answer] = await once(request({ port: at, host: '127.0.0.1', path: '/a', agent }).end(), 'response')
      await once(answer.resume(), 'end')
    }
    agent.destroy()
    expect(connections).toBe(1)
  })
})

describe('the server creates plain Node objects for', () => {
  const ordinary = (_req: IncomingMessage, res: ServerResponse): void => void res.end('served')
  const withPrototypes = (request: unknown, response: unknown = request) =>
    Object.assign(ordinary.bind(null), { request, response })

  it.each<[string, (req: IncomingMessage, res: ServerResponse) => void]>([
    ['a plain listener', ordinary],
    ['an app whose prototypes do not inherit from the classes of Node', withPrototypes({ json() {} })],
    ['an app whose prototypes are functions', withPrototypes(IncomingMessage, ServerResponse)],
    ['an app with only a request prototype', withPrototypes(Object.create(IncomingMessage.prototype), null)],
    [
      'an app whose prototypes are swapped',
      withPrototypes(Object.create(ServerResponse.prototype), Object.create(IncomingMessage.prototype)),
    ],
    [
      'an app with a getter that throws',
      new Proxy(ordinary, { get: (target, name) => (name === 'request' ? raise() : Reflect.get(target, name)) }),
    ],
  ])('%s', async (_, listener) => {
    expect(await bornWith(createServer(listener))).toEqual(plain)
    expect(await answers(await port(createServer(listener)), get)).toMatch(/200 OK[\s\S]*served$/)
  })

  it('an Express app, if the classes of Node can only be called with "new"', async () => {
    const app = majors[0]?.[1]() as unknown as (typeof majors)[0][1] & RequestListener
    const call = Function.prototype.call
    Object.defineProperty(IncomingMessage, 'call', { configurable: true, value: raise })
    onTestFinished(() => void Reflect.deleteProperty(IncomingMessage, 'call'))
    expect(IncomingMessage.call).not.toBe(call)
    expect(await bornWith(createServer(app))).toEqual(plain)
  })
})

function raise(): never {
  throw new TypeError('Class constructors cannot be called')
}
