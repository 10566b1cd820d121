import { request as httpRequest } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { bearer, publicToken, type TokenOptions } from '../../src/auth/index.js'
import { algorithmNames } from '../../src/auth/tokens/algorithms.js'
import { ConfigurationError, HttpProblem, Unavailable } from '../../src/index.js'
import { attacks, audience, fitsHeader, foreignCurve, good, goodClaims, issuer, keys } from '../auth/tokens/attacks.js'
import { keyFor, now, otherRsa, p256, rsa, signed } from '../auth/tokens/signing.js'
import { itWithCaches } from '../with-caches.js'
import { type Express, listen, majors, raw, service } from './majors.js'

const options = { keys, issuer, audience } satisfies TokenOptions
const finder = (header: { alg: string; kid?: string }) => keys.filter((key) => key.kid === (header.kid ?? key.kid))

/** The parts of a request that `identify` reads. */
const requestWith = (field: string, ...values: string[]): never =>
  ({ headers: {}, rawHeaders: values.flatMap((value) => [field, value]) }) as never
const byHeader = (token: string): never => requestWith('Authorization', `Bearer ${token}`)

/** Runs a function and returns its result, or the problem that it throws. */
function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error instanceof HttpProblem) return error
    throw error
  }
}

/**
 * Everything that a problem exposes: its body, its headers, its cause, and the values inside them.
 */
function everythingIn(error: unknown, seen: Set<unknown> = new Set()): string {
  if (typeof error !== 'object' || error === null || seen.has(error)) return String(error)
  seen.add(error)
  return Object.getOwnPropertyNames(error)
    .map((name) => `${name}: ${everythingIn((error as Record<string, unknown>)[name], seen)}`)
    .join('\n')
}

