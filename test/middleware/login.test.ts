import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type LoginOptions, login } from '../../src/middleware/login.js'
import { ConfigurationError, Unavailable } from '../../src/problem.js'
import { cheapHash, hashCheaply } from '../auth/login/cheap-hashing.js'
import { ownRedis } from '../servers/own-redis.js'
import { redisStores, redisUrl } from '../servers/redis-stores.js'
import { type Express, majors, raw, service } from './majors.js'

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const right = 'sésamo:ábrete'
const today = { ln: 15, r: 8, p: 3 }
const weak = { ln: 12, r: 8, p: 1 }

hashCheaply()

const build = (express: Express, options: Partial<LoginOptions<string>>, trust = true) => {
  const { app, call, reported } = service(express, (app) => {
    app.set('trust proxy', trust)
    app.use(
      '/login',
      login<string>({ token: (principal) => `token-of-${principal}`, ...options } as LoginOptions<string>),
    )
  })
  const attempt = async (user: string, password: string, address = '203.0.113.7') =>
    call.get('/login').set('Authorization', basic(user, password)).set('X-Forwarded-For', address)
  const statuses = async (times: number, user: string, password: string, address?: string) => {
    const all: number[] = []
    for (let n = 0; n < times; n++) all.push((await attempt(user, password, address)).status)
    return all
  }
  return { app, call, reported, attempt, statuses }
}
const verify = (_user: string, password: string) => (password === right ? 'ana' : undefined)
const times = (n: number, status: number): number[] => Array.from({ length: n }, () => status)

describe('login(): options', () => {
  const token = () => 'token'
  it.each([
    [undefined, /The options of login\(\) are missing\. Give an object/],
    [{ token }, /neither "find" nor "verify"/],
    [{ token, verify, find: () => undefined }, /both "find" and "verify"/],
    [{ verify }, /"token" of login\(\) is missing/],
    [{ token, verify, upgrade: () => {} }, /login\(\) has "upgrade" without "find"/],
    [{ token, verify, realm: 'a"b' }, /without quotes/],
    [{ token, verify, attempt: {} }, /Did you mean "attempts"/],
    [{ token, verify, attempts: { pairs: {} } }, /Did you mean "pair"/],
    [{ token, verify, attempts: { pair: { limit: 0 } } }, /whole number/],
    [
      { token, verify, store: () => ({ increment() {}, decrement() {}, resetKey() {} }) },
      /without get for "login-pair"\. login\(\) reads counts with get\(\), so use a store with this method/,
    ],
  ])('AUTH-2: the options %j are refused', (options, message) => {
    expect(() => login(options as never)).toThrow(ConfigurationError)
    expect(() => login(options as never)).toThrow(message)
  })
})

describe('login(): stores', () => {
  it('AUTH-6: every default window fits into a timer, because Node fires timers above 2^31 - 1 ms at once', () => {
    const windows: number[] = []
    const store = () => ({
      init: ({ windowMs }: { windowMs: number }) => void windows.push(windowMs),
      increment: () => ({ totalHits: 1, resetTime: undefined }),
      decrement() {},
      resetKey() {},
      get: () => undefined,
    })
    login({ verify, token: () => 'token', store })
    expect(windows).toHaveLength(4)
    expect(Math.max(...windows)).toBeLessThan(2 ** 31)
  })
})

