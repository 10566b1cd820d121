import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bearer, type JwksOptions, jwks } from '../../../src/auth/index.js'
import { ConfigurationError, type HttpProblem, Unavailable } from '../../../src/index.js'
import { listen } from '../../middleware/majors.js'
import { now, otherRsa, p256, p384, rsa, secret, signed } from './signing.js'

const published = (key: KeyObject, more: object = {}): object => ({ ...key.export({ format: 'jwk' }), ...more })
const first = published(rsa.publicKey, { kid: 'first', use: 'sig', alg: 'RS256' })
const second = published(otherRsa.publicKey, { kid: 'second', use: 'sig', alg: 'RS256' })

const token = (kid: string | undefined, key: KeyObject = rsa.privateKey, alg = 'RS256') =>
  signed({ sub: 'ana', exp: now() + 600 }, key, { alg, ...(kid === undefined ? {} : { kid }) })
const req = (text: string): never => ({ rawHeaders: ['Authorization', `Bearer ${text}`] }) as never

/**
 * Starts a server whose key set can be changed. Counts its requests, and collects the errors that
 * `jwks()` reports.
 */
async function issuer(keys: unknown, options: JwksOptions = {}) {
  const state = {
    asked: 0,
    answer: (_req: IncomingMessage, res: ServerResponse): void => void res.end(JSON.stringify({ keys })),
  }
  const port = await listen((request, response) => {
    state.asked++
    state.answer(request, response)
  })
  const errors: unknown[] = []
  const find = jwks(`http://127.0.0.1:${port}/jwks.json`, { onError: (error) => void errors.push(error), ...options })
  const authenticated = bearer({ keys: find })
  return {
    state,
    errors,
    port,
    serve: (next: unknown) => {
      state.answer = (_req, res) => void res.end(JSON.stringify({ keys: next }))
    },
    fail: () => {
      state.answer = (request) => void request.socket.destroy()
    },
    /** Resolves with the `sub` of the token, or with the status of the refusal. */
    ask: async (text: string): Promise<unknown> => {
      try {
        return ((await authenticated.identify(req(text))) as { sub: string }).sub
      } catch (error) {
        return (error as HttpProblem).status
      }
    },
    now: (text: string): unknown => authenticated.identify(req(text)),
  }
}

/** Mocks the clock of `jwks()`. The clock advances only when `pass()` is called. */
function clock() {
  // An integer, so that additions and subtractions are exact.
  const start = Math.ceil(performance.now())
  let passed = 0
  vi.spyOn(performance, 'now').mockImplementation(() => start + passed)
  return {
    pass: (milliseconds: number): void => {
      passed += milliseconds
    },
  }
}

afterEach(() => void vi.restoreAllMocks())