describe('bearer(): the wrong tokens', () => {
  it('AUTH-5: there are at least 100 attacks with unique names, and the token that they modify is valid', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(100)
    expect(new Set(attacks.map(([name]) => name)).size).toBe(attacks.length)
    for (const given of [options, { ...options, keys: finder }])
      expect(bearer(given).identify(byHeader(good()))).toMatchObject({ sub: 'ana' })
  })

  const ways = [
    ['fixed keys', bearer(options)],
    ['a function that finds them', bearer({ ...options, keys: finder })],
    ['an async function that finds them', bearer({ ...options, keys: async (header) => finder(header) })],
    ['a function that returns every key', bearer({ ...options, keys: () => keys })],
  ] as const

  it.each(attacks)('AUTH-5: %s gets 401', async (_, make) => {
    const token = make()
    for (const [, authenticated] of ways) {
      const problem = await Promise.resolve()
        .then(() => authenticated.identify(byHeader(token)))
        .catch((error: unknown) => error)
      expect(problem).toBeInstanceOf(HttpProblem)
      const { status, code, cause } = problem as HttpProblem
      expect([status, code]).toEqual([401, 'unauthenticated'])
      expect(cause).toBeInstanceOf(Error)
    }
  })

  it('AUTH-5: a signature on another curve gets 401', () => {
    expect(outcome(() => ways[0][1].identify(byHeader(foreignCurve())))).toMatchObject({ status: 401 })
  })

  it('AUTH-5: a token that was modified at any position gets 401', () => {
    const tokens = [good(), signed(goodClaims(), p256.privateKey, { alg: 'ES256', kid: 'ec' })]
    const authenticated = bearer(options)
    fc.assert(
      fc.property(
        fc.constantFrom(...tokens),
        fc.nat(),
        fc.oneof(
          fc.record({ kind: fc.constant('replace'), with: fc.integer({ min: 33, max: 126 }) }),
          fc.record({ kind: fc.constant('insert'), with: fc.integer({ min: 33, max: 126 }) }),
          fc.record({ kind: fc.constant('delete'), with: fc.constant(0) }),
          fc.record({ kind: fc.constant('swap'), with: fc.nat() }),
          fc.record({ kind: fc.constant('cut'), with: fc.constant(0) }),
        ),
        (token, place, change) => {
          const at = place % token.length
          const character = String.fromCharCode(change.with)
          const other = change.with % token.length
          const tampered = {
            replace: token.slice(0, at) + character + token.slice(at + 1),
            insert: token.slice(0, at) + character + token.slice(at),
            delete: token.slice(0, at) + token.slice(at + 1),
            swap: [...token].map((one, i) => (i === at ? token[other] : i === other ? token[at] : one)).join(''),
            cut: token.slice(0, at),
          }[change.kind] as string
          fc.pre(tampered !== token)
          const result = outcome(() => authenticated.identify(byHeader(tampered)))
          expect(result).toBeInstanceOf(HttpProblem)
          expect((result as HttpProblem).status).toBe(401)
        },
      ),
      { numRuns: 1500 },
    )
  })

  it('AUTH-5: a token with a changed byte in any of its three parts gets 401', () => {
    const [head, payload, signatureText] = good().split('.') as [string, string, string]
    const authenticated = bearer(options)
    fc.assert(
      fc.property(fc.nat(2), fc.nat(), fc.integer({ min: 1, max: 255 }), (part, place, mask) => {
        const texts = [head, payload, signatureText]
        const bytes = Buffer.from(texts[part] as string, 'base64url')
        const at = place % bytes.length
        bytes[at] = (bytes[at] as number) ^ mask
        texts[part] = bytes.toString('base64url')
        expect(outcome(() => authenticated.identify(byHeader(texts.join('.'))))).toMatchObject({ status: 401 })
      }),
      { numRuns: 1000 },
    )
  })

  it('AUTH-5: random text in place of a token gets 401 and never causes any other error', () => {
    const authenticated = bearer({ ...options, keys: finder })
    const segment = fc.oneof(
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.constant('e30'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(segment, { maxLength: 5 }).map((all) => all.join('.')),
        ),
        (text) => {
          expect(outcome(() => authenticated.identify(byHeader(text)))).toMatchObject({ status: 401 })
        },
      ),
    )
  })

  it('ERR-3: neither a problem nor its cause contains a token, a claim or a key', async () => {
    const secretClaims = { sub: 'ana-la-secreta', email: 'ana@secreta.example' }
    const revoked = bearer({ ...options, revoked: () => true })
    const unknown = bearer({ ...options, principal: () => undefined })
    const tokens = [...attacks.map(([, make]) => make()), good({ ...secretClaims, exp: 1 }), good(secretClaims)]
    for (const authenticated of [...ways.map(([, way]) => way), revoked, unknown]) {
      for (const token of tokens) {
        const result = await Promise.resolve()
          .then(() => authenticated.identify(byHeader(token)))
          .catch((error: unknown) => error)
        if (!(result instanceof HttpProblem)) continue
        const said = everythingIn(result)
        const pieces = token.split('.').filter((piece) => piece.length > 8)
        for (const part of [...pieces, 'secreta', 'BEGIN', 'evil.example', 'token-1']) expect(said).not.toContain(part)
      }
    }
  })
})

describe('bearer(): each algorithm', () => {
  it.each(algorithmNames)(
    'AUTH-5: a key for %s accepts signatures of this algorithm, and of no other algorithm',
    (algorithm) => {
      const { sign, verify } = keyFor[algorithm]
      const authenticated = bearer({ ...options, keys: { algorithm, key: verify } })
      expect(authenticated.identify(byHeader(signed(goodClaims(), sign, { alg: algorithm })))).toMatchObject({
        sub: 'ana',
      })
      for (const other of algorithmNames.filter((name) => name !== algorithm)) {
        const result = outcome(() =>
          authenticated.identify(byHeader(signed(goodClaims(), keyFor[other].sign, { alg: other }))),
        )
        expect(result).toMatchObject({ status: 401 })
      }
    },
  )
})