describe.each(majors)('login() on %s', (_, express: Express) => {
  const hash = cheapHash(right, today)
  const find = (user: string) => (user === 'ana' ? { hash, principal: 'ana' } : undefined)

  it('AUTH-2: a valid user name and password get 200 with a token in x-authorization-token, and no body', async () => {
    const { attempt, call } = build(express, { find })
    const answer = await attempt('ana', right)
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'x-authorization-token': 'token-of-ana',
      'cache-control': 'no-store',
      'content-length': '0',
    })
    expect([answer.text, answer.headers['content-type']]).toEqual(['', undefined])
    const head = await call.head('/login').set('Authorization', basic('ana', right))
    expect([head.status, head.headers['x-authorization-token']]).toEqual([200, 'token-of-ana'])
  })

  it('AUTH-6: an unknown user and a wrong password get the same response', async () => {
    const { attempt } = build(express, { find })
    const [wrong, unknown] = [await attempt('ana', 'nope'), await attempt('eva', right)]
    for (const { status, headers } of [wrong, unknown]) {
      expect([status, headers['www-authenticate'], headers['cache-control']]).toEqual([
        401,
        'Basic realm="login", charset="UTF-8"',
        'no-store',
      ])
    }
    expect(wrong.body).toEqual(unknown.body)
    expect(wrong.body.code).toBe('unauthenticated')
  })

  it.each([
    ['no base64', 'Basic ???'],
    ['no colon', `Basic ${Buffer.from('ana').toString('base64')}`],
    ['no UTF-8', `Basic ${Buffer.from('ana:\xe9', 'latin1').toString('base64')}`],
    ['a control character in the user', basic('an\u0007a', right)],
    ['a control character in the password', basic('ana', `${right}\u0000`)],
    ['an empty password', basic('ana', '')],
    ['a very long password', basic('ana', 'x'.repeat(2000))],
  ])('AUTH-2: credentials with %s get 401 and are not checked', async (_what, field) => {
    const asked = vi.fn(verify)
    const { call } = build(express, { verify: asked })
    const answer = await call.get('/login').set('Authorization', field)
    expect([answer.status, answer.body.detail]).toEqual([401, 'The user or the password is not valid.'])
    expect(asked).not.toHaveBeenCalled()
  })

  it.each(['Bearer abc', 'Basics YTpi', Buffer.from('ana:x').toString('base64')])(
    'AUTH-2: "Authorization: %s" gets a 401 that names the scheme Basic',
    async (field) => {
      const asked = vi.fn(verify)
      const answer = await build(express, { verify: asked }).call.get('/login').set('Authorization', field)
      expect([answer.status, answer.body.detail]).toEqual([
        401,
        'The value of Authorization does not begin with the scheme Basic. Send the user name and the password in the ' +
          'header field Authorization, in the Basic scheme.',
      ])
      expect(asked).not.toHaveBeenCalled()
    },
  )

  it('AUTH-2: missing credentials get 401 with a challenge, and a repeated field is refused', async () => {
    const { call, app } = build(express, { verify, realm: 'courier' })
    const none = await call.get('/login')
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Basic realm="courier", charset="UTF-8"'])
    expect(none.body.detail).toMatch(/no credentials/)
    const field = `Authorization: ${basic('ana', right)}\r\n`
    const twice = await raw(
      app as RequestListener,
      `GET /login HTTP/1.1\r\nHost: h\r\n${field}${field}Connection: close\r\n\r\n`,
    )
    expect(twice).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('AUTH-2: the user name is normalized to NFC and may be empty, and U+FFFD is a valid character', async () => {
    const seen: string[] = []
    const { attempt } = build(express, {
      verify: (user, password) => `${seen.push(user)}${password === '\ufffd' ? 'odd' : ''}`,
    })
    expect((await attempt('jose\u0301', 'p')).status).toBe(200)
    expect((await attempt('', 'p')).status).toBe(200)
    expect((await attempt('x', '\ufffd')).headers['x-authorization-token']).toBe('token-of-3odd')
    expect(seen).toEqual(['jos\u00e9', '', 'x'])
  })

  it('AUTH-2: accepts GET, HEAD and OPTIONS, without a query', async () => {
    const { call } = build(express, { verify })
    const options = await call.options('/login')
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const post = await call.post('/login').set('Authorization', basic('ana', right))
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const query = await call.get('/login?user=ana').set('Authorization', basic('ana', right))
    expect([query.status, query.body.code, query.body.errors[0].parameter]).toEqual([400, 'invalid-query', 'user'])
  })

  it('AUTH-6: ten failures from an IP address block an existing or unknown account at that address', async () => {
    const { attempt, statuses } = build(express, { verify })
    for (const user of ['ana', 'nobody']) {
      expect(await statuses(10, user, 'wrong')).toEqual(times(10, 401))
      const refused = await attempt(user, user === 'ana' ? right : 'wrong')
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(890)
      expect(refused.body.detail.replace(/\d+/, 'N')).toBe(
        'Too many logins have failed, or are being checked. Try again in N seconds.',
      )
    }
    expect((await attempt('ana', right, '203.0.113.8')).status).toBe(200)
  })

  it('AUTH-6: without a store, a window may exceed the longest delay of a timer in Node', async () => {
    const { statuses, attempt } = build(express, { verify, attempts: { pair: { limit: 2, window: 30 * 86_400_000 } } })
    expect(await statuses(2, 'ana', 'wrong')).toEqual([401, 401])
    const refused = await attempt('ana', right)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(29 * 86_400)
  })

  it('AUTH-6: a success clears the earlier failures of the same account at the same IP address', async () => {
    const { statuses } = build(express, { verify, attempts: { pair: { limit: 3 } } })
    for (let round = 0; round < 3; round++) {
      expect(await statuses(2, 'ana', 'wrong')).toEqual([401, 401])
      expect(await statuses(2, 'ana', right)).toEqual([200, 200])
    }
  })

  it('AUTH-6: while attempts are being checked, further attempts are refused for only a few seconds', async () => {
    let check = (): void => {}
    const checked = new Promise<void>((resolve) => {
      check = resolve
    })
    let checking = 0
    const slow = async (user: string, password: string) => {
      checking++
      await checked
      return verify(user, password)
    }
    const { attempt } = build(express, { verify: slow, attempts: { pair: { limit: 2 } } })
    const [first, second] = [attempt('ana', right).then((res) => res), attempt('ana', 'wrong').then((res) => res)]
    await vi.waitFor(() => expect(checking).toBe(2))
    const early = await attempt('ana', right)
    check()
    expect([early.status, (await first).status, (await second).status]).toEqual([429, 200, 401])
    expect(Number(early.headers['retry-after'])).toBeLessThanOrEqual(5)
    // Once all attempts are known to be wrong, Retry-After is the rest of the window.
    const failing = [await attempt('bea', 'wrong'), await attempt('bea', 'wrong'), await attempt('bea', 'wrong')]
    expect(failing.map(({ status }) => status)).toEqual([401, 401, 429])
    expect(Number(failing[2]?.headers['retry-after'])).toBeGreaterThan(890)
  })

  it('AUTH-6: a concurrent burst of guesses cannot exceed the limit', async () => {
    const checked = vi.fn(async () => void (await new Promise((resolve) => setTimeout(resolve, 20))))
    const { attempt } = build(express, { verify: checked as never })
    const all = await Promise.all(Array.from({ length: 40 }, () => attempt('ana', 'guess')))
    expect(all.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(30)
    expect(checked).toHaveBeenCalledTimes(10)
  })

  it('AUTH-6: one IP address cannot try many accounts', async () => {
    const { statuses, attempt } = build(express, { verify, attempts: { address: { limit: 5 } } })
    for (let n = 0; n < 5; n++) expect(await statuses(1, `user${n}`, 'wrong')).toEqual([401])
    expect((await attempt('other', right)).status).toBe(429)
    expect((await attempt('other', right, '203.0.113.8')).status).toBe(200)
  })

  it('AUTH-6: failures from many IP addresses block an account, but not its owner at a known IP address', async () => {
    const { statuses, attempt } = build(express, { verify, attempts: { account: { limit: 5 }, address: { limit: 6 } } })
    expect((await attempt('ana', right, '198.51.100.1')).status).toBe(200)
    for (let n = 0; n < 5; n++) expect(await statuses(1, 'ana', 'wrong', `203.0.113.${n}`)).toEqual([401])
    expect((await attempt('ana', right, '203.0.113.99')).status).toBe(429)
    expect((await attempt('ana', right, '198.51.100.1')).status).toBe(200)
    // Failures of other accounts at the known IP address do not lock out the owner either.
    for (let n = 0; n < 6; n++) await attempt(`user${n}`, 'wrong', '198.51.100.1')
    expect((await attempt('eva', right, '198.51.100.1')).status).toBe(429)
    expect((await attempt('ana', right, '198.51.100.1')).status).toBe(200)
  })

  it('AUTH-6: blocked and successful attempts do not count as failures', async () => {
    const { statuses } = build(express, { verify, attempts: { pair: { limit: 2 }, address: { limit: 4 } } })
    expect(await statuses(10, 'ana', 'wrong')).toEqual([401, 401, ...times(8, 429)])
    expect(await statuses(3, 'eva', right)).toEqual(times(3, 200))
    expect(await statuses(3, 'leo', 'wrong')).toEqual([401, 401, 429])
    expect(await statuses(1, 'zoe', 'wrong')).toEqual([429])
  })

  it('AUTH-6: an attempt that cannot be checked does not count as a failure', async () => {
    const { statuses } = build(express, {
      verify: () => Promise.reject(new Unavailable()),
      attempts: { pair: { limit: 2 } },
    })
    expect(await statuses(4, 'ana', right)).toEqual(times(4, 503))
  })

  it('AUTH-6: if verify() returns null or false, or find() returns null, the response is 401', async () => {
    for (const falsy of [null, false] as const) {
      expect(await build(express, { verify: () => falsy }).statuses(1, 'ana', right)).toEqual([401])
    }
    expect(await build(express, { find: () => null }).statuses(1, 'ana', right)).toEqual([401])
  })

  it('AUTH-6: an outdated hash is replaced after a login, which succeeds even if the replacement fails', async () => {
    const old = cheapHash(right, weak)
    const upgraded = vi.fn((_user: string, _hash: string, _replaced: string): void => {
      throw new Error('no disk')
    })
    const onError = vi.fn()
    const { attempt } = build(express, { find: () => ({ hash: old, principal: 'ana' }), upgrade: upgraded, onError })
    expect((await attempt('ana', 'wrong')).status).toBe(401)
    expect((await attempt('ana', right)).status).toBe(200)
    await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1), { timeout: 20_000 })
    expect(upgraded.mock.calls).toEqual([['ana', expect.stringMatching(/^\$scrypt\$ln=15,r=8,p=3\$/), old]])
    const current = vi.fn()
    const today = build(express, { find, upgrade: current })
    expect((await today.attempt('ana', right)).status).toBe(200)
    expect(current).not.toHaveBeenCalled()
  })

  it('AUTH-6: an unreadable stored hash is reported, and the response is the same as for an unknown user', async () => {
    const onError = vi.fn()
    const { attempt } = build(express, { find: () => ({ hash: '$2b$10$secret', principal: 'ana' }), onError })
    const unknown = await build(express, { find }).attempt('eva', 'x')
    expect((await attempt('ana', right)).body).toEqual(unknown.body)
    expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
      expect.stringMatching(/^Error: The stored hash of the user "ana"/),
    ])
    expect(String(onError.mock.calls)).not.toContain('secret')
  })

  it.each([undefined, null, 7])(
    'AUTH-6: if find() returns the hash %s, the error contains no stored value',
    async (hash) => {
      const onError = vi.fn()
      const row = { hash, pw_hash: 'secret', principal: 'ana' }
      const { attempt } = build(express, { find: () => row as never, onError })
      expect((await attempt('ana', right)).status).toBe(401)
      expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
        'Error: The value that find() returned for the user "ana" has no string "hash", so the user cannot log in. ' +
          'Return { hash, principal }, with a hash created by hashPassword().',
      ])
    },
  )

  it('AUTH-2: a token that is not a valid header value causes a 500 that does not expose the token', async () => {
    const { attempt, reported } = build(express, { verify, token: () => 'secret\r\nx: y' })
    const answer = await attempt('ana', right)
    expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
    expect(answer.text + String(reported[0]?.error)).not.toContain('secret')
  })
})

