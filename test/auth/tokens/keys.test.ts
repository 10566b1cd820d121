import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { algorithmNames } from '../../../src/auth/tokens/algorithms.js'
import { keyMemo } from '../../../src/auth/tokens/key-memo.js'
import { keyRing } from '../../../src/auth/tokens/key-ring.js'
import { prepareKey } from '../../../src/auth/tokens/keys.js'
import { ConfigurationError } from '../../../src/problem.js'
import { itWithCaches } from '../../with-caches.js'
import { keyFor, otherRsa, p256, p384, p521, pem, rsa, secret } from './signing.js'

const verifying = (key: unknown) => prepareKey('The key', key, 'verify')

/** Returns the error, after checking that its message contains none of the secrets. */
function errorOf(run: () => unknown, ...secrets: string[]): ConfigurationError {
  try {
    run()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    for (const part of secrets) expect(error.message).not.toContain(part)
    expect(error.cause).toBeUndefined()
    return error
  }
  throw new Error('No error was thrown.')
}

const refused = (key: unknown, purpose: 'sign' | 'verify' = 'verify', ...secrets: string[]) =>
  errorOf(() => prepareKey('The key', key, purpose), ...secrets)

const jwk = (key: KeyObject) => key.export({ format: 'jwk' })
const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
// The type declarations of Node 20 lack some of these options.
const pss = (generateKeyPairSync as (type: string, options: object) => { publicKey: KeyObject })('rsa-pss', {
  modulusLength: 2048,
  hashAlgorithm: 'sha256',
  mgf1HashAlgorithm: 'sha256',
  saltLength: 32,
})
const curve25519 = generateKeyPairSync('ed25519')
const koblitz = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })

describe('AUTH-5: usable keys', () => {
  it.each(algorithmNames)(
    '%s accepts its key in several formats, and keeps only the part that verifies tokens',
    (algorithm) => {
      const { verify, sign } = keyFor[algorithm]
      const forms: unknown[] =
        verify instanceof Uint8Array
          ? [verify, Buffer.from(verify).toString('hex'), { kty: 'oct', k: Buffer.from(verify).toString('base64url') }]
          : [
              verify,
              sign,
              pem(verify),
              pem(sign as KeyObject),
              Buffer.from(pem(verify)),
              jwk(verify),
              jwk(sign as KeyObject),
            ]
      for (const key of forms) {
        const prepared = verifying({ kid: 'a', algorithm, key })
        expect(prepared).toMatchObject({ kid: 'a', algorithm })
        expect(prepared.key.type).toBe(algorithm.startsWith('HS') ? 'secret' : 'public')
      }
    },
  )

  it('a secret that is given as a string consists of the UTF-8 bytes of the string', () => {
    expect(
      verifying({ algorithm: 'HS256', key: 'contraseña larga, con más de treinta y dos bytes' }).key.export(),
    ).toEqual(Buffer.from('contraseña larga, con más de treinta y dos bytes'))
  })

  it('an RSA-PSS key works only with the PS algorithm that uses the hash of the key', () => {
    expect(verifying({ algorithm: 'PS256', key: pss.publicKey }).key.asymmetricKeyType).toBe('rsa-pss')
    for (const algorithm of ['RS256', 'PS384']) expect(refused({ algorithm, key: pss.publicKey }).code).toBe('weak-key')
  })
})