describe('bearer(): required claims', () => {
  const identify = (given: Partial<TokenOptions>, token: string) =>
    outcome(() => bearer({ ...options, ...given } as TokenOptions).identify(byHeader(token)))
  const sub = { sub: 'ana' }
  const refusal = { status: 401 }
  const why = (result: unknown) => ((result as HttpProblem).cause as Error).message

  it('AUTH-5: "issuer" and "audience" can be lists, and a token can have several audiences', () => {
    expect(identify({ issuer: ['https://a.example', issuer] }, good())).toMatchObject(sub)
    expect(identify({ audience: ['a', audience] }, good())).toMatchObject(sub)
    expect(identify({}, good({ aud: ['billing', audience] }))).toMatchObject(sub)
  })

  it('AUTH-5: a token with an audience is refused if the service declares none, and the cause names the fix', () => {
    const { audience: _, ...nameless } = options
    const result = outcome(() => bearer(nameless).identify(byHeader(good())))
    expect(result).toMatchObject(refusal)
    expect(why(result)).toContain('set the option "audience"')
    expect(bearer(nameless).identify(byHeader(good({ aud: undefined })))).toMatchObject(sub)
  })

  it('AUTH-5: "clockTolerance" applies to "exp", "nbf" and "iat"', () => {
    for (const claims of [{ exp: now() - 20 }, { nbf: now() + 20 }, { iat: now() + 80 }]) {
      expect(identify({}, good(claims))).toMatchObject(refusal)
      expect(identify({ clockTolerance: 30 }, good(claims))).toMatchObject(sub)
    }
    expect(identify({ clockTolerance: 30 }, good({ exp: now() - 31 }))).toMatchObject(refusal)
  })

  it('AUTH-5: "maxAge" is counted from "iat", and makes "iat" a required claim', () => {
    expect(identify({ maxAge: 60 }, good({ iat: now() - 50 }))).toMatchObject(sub)
    expect(identify({ maxAge: 60 }, good({ iat: now() - 61 }))).toMatchObject(refusal)
    expect(identify({ maxAge: 60 }, good({ iat: undefined }))).toMatchObject(refusal)
    expect(identify({}, good({ iat: undefined }))).toMatchObject(sub)
  })

  it.each([
    ['at+jwt', 'at+jwt', true],
    ['at+jwt', 'AT+JWT', true],
    ['at+jwt', 'application/at+jwt', true],
    ['application/at+jwt', 'at+jwt', true],
    ['at+jwt', 'JWT', false],
    ['at+jwt', undefined, false],
    ['at+jwt', 'application/application/at+jwt', false],
    ['at+jwt', 'at+jwt; charset=utf-8', false],
    ['JWT', 'jwt', true],
  ])('AUTH-5: if the option "type" is %s, a token whose "typ" is %s is accepted: %s', (type, typ, taken) => {
    const token = signed(goodClaims(), rsa.privateKey, {
      alg: 'RS256',
      kid: 'rsa',
      ...(typ === undefined ? {} : { typ }),
    })
    expect(identify({ type }, token)).toMatchObject(taken ? sub : refusal)
  })

  it('AUTH-5: a token is refused if another type or audience is required, even with the same key', () => {
    const token = (typ: string, aud: string) =>
      signed({ ...goodClaims(), aud }, rsa.privateKey, { alg: 'RS256', kid: 'rsa', typ })
    const kinds = [
      { given: { type: 'at+jwt' }, text: token('at+jwt', audience) },
      { given: { type: 'refresh+jwt' }, text: token('refresh+jwt', audience) },
      { given: { type: 'at+jwt', audience: 'billing' }, text: token('at+jwt', 'billing') },
    ]
    for (const { given, text } of kinds) {
      for (const other of kinds) expect(identify(other.given, text)).toMatchObject(other.text === text ? sub : refusal)
      expect(identify(given, text)).toMatchObject(sub)
    }
  })

  it('AUTH-5: a key inside the token is ignored, and does not cause a refusal', () => {
    const header = {
      alg: 'RS256',
      kid: 'rsa',
      jku: 'https://evil.example',
      jwk: otherRsa.publicKey.export({ format: 'jwk' }),
    }
    expect(identify({}, signed(goodClaims(), rsa.privateKey, header))).toMatchObject(sub)
  })

  it('AUTH-5: claims are deeply frozen, because requests share them', () => {
    const claims = identify({}, good({ roles: ['a', { of: ['b'] }] })) as { roles: [string, { of: string[] }] }
    expect(() => claims.roles.push('admin' as never)).toThrow(TypeError)
    expect(() => claims.roles[1].of.push('admin')).toThrow(TypeError)
    expect(Object.isFrozen(claims)).toBe(true)
  })

  it('AUTH-5: "principal" maps claims to the caller on each request. A falsy result causes a 401', async () => {
    let seen = 0
    const authenticated = bearer({ ...options, principal: ({ sub: name }) => (++seen < 3 ? { name } : undefined) })
    const req = byHeader(good())
    expect([authenticated.identify(req), authenticated.identify(req)]).toEqual([{ name: 'ana' }, { name: 'ana' }])
    expect(outcome(() => authenticated.identify(req))).toMatchObject(refusal)
    for (const none of [null, false, '']) {
      const later = bearer({ ...options, principal: async () => none as never })
      await expect(Promise.resolve(later.identify(req))).rejects.toMatchObject(refusal)
    }
  })

  it('AUTH-5: revoked() runs on each request. Only the result false accepts a token. An error causes 503', async () => {
    const list = new Set<unknown>()
    const authenticated = bearer({ ...options, revoked: ({ jti }) => list.has(jti) })
    const req = byHeader(good())
    expect(authenticated.identify(req)).toMatchObject(sub)
    list.add('token-1')
    expect(outcome(() => authenticated.identify(req))).toMatchObject(refusal)

    const failures = [
      () => Promise.reject(new Error('redis is down')),
      () => {
        throw new Error('redis is down')
      },
    ]
    for (const revoked of failures) {
      const problem = await Promise.resolve()
        .then(() => bearer({ ...options, revoked }).identify(req))
        .catch((error: unknown) => error)
      expect(problem).toBeInstanceOf(Unavailable)
      expect((problem as Unavailable).cause).toMatchObject({ message: 'redis is down' })
    }
    for (const answer of [undefined, null, 0, 1, 'false', {}]) {
      expect(() => bearer({ ...options, revoked: () => answer as never }).identify(req)).toThrow(ConfigurationError)
    }
  })

  it('AUTH-5: a failing key finder causes 503, a missing key 401, an unusable key a ConfigurationError', async () => {
    const req = byHeader(good())
    const failing = bearer({ ...options, keys: () => Promise.reject(new Error('vault is down')) })
    await expect(Promise.resolve(failing.identify(req))).rejects.toBeInstanceOf(Unavailable)
    for (const found of [undefined, null, []]) {
      expect(outcome(() => bearer({ ...options, keys: () => found as never }).identify(req))).toMatchObject(refusal)
    }
    expect(() => bearer({ ...options, keys: () => ({ algorithm: 'RS256', key: 'no PEM' }) }).identify(req)).toThrow(
      ConfigurationError,
    )
  })

  it('AUTH-5: identify() is synchronous if the functions in the options are synchronous', () => {
    const authenticated = bearer({ ...options, keys: finder, revoked: () => false, principal: (claims) => claims.sub })
    expect(authenticated.identify(byHeader(good()))).toBe('ana')
  })
})

