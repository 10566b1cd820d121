/** Logins that wait for their hash. Hashing is blocked until the test releases it. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import type { Express } from 'express'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { login } from '../../../src/auth/index.js'
import { currentCost } from '../../../src/auth/login/password-hash.js'
import { api, problems } from '../../../src/index.js'
import { listen, majors } from '../../middleware/majors.js'
import { storedHash } from './stored-hash.js'

const held = vi.hoisted(() => ({ passwords: [] as string[], release: [] as (() => void)[] }))
vi.mock('../../../src/auth/login/scrypt-threads.js', () => ({
  maxConcurrentHashes: 1,
  derive: (password: string, _salt: Buffer, length: number) => {
    held.passwords.push(password)
    return new Promise((resolve) => held.release.push(() => resolve(Buffer.alloc(length))))
  },
}))

const hash = storedHash.format(currentCost)
const headers = (user: string, password = 'guess') => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Releases hashes until `waiting` settles, including hashes that begin only after this call. */
async function releaseAll(waiting: Promise<unknown>): Promise<void> {
  let over = false
  void waiting.finally(() => {
    over = true
  })
  await expect
    .poll(
      () => {
        for (const release of held.release.splice(0)) release()
        return over
      },
      { interval: 1, timeout: 10_000 },
    )
    .toBe(true)
}

describe.each(majors)('a login that waits for its hash, on %s', (_, express: () => Express) => {
  const find = vi.fn((user: string) => (user === 'ana' ? { hash, principal: 'ana' } : undefined))
  const logins = () => login({ find, token: () => 'token', attempts: { address: { limit: 1000 } } })

  const serve = async (build: (app: Express) => void) => {
    const app = express()
    build(app)
    app.use(problems({ onError() {} }) as never)
    const port = await listen(app as RequestListener)
    return (user: string, password?: string) =>
      fetch(`http://127.0.0.1:${port}/login`, { headers: headers(user, password) })
  }

  afterEach(() => {
    held.passwords.length = 0
    find.mockClear()
  })

  it('AUTH-6: gets a 503 at the time limit of api(), and its password is not hashed after that', async () => {
    const ask = await serve(
      (app) => void app.use(api({ login: logins(), versions: { v1: [] }, timeout: 300, onError() {} }) as never),
    )
    const first = ask('ana', 'first')
    await vi.waitFor(() => expect(held.passwords).toEqual(['first']))
    const second = ask('ana', 'second')
    expect([(await first).status, (await second).status]).toEqual([503, 503])
    await releaseAll(ask('eva', 'third'))
    expect(held.passwords).toEqual(['first', 'third'])
  })

  it('AUTH-6: if another middleware has responded, the password is not hashed after that', async () => {
    const ask = await serve((app) => {
      app.use((_req, res, next) => {
        setTimeout(() => res.headersSent || res.status(504).end(), 300)
        next()
      })
      app.all('/login', logins() as never)
    })
    const first = ask('ana', 'first')
    await vi.waitFor(() => expect(held.passwords).toEqual(['first']))
    expect((await ask('ana', 'second')).status).toBe(504)
    await first
    await releaseAll(ask('eva', 'third'))
    expect(held.passwords).toEqual(['first', 'third'])
  })

  it('AUTH-6: if the client disconnects, the password is not hashed, and no failed attempt is counted', async () => {
    const app = express()
    const closed = vi.fn()
    app.use((_req, res, next) => {
      res.once('close', closed)
      next()
    })
    app.use(
      api({
        login: login({ find, token: () => 'token', attempts: { pair: { limit: 2 } } }),
        versions: { v1: [] },
      }) as never,
    )
    const port = await listen(app as RequestListener)
    const ask = (password: string) => fetch(`http://127.0.0.1:${port}/login`, { headers: headers('ana', password) })
    const first = ask('first')
    await vi.waitFor(() => expect(held.passwords).toEqual(['first']))
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(`GET /login HTTP/1.1\r\nHost: h\r\nAuthorization: ${headers('ana', 'second').Authorization}\r\n\r\n`)
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(2))
    socket.resetAndDestroy()
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1))
    await releaseAll(first)
    const third = ask('third')
    await releaseAll(third)
    expect([(await first).status, (await third).status]).toEqual([401, 401])
    expect(held.passwords).toEqual(['first', 'third'])
  })

  it('AUTH-6: a full queue refuses a login before the user is looked up, and counts no failed attempt', async () => {
    const ask = await serve((app) => void app.all('/login', logins() as never))
    const flood = Array.from({ length: 300 }, (_, n) => ask(`user${n}`))
    await Promise.race(flood) // Resolves with the first refused login, while nothing has been hashed yet.
    const answers = await Promise.all([...Array(12).fill('ana'), ...Array(12).fill('eva')].map((user) => ask(user)))
    const bodies = await Promise.all(
      answers.map(async (answer) => (await answer.json()) as { code: string; title: string }),
    )
    expect(new Set(bodies.map((body) => JSON.stringify({ ...body, detail: '' }))).size).toBe(1)
    for (const { status, headers: fields } of answers) {
      expect([status, Number(fields.get('retry-after')) >= 1]).toEqual([503, true])
    }
    expect(find.mock.calls.flat()).not.toContain('ana')
    expect(find.mock.calls.flat()).not.toContain('eva')
    await releaseAll(Promise.all(flood))
    // At most ten failed logins per account and IP address are allowed. Twelve logins were refused
    // because the queue was full, and none of them counts as a failed login.
    const last = ask('ana')
    await releaseAll(last)
    expect((await last).status).toBe(401)
  })
})
