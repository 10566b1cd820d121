/**
 * Exports that fail. A truncated export never looks complete. When an export has failed, the
 * service reads no more pages for it.
 */
import http from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import compression from 'compression'
import { describe, expect, it } from 'vitest'
import type { Adapter, AdapterCall, ErrorEvent, ListRequest, Page, ResponseEvent } from '../../src/index.js'
import { createServer } from '../../src/server/index.js'
import { frameworks, listen, problem } from '../clauses/fixture.js'
import { begin, end, type Pedido, pedidosOf, service } from './fixture.js'

type List = Adapter<Pedido, number>['list']

/**
 * An adapter for orders. Its method `list` returns the result of `around`. The first argument of
 * `around` is the number of the call, starting from 1.
 */
function paged(
  around: (page: number, list: () => ReturnType<List>, call: AdapterCall, request: ListRequest) => ReturnType<List>,
  count = 45,
) {
  const inner = pedidosOf(count)
  let page = 0
  const adapter: Adapter<Pedido, number> = {
    read: (keys, call) => inner.read(keys, call),
    list: (request, call) => {
      page += 1
      return around(page, () => inner.list(request, call), call, request)
    },
  }
  return { adapter, pages: () => page }
}

/**
 * Lists a page, and makes the page 3 MB long by default, so that the response is larger than the
 * socket buffers of server and client.
 */
const bulky = async (list: () => ReturnType<List>, characters = 300_000): Promise<Page<Pedido>> => {
  const page = await list()
  return {
    ...page,
    items: page.items.map(({ value, version }) => ({ version, value: { ...value, nota: 'x'.repeat(characters) } })),
  }
}

function recorder() {
  const errors: ErrorEvent[] = []
  const answers: ResponseEvent[] = []
  let wake = (): void => {}
  const answered = new Promise<void>((resolve) => {
    wake = resolve
  })
  return {
    errors,
    answers,
    answered,
    onError: (event: ErrorEvent) => void errors.push(event),
    onResponse: (event: ResponseEvent) => {
      answers.push(event)
      wake()
    },
  }
}

