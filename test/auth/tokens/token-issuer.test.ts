import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bearer, tokenIssuer } from '../../../src/auth/index.js'
import { algorithmNames } from '../../../src/auth/tokens/algorithms.js'
import { ConfigurationError, type HttpProblem } from '../../../src/index.js'
import { keyFor, p256, pem, rsa, secret } from './signing.js'

const key = { kid: '2026-11', algorithm: 'ES256', key: p256.privateKey } as const
const byHeader = (token: string): never => ({ rawHeaders: ['Authorization', `Bearer ${token}`] }) as never
const part = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] as string, 'base64url').toString())

afterEach(() => void vi.useRealTimers())

describe('tokenIssuer()', () => {
  it.each(algorithmNames)('AUTH-5: issues tokens that bearer() accepts: %s', (algorithm) => {
    const { sign, verify } = keyFor[algorithm]
    const issue = tokenIssuer({
      key: { kid: 'a', algorithm, key: sign },
      issuer: 'https://api.example',
      audience: ['courier', 'billing'],
    })
    const authenticated = bearer({
      keys: { kid: 'a', algorithm, key: verify },
      issuer: 'https://api.example',
      audience: 'courier',
    })
    expect(authenticated.identify(byHeader(issue({ sub: 'ana', roles: ['a'] })))).toMatchObject({
      sub: 'ana',
      roles: ['a'],
    })
  })

  it('AUTH-5: tokens have iat, typ and the kid of the key, and are valid for an hour by default', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_900 })
    const token = tokenIssuer({ key })({ sub: 'ana' })
    expect(part(token, 0)).toEqual({ alg: 'ES256', typ: 'JWT', kid: '2026-11' })
    expect(part(token, 1)).toEqual({ sub: 'ana', iat: 1_800_000_000, exp: 1_800_003_600 })
    const short = tokenIssuer({
      key: { algorithm: 'HS256', key: secret },
      lifetime: 60,
      type: 'at+jwt',
      issuer: 'i',
      audience: 'a',
    })({
      sub: 'ana',
      nbf: 1_800_000_000,
    })
    expect(part(short, 0)).toEqual({ alg: 'HS256', typ: 'at+jwt' })
    expect(part(short, 1)).toEqual({
      sub: 'ana',
      iss: 'i',
      aud: 'a',
      nbf: 1_800_000_000,
      iat: 1_800_000_000,
      exp: 1_800_000_060,
    })
  })

  it('AUTH-5: after a key rotation, old tokens remain valid while "keys" contains the old key', () => {
    const next = { kid: '2026-12', algorithm: 'RS256', key: rsa.privateKey } as const
    const old = tokenIssuer({ key })({ sub: 'ana' })
    const both = bearer({ keys: [key, next] })
    for (const token of [old, tokenIssuer({ key: next })({ sub: 'ana' })])
      expect(both.identify(byHeader(token))).toMatchObject({ sub: 'ana' })
    expect(() => bearer({ keys: next }).identify(byHeader(old))).toThrow(
      expect.objectContaining<Partial<HttpProblem>>({ status: 401 }),
    )
  })

  const cyclic: Record<string, unknown> = { sub: 'ana' }
  cyclic.self = cyclic
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'ana'],
    ['no sub', {}],
    ['an empty sub', { sub: '' }],
    ['a sub that is a number', { sub: 5 }],
    ['an exp, which only the issuer sets', { sub: 'ana', exp: 5 }],
    ['an iat, which only the issuer sets', { sub: 'ana', iat: 5 }],
    ['another issuer', { sub: 'ana', iss: 'https://evil.example' }],
    ['another audience', { sub: 'ana', aud: 'billing' }],
    ['nbf as text', { sub: 'ana', nbf: '5' }],
    ['nbf that is a Date', { sub: 'ana', nbf: new Date() }],
    ['a jti that is a number', { sub: 'ana', jti: 5 }],
    ['a cycle', cyclic],
    ['a bigint', { sub: 'ana', n: 5n }],
    ['deeply nested claims', { sub: 'ana', deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) }],
    ['__proto__', JSON.parse('{"sub":"ana","__proto__":{"admin":true}}')],
    ['claims that make the token too long for a header field', { sub: 'ana', filler: 'x'.repeat(7000) }],
  ])('AUTH-5: unusable claims are refused: %s', (_, claims) => {
    const issue = tokenIssuer({ key, issuer: 'https://api.example', audience: 'courier' })
    expect(() => issue(claims as { sub: string })).toThrow(ConfigurationError)
  })

  it('AUTH-5: an undefined claim is refused, because JSON would silently omit it; the error names the claim', () => {
    const claims = { sub: 'ana', scope: undefined }
    expect(() => tokenIssuer({ key })(claims)).toThrow('"scope" is undefined. Set a value, or remove it.')
  })

  const { d: _, ...publicHalf } = p256.privateKey.export({ format: 'jwk' })
  it.each([
    ['no options', undefined],
    ['no key', {}],
    ['a public RSA key', { key: { algorithm: 'RS256', key: rsa.publicKey } }],
    ['a public PEM', { key: { algorithm: 'RS256', key: pem(rsa.publicKey) } }],
    ['a public JSON Web Key', { key: { algorithm: 'ES256', key: publicHalf } }],
    ['a weak secret', { key: { algorithm: 'HS512', key: secret.subarray(0, 32) } }],
    [
      'a weak key pair',
      { key: { algorithm: 'RS256', key: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey } },
    ],
    [
      'a private key with the public part of another key',
      {
        key: {
          algorithm: 'ES256',
          key: {
            ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
            d: p256.privateKey.export({ format: 'jwk' }).d,
          },
        },
      },
    ],
    ['a lifetime of 0', { key, lifetime: 0 }],
    ['a lifetime as a string', { key, lifetime: '1h' }],
    ['an endless lifetime', { key, lifetime: Number.POSITIVE_INFINITY }],
    ['an issuer that is undefined', { key, issuer: undefined }],
    ['an empty audience', { key, audience: [] }],
    ['a misspelt option', { key, lifeTime: 5 }],
  ])('AUTH-5: throws a ConfigurationError for %s', (_, options) => {
    expect(() => tokenIssuer(options as never)).toThrow(ConfigurationError)
  })
})