describe('login(): secrets', () => {
  const written: string[] = []
  beforeEach(() => {
    written.length = 0
    for (const method of ['error', 'warn', 'log', 'info'] as const) {
      vi.spyOn(console, method).mockImplementation(
        (...all) =>
          void written.push(
            all.map((one) => (one?.stack ?? '') + JSON.stringify(one) + String(one?.cause?.stack ?? '')).join(),
          ),
      )
    }
  })
  afterEach(() => void vi.restoreAllMocks())

  it('ERR-3, AUTH-6: neither a log nor the body of a response shows a password, a token or a hash', async () => {
    const secret = randomBytes(9).toString('hex')
    const [hash, broken] = [cheapHash(secret, weak), `$2b$10$${randomBytes(9).toString('hex')}`]
    const express = majors[0]?.[1] as Express
    const find = (user: string) => ({ hash: user === 'broken' ? broken : hash, principal: user })
    const failing = build(express, {
      find,
      token: (user) => (user === 'tokenless' ? `${secret}\n` : `token${secret}`),
      upgrade: () => Promise.reject(new Error('no disk')),
      store: () => ({
        increment: () => Promise.reject(new Error('down')),
        decrement() {},
        resetKey() {},
        get: () => undefined,
      }),
      attempts: { pair: { limit: 2 } },
    })
    const answers = []
    for (const user of ['ana', 'tokenless', 'broken']) answers.push(await failing.attempt(user, secret))
    for (let n = 0; n < 3; n++) answers.push(await failing.attempt('eva', `wrong${secret}`))
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 401, 401, 401, 429])
    await vi.waitFor(() => expect(written.join('\n')).toContain('could not be rehashed'), { timeout: 20_000 })
    expect(written.join('\n')).toContain('store of login()')
    const shown =
      written.join('\n') +
      answers.map(({ text }) => text).join('\n') +
      failing.reported.map(({ error }) => String((error as Error).stack)).join('\n')
    for (const word of [secret, Buffer.from(secret).toString('base64'), hash, hash.split('$')[4] as string, broken])
      expect(shown).not.toContain(word)
  })
})