describe('AUTH-5: weak and wrong keys are refused', () => {
  it.each([
    ['HS256', 31],
    ['HS384', 47],
    ['HS512', 63],
  ])('AUTH-5: a secret shorter than the hash of its algorithm is refused: %s with %i bytes', (algorithm, bytes) => {
    const short = randomBytes(bytes)
    expect(refused({ algorithm, key: short }, 'verify', short.toString('base64'), short.toString('latin1')).code).toBe(
      'weak-key',
    )
    expect(verifying({ algorithm, key: randomBytes(bytes + 1) }).algorithm).toBe(algorithm)
  })

  it('AUTH-5: an RSA key below 2,048 bits, or with the exponent 1, is refused', () => {
    for (const algorithm of ['RS256', 'PS256']) {
      expect(refused({ algorithm, key: weakRsa.publicKey }).code).toBe('weak-key')
      expect(refused({ algorithm, key: pem(weakRsa.privateKey) }, 'sign').message).toContain('1024 bits')
    }
    expect(refused({ algorithm: 'RS256', key: { ...jwk(rsa.publicKey), e: 'AQ' } }).message).toContain('exponent')
  })

  it.each([
    ['ES256', p384.publicKey],
    ['ES384', p521.publicKey],
    ['ES512', p256.publicKey],
    ['ES256', koblitz.publicKey],
    ['ES256', rsa.publicKey],
    ['ES256', curve25519.publicKey],
    ['RS256', p256.publicKey],
    ['RS256', curve25519.publicKey],
    ['PS512', p521.publicKey],
  ])('AUTH-5: %s refuses a key of another curve or type', (algorithm, key) => {
    for (const form of [key, pem(key)]) expect(refused({ algorithm, key: form }).code).toBe('weak-key')
  })

  it.each(['HS256', 'HS384', 'HS512'])(
    'AUTH-5: %s does not accept a public or private key as a secret, whatever its format',
    (algorithm) => {
      const der = (format: 'spki' | 'pkcs1') => rsa.publicKey.export({ format: 'der', type: format })
      const forms: unknown[] = [
        pem(rsa.publicKey),
        `\n  ${pem(rsa.privateKey)}`,
        Buffer.from(pem(p521.publicKey)),
        rsa.publicKey,
        rsa.privateKey,
        jwk(rsa.publicKey),
        JSON.stringify(jwk(rsa.publicKey)),
        Buffer.from(JSON.stringify(jwk(p256.publicKey), null, 2)),
        der('spki'),
        der('pkcs1'),
        rsa.privateKey.export({ format: 'der', type: 'pkcs8' }),
        `ssh-rsa ${der('pkcs1').toString('base64')} ana@example`,
      ]
      for (const key of forms) {
        const error = refused({ algorithm, key }, 'verify', 'MII', jwk(rsa.publicKey).n as string)
        expect([error.code, error.clause]).toEqual(['weak-key', 'AUTH-5'])
        expect(error.message).toContain('everyone who has the public key could sign')
      }
    },
  )

  it('AUTH-5: a secret is not accepted as a key pair, and a public key cannot sign', () => {
    const shown = secret.toString('base64url')
    expect(refused({ algorithm: 'RS256', key: { kty: 'oct', k: shown } }, 'verify', shown).message).toContain(
      'cannot be read',
    )
    expect(
      refused({ algorithm: 'ES256', key: 'un secreto muy largo y muy secreto' }, 'verify', 'secreto muy').message,
    ).toContain('PEM')
    for (const key of [rsa.publicKey, pem(rsa.publicKey), jwk(rsa.publicKey)]) {
      expect(refused({ algorithm: 'RS256', key }, 'sign').message).toContain('Use the private key')
    }
  })

  it('AUTH-5: an EC key whose point is not on the curve is refused', () => {
    const { x, y } = jwk(p256.publicKey)
    for (const point of [
      { x: y, y: x },
      { x, y: x },
      { x: 'AA', y: 'AA' },
    ]) {
      expect(refused({ algorithm: 'ES256', key: { kty: 'EC', crv: 'P-256', ...point } }).message).toContain(
        'cannot be read',
      )
    }
  })

  it('AUTH-5: the error for an unknown algorithm suggests names, and does not show the given value', () => {
    for (const [algorithm, near] of [
      ['RS265', 'RS256'],
      ['rs256', 'RS256'],
      ['ES-512', 'ES512'],
    ]) {
      expect(refused({ algorithm, key: rsa.publicKey }).message).toContain(`Did you mean "${near}"?`)
    }
    for (const algorithm of ['none', 'EdDSA', '__proto__', 'constructor', ['RS256'], undefined, null, 5]) {
      expect(refused({ algorithm, key: rsa.publicKey }).message).toMatch(/Allowed: HS256|Did you mean "(?:ES|HS|RS|PS)/)
    }
    const swapped = secret.toString('base64')
    expect(refused({ algorithm: swapped, key: 'HS256' }, 'verify', swapped).code).toBe('invalid-option')
  })

  it.each([
    ['a string', 'un secreto'],
    ['null', null],
    ['a JSON Web Key instead of { algorithm, key }', jwk(rsa.publicKey)],
    ['a key that is missing', { algorithm: 'RS256' }],
    ['a key that is null', { algorithm: 'HS256', key: null }],
    ['a key that is a number', { algorithm: 'HS256', key: 12345 }],
    ['an empty kid', { kid: '', algorithm: 'RS256', key: rsa.publicKey }],
    ['a long kid', { kid: 'k'.repeat(257), algorithm: 'RS256', key: rsa.publicKey }],
    ['a kid that is a number', { kid: 5, algorithm: 'RS256', key: rsa.publicKey }],
    ['a JSON Web Key of another algorithm', { algorithm: 'RS256', key: { ...jwk(rsa.publicKey), alg: 'RS512' } }],
    ['a JSON Web Key for encryption', { algorithm: 'RS256', key: { ...jwk(rsa.publicKey), use: 'enc' } }],
    ['truncated PEM', { algorithm: 'RS256', key: pem(rsa.publicKey).slice(0, 200) }],
    ['a JSON Web Key without n and e', { algorithm: 'RS256', key: { kty: 'RSA' } }],
    [
      'a secret in base64 instead of base64url',
      { algorithm: 'HS256', key: { kty: 'oct', k: `${secret.toString('base64')}==` } },
    ],
  ])('AUTH-5: %s throws, and the message shows no key', (_, key) => {
    expect(refused(key, 'verify', 'un secreto', jwk(rsa.publicKey).n as string, secret.toString('base64')).code).toBe(
      'invalid-option',
    )
  })

  it.each<[string, unknown, string]>([
    ['undefined', undefined, "The key is missing. Use { algorithm: 'HS256', key: ... }"],
    ['a string', 'un secreto', "The key is a key without its algorithm. Use { algorithm: 'HS256', key: ... }"],
    ['bytes', secret, 'is a key without its algorithm'],
    ['a KeyObject', rsa.publicKey, 'is a key without its algorithm'],
    ['a JSON Web Key', jwk(rsa.publicKey), 'is a key without its algorithm'],
    ['a list', [], 'is a list'],
    ['a secret that is undefined', { algorithm: 'HS256', key: undefined }, 'is the environment variable set?'],
    ['an empty secret', { algorithm: 'HS256', key: '' }, 'is the environment variable set?'],
    ['a key pair that is undefined', { algorithm: 'ES256', key: undefined }, 'is the environment variable set?'],
    ['an empty key pair', { algorithm: 'ES256', key: '' }, 'is the environment variable set?'],
    [
      'PEM on one line',
      { algorithm: 'RS256', key: pem(rsa.privateKey).replaceAll('\n', '\\n') },
      `"\\n" instead of line breaks. Use text.replaceAll('\\\\n', '\\n').`,
    ],
  ])('AUTH-5: if the key is %s, the error says how to fix it', (_, key, fix) => {
    expect(refused(key, 'verify', 'un secreto', 'MII', jwk(rsa.publicKey).n as string).message).toContain(fix)
  })

  it('AUTH-5: a wrong key that a function returns causes the same error as a wrong key in the options', () => {
    for (const key of ['un secreto', null]) {
      const ring = keyRing('bearer()', () => [key] as never)
      expect(errorOf(() => ring({ alg: 'HS256' }), 'un secreto').message).toContain(
        "Use { algorithm: 'HS256', key: ... }",
      )
    }
  })

  it('the error for a short secret contains no SHA-256 digest of the secret', () => {
    const short = 'short but varied'
    const error = refused({ algorithm: 'HS256', key: short }, 'verify', short)
    expect(error.message).not.toContain(createHash('sha256').update(short).digest('hex').slice(0, 8))
  })
})

describe('AUTH-5: candidate keys of a token', () => {
  const key = (kid: string | undefined, algorithm: string) => ({
    ...(kid === undefined ? {} : { kid }),
    algorithm,
    key: algorithm === 'RS256' ? rsa.publicKey : algorithm === 'HS256' ? secret : otherRsa.publicKey,
  })
  const list = [key('a', 'RS256'), key('b', 'RS256'), key(undefined, 'RS256'), key('a', 'HS256'), key('c', 'PS256')]
  const names = (answer: unknown) =>
    (answer as { kid?: string; algorithm: string }[]).map(({ kid, algorithm }) => `${kid} ${algorithm}`)

  it.each([
    ['fixed keys', list],
    ['a function', () => list],
  ])('are found by "alg" and "kid": %s', (_, keys) => {
    const ring = keyRing('bearer()', keys)
    expect(names(ring({ alg: 'RS256', kid: 'a' }))).toEqual(['a RS256'])
    expect(names(ring({ alg: 'HS256', kid: 'a' }))).toEqual(['a HS256'])
    expect(names(ring({ alg: 'RS256' }))).toEqual(['a RS256', 'b RS256', 'undefined RS256'])
    expect(names(ring({ alg: 'RS256', kid: 'z' }))).toEqual(['undefined RS256'])
    expect(names(ring({ alg: 'RS256', kid: 'c' }))).toEqual([])
    expect(names(ring({ alg: 'PS256', kid: 'z' }))).toEqual([])
    expect(names(ring({ alg: 'ES256' }))).toEqual([])
    for (const kid of ['__proto__', 'constructor', 'toString']) expect(names(ring({ alg: 'PS256', kid }))).toEqual([])
  })

  it('are limited to 16', () => {
    const many = Array.from({ length: 40 }, (_, index) => key(`k${index}`, 'RS256'))
    expect(keyRing('bearer()', many)({ alg: 'RS256' })).toHaveLength(16)
    expect(names(keyRing('bearer()', many)({ alg: 'RS256', kid: 'k39' }))).toEqual(['k39 RS256'])
    expect(keyRing('bearer()', () => many)({ alg: 'RS256' })).toHaveLength(16)
    const unnamed = Array.from({ length: 17 }, () => key(undefined, 'RS256'))
    expect(() => keyRing('bearer()', unnamed)).toThrow('Set a "kid" for each')
  })

  it('keys can have the same kid only if their algorithms differ', () => {
    expect(() => keyRing('bearer()', [key('a', 'RS256'), key('a', 'RS256')])).toThrow('two keys with the same "kid"')
    expect(names(keyRing('bearer()', [key('a', 'RS256'), key('a', 'HS256')])({ alg: 'HS256', kid: 'a' }))).toEqual([
      'a HS256',
    ])
  })

  it('missing and unusable keys cause an error, which names the index of an unusable key in the list', () => {
    expect(() => keyRing('bearer()', [])).toThrow('no key')
    expect(() => keyRing('bearer()', null)).toThrow(ConfigurationError)
    expect(() => keyRing('bearer()', undefined)).toThrow(ConfigurationError)
    expect(() => keyRing('bearer()', [key('a', 'RS256'), { algorithm: 'HS256', key: 'short' }])).toThrow(
      'keys[1] of bearer()',
    )
  })

  it.each([
    ['null in a list', [null]],
    ['a string', 'un secreto'],
    ['a weak key', { algorithm: 'RS256', key: weakRsa.publicKey }],
  ])('an error is thrown if a function returns an unusable key: %s', (_, given) => {
    expect(() => keyRing('bearer()', () => given)({ alg: 'RS256' })).toThrow(ConfigurationError)
  })
})

describe('AUTH-5: a KeyObject is created once for a key', () => {
  itWithCaches.each([
    ['PEM in the same object', { algorithm: 'RS256', key: pem(rsa.publicKey) }, (key: object) => key],
    ['PEM in a new object', { algorithm: 'RS256', key: pem(rsa.publicKey) }, (key: object) => ({ ...key })],
    ['a JSON Web Key', { algorithm: 'RS256', key: jwk(rsa.publicKey) }, (key: object) => structuredClone(key)],
    ['bytes', { algorithm: 'HS256', key: secret }, (key: object) => ({ ...key, key: Uint8Array.from(secret) })],
    ['a KeyObject', { algorithm: 'RS256', key: rsa.privateKey }, (key: object) => ({ ...key })],
  ])('%s', (_, key, again) => {
    const prepare = keyMemo()
    const first = prepare('The key', key)
    for (let time = 0; time < 3; time++) expect(prepare('The key', again(key))).toBe(first)
  })

  it('a modified key is read again. Many new secrets evict old secrets from the cache, but never a KeyObject', () => {
    const prepare = keyMemo()
    const key = { algorithm: 'RS256', key: rsa.publicKey }
    const first = prepare('The key', key)
    key.key = otherRsa.publicKey
    expect(prepare('The key', key).key.equals(otherRsa.publicKey)).toBe(true)
    key.algorithm = 'PS256'
    expect(prepare('The key', key).algorithm).toBe('PS256')
    expect(prepare('The key', Object.assign(key, { kid: 'a' })).kid).toBe('a')
    const text = { algorithm: 'HS256', key: secret.toString('hex') }
    const old = prepare('The key', { ...text })
    for (let index = 0; index < 250; index++) prepare('The key', { algorithm: 'HS256', key: randomBytes(32) })
    expect(prepare('The key', { ...text })).not.toBe(old)
    expect(prepare('The key', { algorithm: 'RS256', key: rsa.publicKey })).toBe(first)
  })

  it('the same key with another kid or algorithm has its own cache entry', () => {
    const prepare = keyMemo()
    const base = { algorithm: 'RS256', key: rsa.publicKey }
    expect(prepare('The key', { ...base, kid: 'a' })).not.toBe(prepare('The key', base))
    expect(prepare('The key', { ...base, algorithm: 'PS256' }).algorithm).toBe('PS256')
  })
})