describe('bearer(): the cache', () => {
  const counting = () => {
    const find = vi.fn((): readonly (typeof keys)[number][] => keys)
    return find
  }

  itWithCaches('AUTH-5: a token is verified only once, and later requests get the same claims object', () => {
    const authenticated = bearer(options)
    const req = byHeader(good())
    expect(authenticated.identify(req)).toBe(authenticated.identify(req))
    const uncached = bearer({ ...options, cache: 0 })
    expect(uncached.identify(req)).not.toBe(uncached.identify(req))
  })

  it.each([
    ['exp', {}, { exp: 100 }, 100],
    ['exp and the tolerance', { clockTolerance: 10 }, { exp: 100 }, 110],
    ['maxAge', { maxAge: 50 }, { exp: 100 }, 50],
    ['maxAge and the tolerance', { maxAge: 50, clockTolerance: 10 }, { exp: 100 }, 60],
    ['exp before maxAge', { maxAge: 500 }, { exp: 100 }, 100],
  ])('AUTH-5: a cached token is refused once it has expired: %s', (_, more, { exp }, end) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const start = 1_800_000_000
      vi.setSystemTime(start * 1000)
      const authenticated = bearer({ ...options, ...more })
      const req = byHeader(good({ exp: start + exp }))
      expect(authenticated.identify(req)).toMatchObject({ sub: 'ana' })
      vi.setSystemTime((start + end) * 1000 - 1)
      expect(authenticated.identify(req)).toMatchObject({ sub: 'ana' })
      vi.setSystemTime((start + end) * 1000)
      for (let time = 0; time < 2; time++)
        expect(outcome(() => authenticated.identify(req))).toMatchObject({ status: 401 })
    } finally {
      vi.useRealTimers()
    }
  })

  itWithCaches('AUTH-5: a full cache evicts its oldest entry', () => {
    const authenticated = bearer({ ...options, cache: 2 })
    const requests = ['1', '2', '3'].map((sub) => byHeader(good({ sub })))
    const [first, second] = requests.map((req) => authenticated.identify(req))
    expect(authenticated.identify(requests[1] as never)).toBe(second)
    expect(authenticated.identify(requests[0] as never)).not.toBe(first)
  })

  itWithCaches(
    'AUTH-5: a cached token is refused after its key is removed, because the key finder is called on every request',
    () => {
      const find = counting()
      const authenticated = bearer({ ...options, keys: find })
      const req = byHeader(good())
      const claims = authenticated.identify(req)
      expect(authenticated.identify(req)).toBe(claims)
      expect(find).toHaveBeenCalledTimes(2)
      expect(find).toHaveBeenLastCalledWith({ alg: 'RS256', kid: 'rsa' })
      find.mockReturnValue([keys[1]])
      expect(outcome(() => authenticated.identify(req))).toMatchObject({ status: 401 })
      // The key finder returns a different key with the same id.
      find.mockReturnValue([{ kid: 'rsa', algorithm: 'RS256', key: otherRsa.publicKey }] as never)
      expect(outcome(() => authenticated.identify(req))).toMatchObject({ status: 401 })
      find.mockReturnValue(keys)
      expect(authenticated.identify(req)).toMatchObject({ sub: 'ana' })
    },
  )

  it('AUTH-5: an ECDSA signature has a second valid form, and revocation applies to the token in both forms', () => {
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
    const token = signed(goodClaims(), p256.privateKey, { alg: 'ES256', kid: 'ec' })
    const at = token.lastIndexOf('.') + 1
    const bytes = Buffer.from(token.slice(at), 'base64url')
    const mirrored = (order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)).toString(16).padStart(64, '0')
    const other =
      token.slice(0, at) + Buffer.concat([bytes.subarray(0, 32), Buffer.from(mirrored, 'hex')]).toString('base64url')
    const list = new Set<unknown>()
    const authenticated = bearer({ ...options, revoked: ({ jti }) => list.has(jti) })
    for (const text of [token, other]) expect(authenticated.identify(byHeader(text))).toMatchObject({ sub: 'ana' })
    list.add('token-1')
    for (const text of [token, other])
      expect(outcome(() => authenticated.identify(byHeader(text)))).toMatchObject({ status: 401 })
  })

  itWithCaches('AUTH-5: a refused token is never cached', () => {
    const authenticated = bearer({ ...options, cache: 1 })
    const req = byHeader(good())
    const claims = authenticated.identify(req)
    for (const [, make] of attacks)
      expect(outcome(() => authenticated.identify(byHeader(make())))).toMatchObject({ status: 401 })
    expect(authenticated.identify(req)).toBe(claims)
  })
})