describe.each(frameworks)('broken exports on %s', (_, express) => {
  it.each([
    ['without compression', []],
    ['behind compression', [compression({ threshold: 0 })]],
  ])('ERR-3: %s, an error in page 3 breaks the connection, and onError receives the error', async (__, before) => {
    const { adapter } = paged((page, list) => {
      if (page === 3) throw new Error('the disk is on fire')
      return bulky(list)
    })
    const { onError, onResponse, errors, answers, answered } = recorder()
    const app = express()
    for (const middleware of before) app.use(middleware)
    const served = await listen(app.use(service(adapter, {}, { onError, onResponse })))
    try {
      const answer = await new Promise<http.IncomingMessage>((resolve) =>
        http.get(
          {
            port: served.port,
            path: '/v1/pedidos',
            headers: { accept: 'text/csv', 'accept-encoding': 'gzip' },
            agent: false,
          },
          resolve,
        ),
      ).catch(() => undefined)
      const found = answer === undefined ? { whole: false, text: '' } : await end(answer)
      await answered
      expect(found.whole).toBe(false)
      expect(found.text).not.toContain('on fire')
      expect(errors.map(({ error }) => (error as Error).message)).toEqual(['the disk is on fire'])
      expect(answers.map(({ status, code }) => [status, code])).toEqual([[200, 'internal']])
    } finally {
      await served.close()
    }
  })

  it('ERR-3: an error before the first byte results in an ordinary problem response', async () => {
    const { adapter } = paged(() => {
      throw new Error('no disk at all')
    })
    const served = await listen(express().use(service(adapter)))
    try {
      const answer = await served.send('GET', '/v1/pedidos', { accept: 'text/csv' })
      expect(problem(answer)).toMatchObject({ status: 500, code: 'internal' })
    } finally {
      await served.close()
    }
  })

  it.each([
    ['without compression', []],
    ['behind compression', [compression({ threshold: 0, level: 0 })]],
  ])('VERB-1: %s, pages are read no faster than the client reads the response', async (__, before) => {
    const { adapter, pages } = paged((___, list) => bulky(list), 200)
    const app = express()
    for (const middleware of before) app.use(middleware)
    const served = await listen(app.use(service(adapter)))
    try {
      const answer = await new Promise<http.IncomingMessage>((resolve) =>
        http.get(
          {
            port: served.port,
            path: '/v1/pedidos',
            headers: { accept: 'text/csv', 'accept-encoding': 'gzip' },
            agent: false,
          },
          resolve,
        ),
      )
      // The export has 60 MB. The socket buffers hold only a part of it.
      await served.send('GET', '/v1/clientes')
      expect(pages()).toBeLessThan(10)
      const found = await end(answer)
      expect(found.whole).toBe(true)
      expect(pages()).toBe(20)
    } finally {
      await served.close()
    }
  })

  it('VERB-1: if a client disconnects, its export and adapter call are aborted, and its slot is freed', async () => {
    let signal: AbortSignal | undefined
    const { adapter, pages } = paged((page, list, call) => {
      if (page !== 3) return bulky(list)
      // For page 3, the adapter never responds, and ignores its signal.
      signal = call.signal
      return new Promise(() => {})
    })
    const { onError, onResponse, errors, answered } = recorder()
    const served = await listen(
      express().use(service(adapter, { maxConcurrent: 1 }, { onError, onResponse, timeout: 60_000 })),
    )
    try {
      const answer = await begin(served.port, '/v1/pedidos', 'text/csv')
      const waiting = new Promise<void>((resolve) => {
        answer.on('data', () => {
          if (signal !== undefined) resolve()
        })
      })
      await Promise.race([waiting, new Promise<void>((resolve) => setInterval(() => signal && resolve(), 5).unref())])
      const busy = await served.send('GET', '/v1/pedidos', { accept: 'text/csv' })
      expect(problem(busy)).toMatchObject({ status: 503, code: 'unavailable' })
      expect(busy.headers['retry-after']).toBe('10')
      answer.destroy()
      // The 503 response above has already resolved `answered`, so the test also waits until
      // `signal` is aborted.
      await answered
      await new Promise<void>((resolve) =>
        signal?.aborted ? resolve() : signal?.addEventListener('abort', () => resolve()),
      )
      expect(pages()).toBe(3)
      expect(errors.filter(({ status }) => status !== 503)).toEqual([])
      expect((await served.send('HEAD', '/v1/pedidos', { accept: 'text/csv' })).status).toBe(200)
    } finally {
      await served.close()
    }
  }, 20_000)

  it('VERB-1: if the adapter stops responding, the export is aborted after the request timeout', async () => {
    const { adapter } = paged((page, list) => (page < 3 ? bulky(list) : new Promise(() => {})))
    const { onError, onResponse, errors } = recorder()
    const served = await listen(express().use(service(adapter, {}, { onError, onResponse, timeout: 100 })))
    try {
      const found = await begin(served.port, '/v1/pedidos', 'text/csv').then(end, () => ({ whole: false }))
      expect(found.whole).toBe(false)
      expect(errors.map(({ code }) => code)).toEqual(['unavailable'])
    } finally {
      await served.close()
    }
  })

  it('VERB-1: a client that stops reading is disconnected after stallTimeout', async () => {
    const { adapter } = paged((_page, list) => bulky(list), 200)
    const { onError, onResponse, errors, answered } = recorder()
    const served = await listen(express().use(service(adapter, { stallTimeout: 200 }, { onError, onResponse })))
    try {
      const answer = await begin(served.port, '/v1/pedidos', 'text/csv')
      await answered
      expect(errors.map(({ error }) => String(error))).toEqual(['Error: The client read nothing for 200 ms.'])
      expect((await end(answer)).whole).toBe(false)
    } finally {
      await served.close()
    }
  })

  it('VERB-1: an export is cut off after its timeout, even if each page is within the request timeout', async () => {
    const { adapter } = paged(
      (_page, list) => new Promise((resolve) => setTimeout(resolve, 30)).then(() => bulky(list, 10_000)),
      2000,
    )
    const { onError, onResponse, errors, answered } = recorder()
    const served = await listen(
      express().use(service(adapter, { timeout: 500 }, { onError, onResponse, timeout: 200 })),
    )
    try {
      const started = performance.now()
      const answer = await begin(served.port, '/v1/pedidos', 'text/csv')
      const found = await end(answer)
      await answered
      expect(found.whole).toBe(false)
      expect(errors).toHaveLength(1)
      // The request timeout of 200 ms limits each page, but not the whole export.
      expect(performance.now() - started).toBeGreaterThan(490)
      // At least the header row was sent before the export was cut off.
      expect(found.text.split('\r\n').length).toBeGreaterThan(1)
    } finally {
      await served.close()
    }
  })

  it('VERB-1: if a client reads so slowly that the export exceeds its timeout, the export is cut off', async () => {
    const { adapter } = paged((_page, list) => bulky(list), 200)
    const { onError, onResponse, errors, answered } = recorder()
    const served = await listen(
      express().use(service(adapter, { timeout: 500 }, { onError, onResponse, timeout: 200 })),
    )
    try {
      const answer = await begin(served.port, '/v1/pedidos', 'text/csv')
      await answered
      expect(errors.map(({ error }) => String(error))).toEqual(['Error: The export took longer than 500 ms.'])
      expect((await end(answer)).whole).toBe(false)
    } finally {
      await served.close()
    }
  })

  it('if the store refuses a later page, the export is cut off', async () => {
    const { adapter } = paged((page, list) =>
      page < 3 ? bulky(list) : { items: [], refused: { refused: 'rule', members: ['id'] } },
    )
    const served = await listen(express().use(service(adapter)))
    try {
      const found = await begin(served.port, '/v1/pedidos', 'text/csv').then(end, () => ({ whole: false }))
      expect(found.whole).toBe(false)
    } finally {
      await served.close()
    }
  })

  it('an export uses offsets if a store cannot seek, and fails if a store ignores the seek position', async () => {
    const requests: ListRequest[] = []
    const byOffset = paged(async (_page, list, __, request) => {
      requests.push(request)
      const { items, total } = await list()
      return { items, ...(total === undefined ? {} : { total }) }
    })
    const served = await listen(express().use(service(byOffset.adapter)))
    const found = await served.send('GET', '/v1/pedidos', { accept: 'application/x-ndjson' })
    await served.close()
    expect(found.text.split('\n')).toHaveLength(46)
    expect(requests.map(({ offset, page, seek, count }) => [offset, page, seek, count])).toEqual(
      [0, 10, 20, 30, 40].map((offset, i) => [offset, i + 1, undefined, i === 0 ? undefined : false]),
    )
    const { onError, onResponse, errors } = recorder()
    const inner = pedidosOf(45)
    const stuck: Adapter<Pedido, number> = {
      read: (keys, call) => inner.read(keys, call),
      list: ({ seek: _, ...request }, call) => bulky(() => inner.list(request, call)),
    }
    const other = await listen(express().use(service(stuck, {}, { onError, onResponse })))
    const cut = await begin(other.port, '/v1/pedidos', 'text/csv').then(end, () => ({ whole: false }))
    await other.close()
    expect(cut.whole).toBe(false)
    expect(String(errors[0]?.error)).toContain('returned the same position twice')
  })
})

describe('exports and servers', () => {
  it('server.close() waits until a running export is complete', async () => {
    const { adapter } = paged((_page, list) => bulky(list), 60)
    const server = createServer((req, res) => service(adapter)(req, res, () => {}))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    const { port } = server.address() as AddressInfo
    const answer = await begin(port, '/v1/pedidos', 'text/csv')
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const found = await end(answer)
    await closed
    expect(found.whole).toBe(true)
  })

  it('RFC 9113 8.1: over HTTP/2, a truncated export resets its stream', async () => {
    const { adapter } = paged((page, list) => {
      if (page === 3) throw new Error('broken')
      return bulky(list)
    })
    const handler = service(adapter)
    const server = http2.createServer((req, res) => handler(req as never, res as never, () => {}))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const stream = client.request({ ':path': '/v1/pedidos', accept: 'text/csv' })
    const code = await new Promise<number | undefined>((resolve) => {
      stream.on('error', () => {})
      stream.on('close', () => resolve(stream.rstCode))
      stream.resume()
    })
    client.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
    expect(code).toBe(http2.constants.NGHTTP2_INTERNAL_ERROR)
  })
})
