import { createServer as nodeServer, request, type ServerResponse } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createServer, type ProbesOptions, probes } from '../../src/server/index.js'
import { majors } from '../middleware/majors.js'
import { certificate } from './certificate.js'
import { client, port } from './serving.js'

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

function ask(at: number, path: string, method = 'GET', send: typeof request = request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port: at, host: '127.0.0.1', path, method, agent: false, rejectUnauthorized: false }
    const asked = send(options, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }))
    })
    asked.on('error', reject).end()
  })
}

/** A check whose results the test controls. */
function heldCheck() {
  const calls: { pass(): void; fail(error: Error): void; readonly signal: AbortSignal }[] = []
  const check = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      calls.push({ pass: resolve, fail: reject, signal })
    })
  return { check, calls }
}

const silent = { onFailure() {} }
const listener = (options: ProbesOptions) => createServer(probes(options))

describe.each(majors)('probes() in %s', (_, express) => {
  it('respond at exactly their two paths, even in front of a middleware that refuses everything', async () => {
    const app = express()
    app.use(probes())
    app.use((_req: unknown, res: ServerResponse) => void res.writeHead(429).end())
    const at = await port(createServer(app))
    for (const path of ['/live', '/ready', '/ready?from=balancer', '/live?']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, body } = await ask(at, path, method)
        expect([status, headers['cache-control'], body]).toEqual([204, 'no-store', ''])
      }
    }
    for (const path of ['/', '/readyz', '/ready/', '/ready/x', '/READY', '/live/..'])
      expect((await ask(at, path)).status).toBe(429)
  })

  it('methods other than GET and HEAD get 405 with Allow', async () => {
    const app = express()
    app.use(probes({ check: () => Promise.reject(new Error('never asked')) }))
    const at = await port(createServer(app))
    for (const path of ['/live', '/ready']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers, body } = await ask(at, path, method)
        expect([status, headers.allow, JSON.parse(body).code]).toEqual([405, 'GET, HEAD', 'method-not-allowed'])
      }
    }
  })

  it('a failed check makes readiness respond with 503 and Retry-After, and does not affect liveness', async () => {
    const failures: unknown[] = []
    const away = new Error('connect ECONNREFUSED 10.0.0.1, password=secret')
    const app = express()
    const options = {
      check: () => Promise.reject(away),
      onFailure: (error: unknown) => failures.push(error),
      problemBase: 'https://x/e',
    }
    app.use('/health', probes(options))
    const at = await port(createServer(app))
    const { status, headers, body } = await ask(at, '/health/ready')
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '1', 'no-store'])
    expect(headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'unavailable', type: 'https://x/e#ERR-1-unavailable' })
    expect(body).not.toContain('secret')
    const head = await ask(at, '/health/ready', 'HEAD')
    expect([head.status, head.headers['retry-after'], head.body]).toEqual([503, '1', ''])
    expect((await ask(at, '/health/live')).status).toBe(204)
    expect(failures).toEqual([away])
  })

  it.each([
    ['http', {}, request],
    ['https', { tls: certificate() }, tlsRequest],
  ] as const)('over %s, readiness responds with 503 only on the server that drains', async (__, options, send) => {
    const app = express()
    app.use('/inside', express().use(probes()))
    const [ending, other] = [createServer(app, options), createServer(app, options)]
    const [at, there] = [await port(ending), await port(other)]
    const statuses = async (): Promise<unknown> =>
      Promise.all(
        [at, there].flatMap((one) =>
          ['/inside/ready', '/inside/live'].map(async (path) => (await ask(one, path, 'GET', send)).status),
        ),
      )
    expect(await statuses()).toEqual([204, 204, 204, 204])
    const done = ending.shutdown({ drain: 60_000 })
    expect(ending.draining).toBe(true)
    expect(await statuses()).toEqual([503, 204, 204, 204])
    const { headers, body } = await ask(at, '/inside/ready', 'GET', send)
    expect([headers['retry-after'], JSON.parse(body).detail]).toEqual(['1', 'The server is shutting down.'])
    expect(await Promise.all([done, ending.shutdown({ drain: 0 })])).toEqual([{ destroyed: 0 }, { destroyed: 0 }])
  })
})