describe('bearer() and publicToken(): the header field', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('AUTH-1: accepts the scheme %s', (scheme) => {
    expect(bearer(options).identify(requestWith('authorization', `${scheme}   ${good()}`))).toMatchObject({
      sub: 'ana',
    })
  })

  it('AUTH-1: the challenge has an error code only if the request has the scheme Bearer (RFC 6750 3.1)', () => {
    const authenticated = bearer({ ...options, realm: 'courier' })
    const challenge = (req: never) =>
      (outcome(() => authenticated.identify(req)) as HttpProblem).headers['WWW-Authenticate']
    expect(challenge(requestWith('Accept', '*/*'))).toBe('Bearer realm="courier"')
    expect(challenge(requestWith('Authorization', 'Basic YTpi'))).toBe('Bearer realm="courier"')
    expect(challenge(requestWith('Authorization', `Bearer2 ${good()}`))).toBe('Bearer realm="courier"')
    for (const field of [
      `Bearer ${good()}x`,
      'Bearer',
      'Bearer ',
      'Bearer a',
      `Bearer\t${good()}`.replace('\t', ' \t'),
    ]) {
      expect(challenge(requestWith('Authorization', field))).toBe('Bearer realm="courier", error="invalid_token"')
    }
  })

  it('AUTH-1: if the field does not begin with the scheme Bearer, the detail of the 401 says so', () => {
    const authenticated = bearer(options)
    const detail = (field: string) =>
      (outcome(() => authenticated.identify(requestWith('Authorization', field))) as HttpProblem).detail
    for (const field of [good(), `${good()}x`, 'Basic YTpi', `Bearer2 ${good()}`, `Token ${good()}`])
      expect(detail(field)).toBe(
        'The value of Authorization does not begin with the scheme Bearer. Send "Authorization: Bearer <token>".',
      )
    for (const field of ['Bearer', 'Bearer a', `Bearer ${good()}x`]) expect(detail(field)).toMatch(/ are not valid: /)
  })

  it('AUTH-1: a repeated field gets 401, whether both tokens are valid, or only the first or the last', () => {
    const [valid, other, invalid] = [good(), good({ jti: 'other' }), `${good()}x`]
    const authenticated = bearer(options)
    for (const token of [valid, other]) expect(authenticated.identify(byHeader(token))).toMatchObject({ sub: 'ana' })
    for (const [first, last] of [
      [valid, valid],
      [valid, other],
      [valid, invalid],
      [invalid, valid],
    ]) {
      const twice = requestWith('Authorization', `Bearer ${first}`, `Bearer ${last}`)
      expect(outcome(() => authenticated.identify(twice))).toMatchObject({
        status: 401,
        cause: { message: expect.stringContaining('The field is repeated.') },
      })
    }
  })

  it('AUTH-1: a token of maximum length is accepted, and a longer token gets 401 without a key lookup', () => {
    const find = vi.fn(() => keys)
    const authenticated = bearer({ ...options, keys: find })
    const fill = (length: number): string => {
      for (let size = length * 0.7; ; size--) {
        const token = good({ filler: 'x'.repeat(size) })
        if (token.length <= length) return token
      }
    }
    const longest = fill(8192)
    expect(longest.length).toBeGreaterThan(8180)
    expect(authenticated.identify(byHeader(longest))).toMatchObject({ sub: 'ana' })
    find.mockClear()
    for (const field of [
      `Bearer ${longest}${'x'.repeat(8193 - longest.length)}`,
      `Bearer${' '.repeat(9000)}${good()}`,
    ]) {
      expect(outcome(() => authenticated.identify(requestWith('Authorization', field)))).toMatchObject({ status: 401 })
    }
    expect(find).not.toHaveBeenCalled()
    let long = ''
    for (let size = 5700; long.length <= 8192; size++) long = good({ filler: 'x'.repeat(size) })
    expect(long.length).toBeLessThan(8200)
    const open = publicToken({ ...options, keys: find })
    expect(open.identify(requestWith('x-authorization-token', longest))).toMatchObject({ sub: 'ana' })
    expect(outcome(() => open.identify(requestWith('x-authorization-token', long)))).toMatchObject({ status: 401 })
    expect(find).toHaveBeenCalledTimes(1)
  })

  it('AUTH-5: if the "kid" has more than 256 characters, the key finder is not called', () => {
    const find = vi.fn((): undefined => undefined)
    const authenticated = bearer({ ...options, keys: find })
    for (const length of [256, 257]) {
      const token = signed(goodClaims(), rsa.privateKey, { alg: 'RS256', kid: 'k'.repeat(length) })
      expect(outcome(() => authenticated.identify(byHeader(token)))).toMatchObject({ status: 401 })
    }
    expect(find).toHaveBeenCalledTimes(1)
  })

  it('AUTH-3: publicToken() reads x-authorization-token, and its challenge names that field', () => {
    const authenticated = publicToken(options)
    expect(authenticated.field).toBe('x-authorization-token')
    expect(authenticated.identify(requestWith('X-Authorization-Token', good()))).toMatchObject({ sub: 'ana' })
    const none = outcome(() => authenticated.identify(byHeader(good()))) as HttpProblem
    expect(none.headers['WWW-Authenticate']).toBe('x-authorization-token realm="api"')
    const invalid = outcome(() =>
      authenticated.identify(requestWith('x-authorization-token', `Bearer ${good()}`)),
    ) as HttpProblem
    expect(invalid.headers['WWW-Authenticate']).toBe('x-authorization-token realm="api", error="invalid_token"')
    expect(outcome(() => authenticated.identify(requestWith('x-authorization-token', good(), good())))).toMatchObject({
      status: 401,
    })
  })
})