describe('jwks(): keys', () => {
  it('AUTH-5: are fetched once, when the first tokens arrive, and are then found synchronously', async () => {
    const { ask, state, now } = await issuer([first])
    expect(state.asked).toBe(0)
    expect(await Promise.all([ask(token('first')), ask(token('first')), ask(token(undefined))])).toEqual([
      'ana',
      'ana',
      'ana',
    ])
    expect(state.asked).toBe(1)
    expect(now(token('first'))).toMatchObject({ sub: 'ana' })
    expect(state.asked).toBe(1)
  })

  it('AUTH-5: are fetched again for a new kid, at most once per "cooldown"', async () => {
    const time = clock()
    const { ask, serve, state } = await issuer([first], { cooldown: 1000, maxAge: 1_000_000 })
    expect(await ask(token('first'))).toBe('ana')
    serve([first, second])
    expect(await ask(token('second', otherRsa.privateKey))).toBe(401)
    expect(state.asked).toBe(1)
    time.pass(1000)
    expect(await Promise.all([ask(token('second', otherRsa.privateKey)), ask(token('third'))])).toEqual(['ana', 401])
    for (let index = 0; index < 20; index++) expect(await ask(token(`strange-${index}`))).toBe(401)
    expect(state.asked).toBe(2)
  })

  it('AUTH-5: are removed, with their cached tokens, within "maxAge" after the issuer withdraws them', async () => {
    const time = clock()
    const { ask, serve } = await issuer([first, second], { maxAge: 60_000 })
    const text = token('first')
    expect(await ask(text)).toBe('ana')
    serve([second])
    time.pass(59_999)
    expect(await ask(text)).toBe('ana')
    time.pass(1)
    expect([await ask(text), await ask(token('second', otherRsa.privateKey))]).toEqual([401, 'ana'])
    serve([])
    time.pass(60_000)
    expect(await ask(token('second', otherRsa.privateKey))).toBe(401)
  })

  it('AUTH-5: remain in use during an outage, which is reported once and does not delay requests', async () => {
    const time = clock()
    const { ask, fail, serve, errors, state, now } = await issuer([first], { maxAge: 60_000, cooldown: 1000 })
    expect(await ask(token('first'))).toBe('ana')
    fail()
    time.pass(60_000)
    expect(await ask(token('first'))).toBe('ana')
    for (let round = 0; round < 3; round++) {
      time.pass(1000)
      expect(now(token('first'))).toMatchObject({ sub: 'ana' })
      await vi.waitFor(() => expect(state.asked).toBe(3 + round))
      // This request waits until the fetch in the background has ended, so that the next fetch can
      // begin.
      await ask(token('strange'))
    }
    expect(errors).toHaveLength(1)
    serve([second])
    time.pass(1000)
    expect(now(token('first'))).toMatchObject({ sub: 'ana' })
    await vi.waitFor(async () => expect(await ask(token('first'))).toBe(401))
    fail()
    time.pass(60_000)
    expect(await ask(token('second', otherRsa.privateKey))).toBe('ana')
    expect(errors).toHaveLength(2)
  })

  it('AUTH-5: until a fetch succeeds, requests get 503, and a fetch is tried at most once per second', async () => {
    const time = clock()
    const { ask, fail, serve, state, errors } = await issuer([])
    fail()
    expect(await Promise.all([ask(token('first')), ask(token('first'))])).toEqual([503, 503])
    expect(await ask(token('first'))).toBe(503)
    expect([state.asked, errors.length]).toEqual([1, 1])
    serve([first])
    time.pass(1000)
    expect(await ask(token('first'))).toBe('ana')
  })

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['a status that is not 200', (_req, res) => void res.writeHead(404).end('{"keys":[]}')],
    ['a redirect', (_req, res) => void res.writeHead(302, { Location: '/other.json' }).end()],
    ['HTML', (_req, res) => void res.end('<html>Sign in</html>')],
    ['a list', (_req, res) => void res.end('[]')],
    ['"keys" that is not a list', (_req, res) => void res.end('{"keys":{}}')],
    ['a member twice', (_req, res) => void res.end('{"keys":[],"keys":[]}')],
    ['more than a megabyte', (_req, res) => void res.end(`{"keys":[],"x":"${'x'.repeat(1024 * 1024)}"}`)],
    [
      'a truncated body',
      (_req, res) => void res.writeHead(200, { 'Content-Length': '100' }).end('{"keys":', () => res.destroy()),
    ],
  ])('AUTH-5: a response is not accepted as a key set: %s', async (_, answer) => {
    const { ask, state, errors } = await issuer([first])
    state.answer = answer
    expect(await ask(token('first'))).toBe(503)
    expect([state.asked, errors.length]).toEqual([1, 1])
  })

  it('AUTH-5: the fetch of an endless body is aborted when the body grows too large', async () => {
    const { ask, state } = await issuer([first])
    let closed = false
    state.answer = (_req, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write('x'.repeat(65_536))) {}
      }
      res.on('drain', more).on('close', () => {
        closed = true
      })
      more()
    }
    expect(await ask(token('first'))).toBe(503)
    await vi.waitFor(() => expect(closed).toBe(true))
  })

  it('AUTH-5: a fetch is aborted after the timeout if its response never begins or never ends', async () => {
    for (const answer of [() => {}, (_req: IncomingMessage, res: ServerResponse) => void res.write('{"keys":[')]) {
      const { ask, state, errors } = await issuer([first], { timeout: 50 })
      state.answer = answer
      expect(await ask(token('first'))).toBe(503)
      expect(String((errors[0] as Error).cause)).toContain('longer than 50 ms')
    }
    const never = bearer({ keys: jwks(() => new Promise(() => {}), { timeout: 20, onError: () => {} }) })
    await expect(Promise.resolve(never.identify(req(token('first'))))).rejects.toBeInstanceOf(Unavailable)
  })
})

