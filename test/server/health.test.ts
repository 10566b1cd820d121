/**
 * Tests of the features that only `health()` has: named checks, the details for permitted clients,
 * and the states. The tests in probes.test.ts cover the behavior that `health()` and `probes()`
 * share.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createServer, type HealthOptions, health } from '../../src/server/index.js'
import { majors } from '../middleware/majors.js'
import { port } from './serving.js'

const fails = () => Promise.reject(new Error('password=hunter2'))
const works = () => Promise.resolve()
const silent = { onFailure() {} }

async function served(options: HealthOptions) {
  const server = createServer(health({ ...silent, ...options }))
  const at = await port(server)
  const ask = async (path = '/ready', headers = {}) => {
    const answer = await fetch(`http://127.0.0.1:${at}${path}`, { headers })
    const text = await answer.text()
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return { server, ask }
}

describe('health()', () => {
  it.each(majors)('shows the checks only to permitted clients, in %s', async (_, express) => {
    const app = express()
    const shows = ({ headers }: { headers: Record<string, unknown> }) => headers['x-operator'] === 'yes'
    app.use(health({ ...silent, shows, checks: { database: fails, redis: { check: works, required: false } } }))
    const at = await port(createServer(app))
    const ask = (headers = {}) => fetch(`http://127.0.0.1:${at}/ready`, { headers })
    const hidden = await ask()
    expect([hidden.status, await hidden.json()]).toEqual([
      503,
      expect.not.objectContaining({ checks: expect.anything() }),
    ])
    const shown = await ask({ 'x-operator': 'yes' })
    expect([
      shown.status,
      shown.headers.get('content-type'),
      shown.headers.get('retry-after'),
      shown.headers.get('cache-control'),
    ]).toEqual([503, 'application/problem+json', '1', 'no-store'])
    const body = await shown.text()
    expect(JSON.parse(body)).toMatchObject({
      status: 503,
      code: 'unavailable',
      state: 'failing',
      checks: {
        database: { works: false, required: true, duration: expect.any(Number) },
        redis: { works: true, required: false },
      },
    })
    expect(body).not.toContain('hunter2')
  })

  it('a failed check that is not required does not affect readiness', async () => {
    const { ask } = await served({
      shows: () => true,
      checks: { database: works, redis: { check: fails, required: false } },
    })
    const { status, type, body } = await ask()
    expect([status, type]).toEqual([200, 'application/json'])
    expect(body).toEqual({
      state: 'ready',
      checks: {
        database: { works: true, required: true, duration: expect.any(Number) },
        redis: { works: false, required: false, duration: expect.any(Number) },
      },
    })
  })

  it('while the service starts, readiness fails without running the check, and liveness passes', async () => {
    let started = false
    const check = vi.fn()
    const { ask } = await served({ started: () => started, checks: { check } })
    expect([(await ask()).body.detail, (await ask('/live')).status]).toEqual(['The service is starting.', 204])
    expect(check).not.toHaveBeenCalled()
    started = true
    expect((await ask()).status).toBe(204)
  })

  it('while the server drains, readiness fails without running the check, and shows the state "draining"', async () => {
    const check = vi.fn()
    const { server, ask } = await served({ shows: () => true, checks: { check } })
    const done = server.shutdown({ drain: 60_000 })
    expect((await ask()).body).toMatchObject({
      status: 503,
      state: 'draining',
      checks: {},
      detail: 'The server is shutting down.',
    })
    expect(check).not.toHaveBeenCalled()
    await Promise.all([done, server.shutdown({ drain: 0 })])
  })

  it('runs the checks in parallel; each runs once for all concurrent clients, with its own time limit', async () => {
    const hangs = vi.fn(() => new Promise(() => {}))
    const quick = vi.fn()
    const { ask } = await served({
      checks: { hangs: { check: hangs, required: false }, quick },
      timeout: 20,
      maxAge: 2 ** 31 - 1,
    })
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    expect([hangs.mock.calls.length, quick.mock.calls.length]).toEqual([1, 1])
  })

  it.each<[string, HealthOptions, number]>([
    ['hides the checks if shows() throws', { shows: () => assertNever(), checks: { database: works } }, 204],
    ['readiness fails if started() throws', { started: () => assertNever() }, 503],
  ])('%s', async (_, options, status) => {
    const { ask } = await served(options)
    expect((await ask()).status).toBe(status)
  })

  it('by default logs one line when an outage starts and one when it ends, without the error message', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    let up = false
    const server = createServer(health({ maxAge: 0, checks: { database: () => (up ? works() : fails()) } }))
    const at = await port(server)
    const ask = async () => (await fetch(`http://127.0.0.1:${at}/ready`)).status
    expect([await ask(), await ask(), await ask()]).toEqual([503, 503, 503])
    up = true
    expect([await ask(), await ask()]).toEqual([204, 204])
    expect(log.mock.calls).toEqual([
      [expect.stringMatching(/^The readiness check "database" failed: Error at .*\.$/)],
      [expect.stringMatching(/^The readiness check "database" works again, after \d+ seconds\.$/)],
    ])
    expect(String(log.mock.calls)).not.toContain('hunter2')
  })

  it('onFailure receives the name of the check', async () => {
    const failures: unknown[] = []
    const { ask } = await served({
      checks: { database: fails },
      onFailure: (error, check) => failures.push([check, (error as Error).message]),
    })
    await ask()
    expect(failures).toEqual([['database', 'password=hunter2']])
  })

  it.each<[unknown, RegExp]>([
    [{ checks: { 'a\nb': works } }, /is not a valid name/],
    [{ checks: { '': works } }, /is not a valid name/],
    [{ checks: { a: 1 } }, /The check "a" of health\(\) is 1\. Give a function or an object\./],
    [{ checks: { a: true } }, /The check "a" of health\(\) is true\. Give a function or an object\./],
    [{ checks: { a: { check: true } } }, /"check" of the check "a" of health\(\) is true\. Give a function\./],
    [{ checks: { a: { chek: works } } }, /The check "a" of health\(\) has no option "chek"\. Did you mean "check"\?/],
    [{ checks: { a: {} } }, /has no "check"/],
    [{ livePath: '/x', readyPath: '/x' }, /"livePath" and "readyPath" of health\(\) are both/],
  ])('refuses the options %j', (options, message) => {
    expect(() => health(options as HealthOptions)).toThrow(message)
  })
})

function assertNever(): never {
  throw new Error('Thrown by the test.')
}