describe('bearer(): options', () => {
  it.each([
    ['no options', undefined],
    ['null', null],
    ['no keys', {}],
    ['a misspelt option', { ...options, audiences: 'a' }],
    ['an audience that is undefined, such as a missing environment variable', { ...options, audience: undefined }],
    ['an issuer that is undefined', { ...options, issuer: undefined }],
    ['a type that is undefined', { ...options, type: undefined }],
    ['an empty issuer', { ...options, issuer: '' }],
    ['an empty list of audiences', { ...options, audience: [] }],
    ['an audience that is a RegExp', { ...options, audience: /courier/ }],
    ['a tolerance in milliseconds', { ...options, clockTolerance: 5000 }],
    ['a tolerance below 0', { ...options, clockTolerance: -1 }],
    ['a tolerance that is NaN', { ...options, clockTolerance: Number.NaN }],
    ['a maxAge of 0', { ...options, maxAge: 0 }],
    ['a maxAge as text', { ...options, maxAge: '1h' }],
    ['a cache size of 0.5', { ...options, cache: 0.5 }],
    ['a cache without bounds', { ...options, cache: Number.POSITIVE_INFINITY }],
    ['a realm with a quote', { ...options, realm: 'a", error="' }],
    ['an empty realm', { ...options, realm: '' }],
    ['a realm with a line break', { ...options, realm: 'a\r\nSet-Cookie: b' }],
    ['a list as "revoked"', { ...options, revoked: ['token-1'] }],
    ['a text as "principal"', { ...options, principal: 'sub' }],
  ])('AUTH-5: %s is refused', (_, given) => {
    for (const build of [bearer, publicToken]) expect(() => build(given as never)).toThrow(ConfigurationError)
  })

  it('AUTH-5: the message for missing or incomplete keys shows how to write them and contains no key', () => {
    for (const keys of [undefined, null, '', 'a bare secret', Buffer.from('a bare secret')]) {
      const build = () => bearer({ keys } as never)
      expect(build).toThrow("Use { algorithm: 'HS256', key: secret }")
      expect(build).not.toThrow(/a bare secret/)
    }
  })
})