describe('jwks(): usable keys of a set', () => {
  const ec = p256.publicKey
  it.each<[string, object, string, string, KeyObject, boolean]>([
    ['an RSA key without "alg" is used for RS256', published(rsa.publicKey), 'RS256', 'k', rsa.privateKey, true],
    ['an RSA key without "alg" is not used for PS256', published(rsa.publicKey), 'PS256', 'k', rsa.privateKey, false],
    [
      'an RSA key with the "alg" PS256 is used',
      published(rsa.publicKey, { alg: 'PS256' }),
      'PS256',
      'k',
      rsa.privateKey,
      true,
    ],
    ['an EC key on P-256 without "alg" is used for ES256', published(ec), 'ES256', 'k', p256.privateKey, true],
    ['an EC key on P-384 is used for ES384', published(p384.publicKey), 'ES384', 'k', p384.privateKey, true],
    [
      'a key whose "use" is "enc" is not used',
      published(rsa.publicKey, { use: 'enc' }),
      'RS256',
      'k',
      rsa.privateKey,
      false,
    ],
    [
      'a key whose "key_ops" lacks "verify" is not used',
      published(rsa.publicKey, { key_ops: ['encrypt'] }),
      'RS256',
      'k',
      rsa.privateKey,
      false,
    ],
    [
      'a key whose "key_ops" contains "verify" is used',
      published(rsa.publicKey, { key_ops: ['verify'] }),
      'RS256',
      'k',
      rsa.privateKey,
      true,
    ],
    [
      'a key whose "key_ops" is not a list is not used',
      published(rsa.publicKey, { key_ops: 'verify' }),
      'RS256',
      'k',
      rsa.privateKey,
      false,
    ],
    [
      'a key with an "alg" for encryption is not used',
      published(rsa.publicKey, { alg: 'RSA-OAEP' }),
      'RS256',
      'k',
      rsa.privateKey,
      false,
    ],
    [
      'an RSA key with the "alg" HS256 is not used',
      published(rsa.publicKey, { alg: 'HS256' }),
      'RS256',
      'k',
      rsa.privateKey,
      false,
    ],
    [
      'an EC key with the "alg" of another curve is not used',
      published(ec, { alg: 'ES384' }),
      'ES256',
      'k',
      p256.privateKey,
      false,
    ],
    ['a private key is not used', published(rsa.privateKey), 'RS256', 'k', rsa.privateKey, false],
    [
      'a key whose "kid" is a number is not used',
      published(rsa.publicKey, { kid: 5 }),
      'RS256',
      'k',
      rsa.privateKey,
      false,
    ],
  ])('AUTH-5: %s', async (_, key, alg, kid, signer, serves) => {
    const authenticated = bearer({
      keys: jwks(async () => ({ keys: [{ kid: 'k', ...key }] as never }), { onError: () => {} }),
    })
    const answer = Promise.resolve(authenticated.identify(req(token(kid, signer, alg))))
    if (serves) expect(await answer).toMatchObject({ sub: 'ana' })
    else await expect(answer).rejects.toMatchObject({ status: 401 })
  })

  it('AUTH-5: a secret in a key set is ignored, because the set is public', async () => {
    const oct = { kty: 'oct', k: secret.toString('base64url'), kid: 'k', alg: 'HS256' }
    const authenticated = bearer({ keys: jwks(async () => ({ keys: [oct] }), { onError: () => {} }) })
    const forged = signed({ sub: 'ana', exp: now() + 600 }, secret, { alg: 'HS256', kid: 'k' })
    await expect(Promise.resolve(authenticated.identify(req(forged)))).rejects.toMatchObject({ status: 401 })
  })

  it('AUTH-5: unusable keys do not affect usable keys, and the reported error shows no part of a key', async () => {
    const weak = published(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey, { kid: 'weak' }) as {
      n: string
    }
    const leaked = published(otherRsa.privateKey, { kid: 'leaked' }) as { d: string; n: string }
    const okp = { kty: 'OKP', crv: 'Ed25519', x: 'AA', kid: 'okp' }
    const { ask, errors } = await issuer([null, 5, okp, weak, leaked, { kty: 'RSA', kid: 'broken' }, first])
    expect(await ask(token('first'))).toBe('ana')
    expect(errors).toHaveLength(1)
    const said = String(errors[0])
    expect(said).toContain('private')
    for (const part of [weak.n, leaked.d, leaked.n]) expect(said).not.toContain(part.slice(0, 12))
  })

  it('AUTH-5: two keys with the same kid are both tried', async () => {
    const { ask } = await issuer([published(otherRsa.publicKey, { kid: 'first' }), first])
    expect(await ask(token('first'))).toBe('ana')
  })

  it('if "onError" throws or rejects, its error goes to console.error, and tokens are still accepted', async () => {
    const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (const onError of [
      () => {
        throw new Error('the log is full')
      },
      () => Promise.reject(new Error('the log is full')),
    ]) {
      const { ask } = await issuer([first, published(rsa.privateKey)], { onError })
      expect(await ask(token('first'))).toBe('ana')
    }
    expect(spy).toHaveBeenCalledTimes(2)
  })

  it('by default, the error of an outage goes to console.error', async () => {
    const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
    const authenticated = bearer({ keys: jwks(() => Promise.reject(new Error('down'))) })
    await expect(Promise.resolve(authenticated.identify(req(token('first'))))).rejects.toBeInstanceOf(Unavailable)
    expect(spy).toHaveBeenCalledTimes(1)
  })
})