describe('login() over Redis', () => {
  const express = majors[0]?.[1] as Express

  it('AUTH-6: processes share failures and known IP addresses, and the Redis keys contain no user names', async () => {
    const one = redisStores(redisUrl())
    const two = redisStores(redisUrl(), one.prefix)
    onTestFinished(() => {
      one.close()
      two.close()
    })
    const attempts = { pair: { limit: 4 }, account: { limit: 4 } }
    const [a, b] = [one, two].map(({ store }) => build(express, { verify, store, attempts })) as [
      ReturnType<typeof build>,
      ReturnType<typeof build>,
    ]
    expect((await a.attempt('ana', right, '198.51.100.1')).status).toBe(200)
    expect([...(await a.statuses(2, 'ana', 'wrong')), ...(await b.statuses(3, 'ana', 'wrong'))]).toEqual([
      ...times(4, 401),
      429,
    ])
    expect((await a.attempt('ana', right, '203.0.113.8')).status).toBe(429)
    expect((await b.attempt('ana', right, '198.51.100.1')).status).toBe(200)
    const keys = await one.client.keys(`${one.prefix}*`)
    expect(keys.length).toBeGreaterThanOrEqual(4)
    for (const key of keys) {
      expect(key).not.toContain('ana')
      expect(await one.client.pTTL(key)).toBeGreaterThan(0)
    }
    await one.client.del(keys)
  })

  it('AUTH-6: while Redis is down, the process counts failures, including those before the outage', async () => {
    const server = await ownRedis()
    onTestFinished(() => server.remove())
    const { store, close } = redisStores(server.url)
    onTestFinished(close)
    const onStoreFailure = vi.fn()
    const onStoreRecovery = vi.fn()
    const { statuses, attempt } = build(express, {
      verify,
      store,
      storeTimeout: 200,
      onStoreFailure,
      onStoreRecovery,
      attempts: { pair: { limit: 4 }, account: { limit: 6 } },
    })
    expect((await attempt('ana', right, '198.51.100.1')).status).toBe(200)
    expect(await statuses(2, 'ana', 'wrong')).toEqual([401, 401])
    await server.kill()
    expect(await statuses(4, 'ana', 'wrong')).toEqual([401, 401, 429, 429])
    expect(await statuses(3, 'ana', 'wrong', '203.0.113.9')).toEqual([401, 401, 429])
    expect((await attempt('ana', right, '198.51.100.1')).status).toBe(200)
    await server.start()
    await vi.waitFor(async () => expect((await attempt('ana', 'wrong')).status).toBe(401), { timeout: 10_000 })
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
    expect(onStoreRecovery.mock.calls).toEqual([
      [
        {
          message: expect.stringMatching(
            /^Each process counted failed logins on its own for [\d.]+ seconds?, because /,
          ),
          duration: expect.any(Number),
        },
      ],
    ])
  })
})