describe('the check of probes()', () => {
  it('runs once for all concurrent requests, and its result is valid for "maxAge"', async () => {
    const { check, calls } = heldCheck()
    const at = await port(listener({ check, maxAge: 2 ** 31 - 1 }))
    const asked = Array.from({ length: 20 }, (_, i) => ask(at, '/ready', i % 2 ? 'GET' : 'HEAD'))
    await expect.poll(() => calls.length).toBe(1)
    // A liveness request does not wait for the check.
    expect((await ask(at, '/live')).status).toBe(204)
    calls[0]?.pass()
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([204]))
    expect((await ask(at, '/ready')).status).toBe(204)
    expect(calls).toHaveLength(1)
  })

  it('runs again after "maxAge", which begins at the end of the check', async () => {
    const now = vi.spyOn(performance, 'now')
    onTestFinished(() => now.mockRestore())
    const { check, calls } = heldCheck()
    const at = await port(listener({ check, ...silent }))
    now.mockReturnValue(10_000)
    const slow = ask(at, '/ready')
    await expect.poll(() => calls.length).toBe(1)
    now.mockReturnValue(11_900)
    calls[0]?.fail(new Error('away'))
    expect((await slow).status).toBe(503)
    now.mockReturnValue(12_899)
    expect((await ask(at, '/ready')).status).toBe(503)
    expect(calls).toHaveLength(1)
    now.mockReturnValue(12_900)
    const next = ask(at, '/ready')
    await expect.poll(() => calls.length).toBe(2)
    calls[1]?.pass()
    expect((await next).status).toBe(204)
  })

  it('fails after "timeout": its signal is aborted, and a later result is ignored', async () => {
    const { check, calls } = heldCheck()
    const failures: unknown[] = []
    const once = (signal: AbortSignal) => (calls.length === 0 ? check(signal) : undefined)
    const at = await port(listener({ check: once, timeout: 20, maxAge: 0, onFailure: (error) => failures.push(error) }))
    expect((await ask(at, '/ready')).status).toBe(503)
    expect(calls[0]?.signal.aborted).toBe(true)
    calls[0]?.fail(new Error('late'))
    expect((await ask(at, '/ready')).status).toBe(204)
    expect(failures).toEqual([expect.objectContaining({ message: 'The readiness check took longer than 20 ms.' })])
  })

  it('makes readiness fail if it throws, and may return its result without a promise', async () => {
    const thrower = () => {
      throw new Error('away')
    }
    expect((await ask(await port(listener({ check: thrower, ...silent })), '/ready')).status).toBe(503)
    expect((await ask(await port(listener({ check: () => false })), '/ready')).status).toBe(204)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('The hook failed.')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('The hook failed.'))],
  ])('if "onFailure" %s, the response does not change', async (_, onFailure: () => unknown) => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => report.mockRestore())
    const at = await port(listener({ check: () => Promise.reject(new Error('away')), onFailure }))
    expect((await ask(at, '/ready')).status).toBe(503)
    await expect.poll(() => report.mock.calls.length).toBe(1)
  })

  it('a drain that starts while the check runs makes readiness fail', async () => {
    const { check, calls } = heldCheck()
    const server = listener({ check })
    const asked = ask(await port(server), '/ready')
    await expect.poll(() => calls.length).toBe(1)
    const done = server.shutdown()
    calls[0]?.pass()
    expect((await asked).status).toBe(503)
    await done
  })

  it('a client that disconnects while the check runs does not affect other clients', async () => {
    const { check, calls } = heldCheck()
    const at = await port(listener({ check }))
    const leaving = await client(at)
    leaving.send('GET /ready HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => calls.length).toBe(1)
    leaving.socket.destroy()
    const staying = ask(at, '/ready')
    calls[0]?.pass()
    expect((await staying).status).toBe(204)
  })
})

describe('probes() with a server of their own', () => {
  it('respond while the service has no free connection, and readiness fails while the service drains', async () => {
    const service = createServer((_req, res) => res.end('served'), { maxConnections: 1 })
    const at = await port(service)
    const own = await port(listener({ server: service }))
    const taken = await client(at)
    const refused = connect(at, '127.0.0.1').on('error', () => {})
    await new Promise((resolve) => refused.once('close', resolve))
    expect((await ask(own, '/ready')).status).toBe(204)
    expect((await ask(own, '/')).status).toBe(404)
    const done = service.shutdown()
    const answers = await Promise.all(['/ready', '/live'].map((path) => ask(own, path)))
    expect(answers.map(({ status }) => status)).toEqual([503, 204])
    taken.socket.destroy()
    await done
    expect((await ask(own, '/ready')).status).toBe(503)
  })

  it('respond on a plain Node server too', async () => {
    const at = await port(nodeServer(probes({ livePath: '/l', readyPath: '/r' })))
    expect((await ask(at, '/r')).status).toBe(204)
    expect((await ask(at, '/live')).status).toBe(404)
  })
})

describe('the options of probes()', () => {
  it.each<[unknown, RegExp]>([
    [null, /The options of probes\(\) are null\. Give an object/],
    [{ chek: () => {} }, /no option "chek"\. Did you mean "check"/],
    [{ check: true }, /"check" of probes\(\) is true\. Give a function/],
    [{ server: null }, /"server" of probes\(\) is null\. Give the result of createServer\(\)/],
    [{ maxAge: -1 }, /"maxAge" of probes\(\) is -1\. Give a whole number of milliseconds from 0/],
    [{ maxAge: Number.NaN }, /maxAge/],
    [{ timeout: 0 }, /"timeout" of probes\(\) is 0\. Give a whole number of milliseconds from 1 to/],
    [{ livePath: 'live' }, /"livePath" of probes\(\) is 'live'\. Give a path such as "\/live"/],
    [{ readyPath: '/a?b' }, /readyPath/],
    [{ readyPath: '/live' }, /"livePath" and "readyPath" of probes\(\) are both "\/live"/],
  ])('%j is refused', (options, message) => {
    expect(() => probes(options as ProbesOptions)).toThrow(message)
    expect(() => probes(options as ProbesOptions)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  it('an option that is undefined counts as absent', async () => {
    const options = { check: undefined, maxAge: undefined, livePath: undefined } as unknown as ProbesOptions
    expect((await ask(await port(createServer(probes(options))), '/live')).status).toBe(204)
  })
})