describe('jwks(): options', () => {
  it.each([
    ['http to another machine', 'http://login.example/jwks.json'],
    ['http to a name that begins like a local address', 'http://127.0.0.1.evil.example/'],
    ['http to a subdomain named localhost', 'http://localhost.evil.example/'],
    ['a file URL', 'file:///etc/jwks.json'],
    ['a data URL', 'data:application/json,{"keys":[]}'],
    ['credentials in the URL', 'https://ana:secreto@login.example/'],
    ['text that is not an absolute URL', 'login.example'],
    ['undefined', undefined],
    ['null', null],
  ])('AUTH-5: jwks() throws for %s, and the message shows no credentials', (_, source) => {
    expect(() => jwks(source as never)).toThrow(ConfigurationError)
    expect(() => jwks(source as never)).not.toThrow('secreto')
  })

  it.each([
    'https://login.example/',
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://[::1]:80/',
    new URL('https://login.example/'),
  ])('AUTH-5: jwks() accepts the URL %s', (source) => expect(jwks(source)).toBeTypeOf('function'))

  it.each([
    { maxAge: 0 },
    { maxAge: '1h' },
    { cooldown: -1 },
    { timeout: Number.NaN },
    { fetch: 'node' },
    { onError: 5 },
    { cacheMaxAge: 5 },
  ])('AUTH-5: jwks() throws for the options %j', (options) =>
    expect(() => jwks('https://login.example/', options as never)).toThrow(ConfigurationError),
  )

  it('AUTH-5: the function in "fetch" gets a signal, and is told to refuse redirects', async () => {
    const own = vi.fn(async () => new Response(JSON.stringify({ keys: [first] })))
    const authenticated = bearer({ keys: jwks('https://login.example/jwks.json', { fetch: own as never }) })
    expect(await authenticated.identify(req(token('first')))).toMatchObject({ sub: 'ana' })
    const [address, init] = own.mock.calls[0] as unknown as [URL, RequestInit]
    expect(String(address)).toBe('https://login.example/jwks.json')
    expect(init).toMatchObject({ redirect: 'error', signal: expect.any(AbortSignal) })
  })
})