describe.each(majors)('bearer() on %s', (_, express: Express) => {
  const authenticated = bearer(options)
  const { app, call, reported } = service(express, (app) => {
    app.use(authenticated)
    app.get('/me', (req, res) => void res.json(authenticated.of(req)))
    app.get('/open', (_req, res) => void res.set('Cache-Control', 'public, max-age=60').end())
  })
  const finding = service(express, (app) => {
    const later = bearer({
      ...options,
      keys: async (header) => finder(header),
      principal: async ({ sub }) => ({ name: sub }),
    })
    app.use(later)
    app.get('/me', (req, res) => void res.json(later.of(req)))
  })

  it('AUTH-1, HDR-6: a valid token is accepted, and the response is private and varies by Authorization', async () => {
    const { status, body, headers } = await call.get('/me').set('Authorization', `Bearer ${good()}`)
    expect([status, body.sub]).toEqual([200, 'ana'])
    expect([headers['cache-control'], headers.vary]).toEqual(['private, no-cache', 'Authorization'])
    const open = await call.get('/open').set('Authorization', `Bearer ${good()}`)
    expect(open.headers['cache-control']).toBe('public, max-age=60')
    expect((await finding.call.get('/me').set('Authorization', `Bearer ${good()}`)).body).toEqual({ name: 'ana' })
  })

  it('AUTH-4: a request without a token gets 401 with a challenge and Cache-Control: no-store', async () => {
    const { status, body, headers } = await call.get('/me')
    expect([status, body.code, headers['www-authenticate'], headers['cache-control']]).toEqual([
      401,
      'unauthenticated',
      'Bearer realm="api"',
      'no-store',
    ])
  })

  it('AUTH-5: a forged token in a header field gets 401 over HTTP, without a reason or part of the token', async () => {
    const fitting = attacks.map(([name, make]) => [name, make()] as const).filter(([, token]) => fitsHeader(token))
    expect(fitting.length).toBeGreaterThan(100)
    const port = await listen(app)
    const later = await listen(finding.app)
    const details = new Set<string>()
    for (const [name, token] of fitting) {
      for (const at of [port, later]) {
        const { status, challenge, body } = await get(at, `Bearer ${token}`)
        expect([name, status, challenge]).toEqual([name, 401, 'Bearer realm="api", error="invalid_token"'])
        details.add(body)
        for (const part of token.split('.')) if (part.length > 12) expect(body).not.toContain(part)
      }
    }
    expect(details.size).toBe(1)
    expect(reported.every(({ problem }) => problem.status === 401)).toBe(true)
  })

  it('AUTH-1: a repeated header field gets 401, although Node keeps its first value', async () => {
    const text =
      `GET /me HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${good()}\r\nAuthorization: ` +
      `Bearer ${good()}\r\n\r\n`
    expect(await raw(app, text)).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('AUTH-5: an unavailable revocation list causes a 503 with Retry-After, and an unusable key a 500', async () => {
    const down = service(
      express,
      (app) => void app.use(bearer({ ...options, revoked: () => Promise.reject(new Error('down')) })),
    )
    const answer = await down.call.get('/').set('Authorization', `Bearer ${good()}`)
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    const broken = service(
      express,
      (app) => void app.use(bearer({ ...options, keys: () => ({ algorithm: 'RS256', key: 'no PEM' }) })),
    )
    const { status, body } = await broken.call.get('/').set('Authorization', `Bearer ${good()}`)
    expect([status, body.code]).toEqual([500, 'internal'])
    expect(broken.reported[0]?.problem.cause).toBeInstanceOf(ConfigurationError)
    expect(JSON.stringify(body)).not.toContain('PEM')
  })

  it('AUTH-3: publicToken() on one route accepts a valid token, and a request without a token gets 401', async () => {
    const authenticated = publicToken({ ...options, principal: (claims) => claims.sub })
    const { call } = service(
      express,
      (app) => void app.get('/me', authenticated, (req, res) => void res.json(authenticated.of(req))),
    )
    const { body, headers } = await call.get('/me').set('x-authorization-token', good())
    expect([body, headers.vary]).toEqual(['ana', 'x-authorization-token'])
    expect((await call.get('/me')).status).toBe(401)
  })
})

/**
 * Sends a request with this `Authorization` field. The function uses Node's own client, because
 * other clients can change header fields.
 */
function get(
  port: number,
  authorization: string,
): Promise<{ status: number | undefined; challenge: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path: '/me', headers: { Authorization: authorization } },
      (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        response.on('end', () =>
          resolve({ status: response.statusCode, challenge: response.headers['www-authenticate'], body }),
        )
      },
    )
    request.on('error', reject).end()
  })
}
