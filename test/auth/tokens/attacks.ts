/**
 * Tokens that must be refused. Most of them contain one known attack, or one violation of RFC 7515,
 * 7519 or 8725, and are otherwise valid.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { base64url, now, otherRsa, p256, pem, rsa, secret, signature, signed, signedText } from './signing.js'

export const audience = 'courier'
export const issuer = 'https://login.example'

/** Claims of a valid token. */
export const goodClaims = (): Record<string, unknown> => ({
  iss: issuer,
  aud: audience,
  sub: 'ana',
  jti: 'token-1',
  iat: now(),
  nbf: now(),
  exp: now() + 600,
})

const rsHeader = { alg: 'RS256', kid: 'rsa', typ: 'JWT' }

/** Creates a valid token. */
export const good = (claims: Readonly<Record<string, unknown>> = {}): string =>
  signed({ ...goodClaims(), ...claims }, rsa.privateKey, rsHeader)

/** The keys of the service under attack. */
export const keys = [
  { kid: 'rsa', algorithm: 'RS256', key: rsa.publicKey },
  { kid: 'ec', algorithm: 'ES256', key: p256.publicKey },
  { kid: 'hs', algorithm: 'HS512', key: secret },
] as const

const ec = (claims = goodClaims()): string => signed(claims, p256.privateKey, { alg: 'ES256', kid: 'ec' })
const claims = (change: Readonly<Record<string, unknown>>): string => {
  const changed = { ...goodClaims(), ...change }
  return signed(changed, rsa.privateKey, rsHeader)
}
const without = (name: string): string => claims({ [name]: undefined })
const header = (change: Readonly<Record<string, unknown>>): string =>
  signedText(JSON.stringify({ ...rsHeader, ...change }), JSON.stringify(goodClaims()), 'RS256', rsa.privateKey)
const rawHeader = (text: string | Uint8Array): string =>
  signedText(text, JSON.stringify(goodClaims()), 'RS256', rsa.privateKey)
const rawPayload = (text: string | Uint8Array): string =>
  signedText(JSON.stringify(rsHeader), text, 'RS256', rsa.privateKey)
const payloadWith = (member: string): string => rawPayload(`${JSON.stringify(goodClaims()).slice(0, -1)},${member}}`)
const numbered = (name: string, literal: string): string =>
  rawPayload(JSON.stringify({ ...goodClaims(), [name]: 'HERE' }).replace('"HERE"', literal))
const withSignature = (token: string, of: (bytes: Buffer) => string): string => {
  const [head, payload, text] = token.split('.') as [string, string, string]
  return `${head}.${payload}.${of(Buffer.from(text, 'base64url'))}`
}
const parts = (token: string): [string, string, string] => token.split('.') as [string, string, string]
const hmacWith = (material: string | Uint8Array, algorithm = 'HS512', kid = 'rsa'): string => {
  const input = `${base64url(JSON.stringify({ alg: algorithm, kid }))}.${base64url(JSON.stringify(goodClaims()))}`
  return `${input}.${createHmac(`sha${algorithm.slice(2)}`, material)
    .update(input)
    .digest('base64url')}`
}
const jwk = (key: typeof rsa.publicKey): object => key.export({ format: 'jwk' })
const der = (): string => {
  const [head, payload] = parts(ec())
  return `${head}.${payload}.${sign('sha256', Buffer.from(`${head}.${payload}`), p256.privateKey).toString('base64url')}`
}
const nested = (levels: number): string => `"deep":${'['.repeat(levels)}${']'.repeat(levels)}`
/**
 * Replaces the last character of a base64url text with another character that decodes to the same
 * bytes. The last character can have spare bits, which encode nothing.
 */
const spareBits = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const bytes = Buffer.from(text, 'base64url')
  const other = [...alphabet].find(
    (last) => !text.endsWith(last) && Buffer.from(text.slice(0, -1) + last, 'base64url').equals(bytes),
  )
  if (other === undefined) throw new Error('The last character of the text has no spare bits.')
  return text.slice(0, -1) + other
}

/**
 * The name of each attack, and a function that creates its token. Tokens are created when needed,
 * because they contain the current time.
 */
export const attacks: readonly (readonly [name: string, token: () => string])[] = [
  // The algorithm (RFC 8725 2.1, 3.1)
  ['alg none, no signature', () => `${base64url('{"alg":"none"}')}.${parts(good())[1]}.`],
  [
    'alg none, with the original signature',
    () => `${base64url('{"alg":"none"}')}.${parts(good())[1]}.${parts(good())[2]}`,
  ],
  ...['None', 'NONE', 'nOnE', ' none', 'none ', 'none\u0000'].map(
    (alg) =>
      [`alg ${JSON.stringify(alg)}`, () => `${base64url(JSON.stringify({ alg }))}.${parts(good())[1]}.AA`] as const,
  ),
  ['alg in lower case', () => header({ alg: 'rs256' })],
  ['alg with a space', () => header({ alg: 'RS256 ' })],
  ['alg is a list', () => header({ alg: ['RS256'] })],
  ['alg is an object', () => header({ alg: { toString: 'RS256' } })],
  ['alg is null', () => header({ alg: null })],
  ['alg is a number', () => header({ alg: 256 })],
  ['alg is true', () => header({ alg: true })],
  ['alg is empty', () => header({ alg: '' })],
  ['alg is missing', () => rawHeader('{"kid":"rsa"}')],
  ['alg is __proto__', () => header({ alg: '__proto__' })],
  ['alg is constructor', () => header({ alg: 'constructor' })],
  [
    'alg that no key has',
    () => signedText('{"alg":"RS512","kid":"rsa"}', JSON.stringify(goodClaims()), 'RS512', rsa.privateKey),
  ],
  [
    'alg PS256, signed with the RS256 key',
    () => signedText('{"alg":"PS256","kid":"rsa"}', JSON.stringify(goodClaims()), 'PS256', rsa.privateKey),
  ],
  ['alg EdDSA', () => header({ alg: 'EdDSA' })],
  ['alg twice, none last', () => rawHeader('{"alg":"RS256","kid":"rsa","alg":"none"}')],
  ['alg twice, none first', () => rawHeader('{"alg":"none","kid":"rsa","alg":"RS256"}')],
  ['alg twice, once escaped', () => rawHeader('{"alg":"RS256","kid":"rsa","\\u0061lg":"none"}')],
  ['signed with RS256, declared as ES256', () => header({ alg: 'ES256', kid: 'ec' })],
  // Key confusion (RFC 8725 2.1)
  ['HMAC with the public PEM, kid of the RSA key', () => hmacWith(pem(rsa.publicKey))],
  ['HMAC with the public PEM, kid of the secret', () => hmacWith(pem(rsa.publicKey), 'HS512', 'hs')],
  ['HMAC with the public PEM, HS256', () => hmacWith(pem(rsa.publicKey), 'HS256')],
  ['HMAC with the trimmed PEM', () => hmacWith(pem(rsa.publicKey).trim())],
  ['HMAC with the public DER', () => hmacWith(rsa.publicKey.export({ format: 'der', type: 'spki' }))],
  ['HMAC with the JSON Web Key', () => hmacWith(JSON.stringify(jwk(rsa.publicKey)))],
  ['HMAC with the modulus', () => hmacWith(Buffer.from((jwk(rsa.publicKey) as { n: string }).n, 'base64url'))],
  ['HMAC with an empty secret', () => hmacWith('', 'HS512', 'hs')],
  ['HMAC with a zero byte', () => hmacWith('\u0000', 'HS512', 'hs')],
  ['HMAC with the kid as the secret', () => hmacWith('hs', 'HS512', 'hs')],
  [
    'HMAC cut to its first half',
    () => withSignature(signed(goodClaims(), secret, { alg: 'HS512', kid: 'hs' }), (b) => base64url(b.subarray(0, 32))),
  ],
  // The signature (RFC 8725 3.3)
  ['no signature', () => `${parts(good())[0]}.${parts(good())[1]}.`],
  ['no third part', () => parts(good()).slice(0, 2).join('.')],
  ['a signature of zeros', () => withSignature(good(), (bytes) => base64url(Buffer.alloc(bytes.length)))],
  ['a signature of 0xFF bytes', () => withSignature(good(), (bytes) => base64url(Buffer.alloc(bytes.length, 255)))],
  ['a signature of one byte', () => withSignature(good(), () => 'AA')],
  [
    'a signature with an additional byte',
    () => withSignature(good(), (bytes) => base64url(Buffer.concat([bytes, Buffer.from([0])]))),
  ],
  [
    'a signature with a leading zero',
    () => withSignature(good(), (bytes) => base64url(Buffer.concat([Buffer.from([0]), bytes]))),
  ],
  ['a signature with its last byte cut', () => withSignature(good(), (bytes) => base64url(bytes.subarray(0, -1)))],
  [
    'the signature of another token',
    () =>
      `${parts(claims({ sub: 'eva' }))
        .slice(0, 2)
        .join('.')}.${parts(good())[2]}`,
  ],
  ['signed by another key', () => signed(goodClaims(), otherRsa.privateKey, rsHeader)],
  ['an ECDSA signature of zeros (CVE-2022-21449)', () => withSignature(ec(), () => base64url(Buffer.alloc(64)))],
  [
    'an ECDSA signature whose r and s are the order of the curve',
    () =>
      withSignature(ec(), () =>
        base64url(Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'.repeat(2), 'hex')),
      ),
  ],
  [
    'an ECDSA signature with r of zero',
    () => withSignature(ec(), (bytes) => base64url(Buffer.concat([Buffer.alloc(32), bytes.subarray(32)]))),
  ],
  [
    'an ECDSA signature with s of zero',
    () => withSignature(ec(), (bytes) => base64url(Buffer.concat([bytes.subarray(0, 32), Buffer.alloc(32)]))),
  ],
  ['an ECDSA signature in DER', der],
  ['an ECDSA signature with a byte missing', () => withSignature(ec(), (bytes) => base64url(bytes.subarray(1)))],
  // A key that the token contains or refers to (RFC 8725 2.10, 3.10)
  ['an embedded jwk', () => signed(goodClaims(), otherRsa.privateKey, { ...rsHeader, jwk: jwk(otherRsa.publicKey) })],
  [
    'an embedded jwk without kid',
    () => signed(goodClaims(), otherRsa.privateKey, { alg: 'RS256', jwk: jwk(otherRsa.publicKey) }),
  ],
  [
    'a jku of the attacker',
    () => signed(goodClaims(), otherRsa.privateKey, { ...rsHeader, jku: 'http://127.0.0.1:9/jwks.json' }),
  ],
  [
    'an x5u of the attacker',
    () => signed(goodClaims(), otherRsa.privateKey, { ...rsHeader, x5u: 'http://127.0.0.1:9/cert.pem' }),
  ],
  [
    'an x5c of the attacker',
    () => signed(goodClaims(), otherRsa.privateKey, { ...rsHeader, x5c: [base64url(pem(otherRsa.publicKey))] }),
  ],
  ...[
    '../../../../dev/null',
    "rsa' OR '1'='1",
    'rsa; cat /etc/passwd',
    '__proto__',
    'constructor',
    'toString',
    'RSA',
    'rsa\u0000',
    'hs',
  ].map((kid) => [`a kid that no RS256 key has: ${JSON.stringify(kid)}`, () => header({ kid })] as const),
  ['a kid of 10,000 characters', () => header({ kid: 'k'.repeat(10_000) })],
  ['a kid of 257 characters', () => header({ kid: 'k'.repeat(257) })],
  ['an empty kid', () => header({ kid: '' })],
  ['a kid that is a number', () => header({ kid: 0 })],
  ['a kid that is null', () => header({ kid: null })],
  ['a kid that is a list', () => header({ kid: ['rsa'] })],
  ['a kid that is an object', () => header({ kid: { rsa: true } })],
  // Extensions (RFC 7515 4.1.11, RFC 7797)
  ['crit with an unknown extension', () => header({ crit: ['exp'], exp: 5 })],
  ['crit that is empty', () => header({ crit: [] })],
  ['crit that is null', () => header({ crit: null })],
  ['b64 false', () => header({ b64: false, crit: ['b64'] })],
  ['b64 without crit', () => header({ b64: false })],
  ['zip', () => header({ zip: 'DEF' })],
  ['typ that is not a string', () => header({ typ: ['JWT'] })],
  // The header, which must be JSON
  ...[
    '[]',
    'null',
    '5',
    '"RS256"',
    'true',
    '',
    '{',
    '{"alg":"RS256"',
    `{'alg':'RS256'}`,
    '{"alg":"RS256",}',
    '[{"alg":"RS256"}]',
  ].map((text) => [`a header that is ${text === '' ? 'empty' : text}`, () => rawHeader(text)] as const),
  ['a header with __proto__', () => rawHeader('{"__proto__":{"alg":"RS256"},"kid":"rsa"}')],
  ['a header with __proto__ beside alg', () => rawHeader('{"alg":"RS256","kid":"rsa","__proto__":{}}')],
  ['a deeply nested header', () => rawHeader(`{"alg":"RS256","kid":"rsa",${nested(1000)}}`)],
  [
    'a header in invalid UTF-8',
    () =>
      rawHeader(
        Buffer.concat([Buffer.from('{"alg":"RS256","kid":"rsa","x":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      ),
  ],
  ['a header in UTF-16', () => rawHeader(Buffer.from('{"alg":"RS256","kid":"rsa"}', 'utf16le'))],
  // The token as a string (RFC 7515 2, 7.1)
  ['two additional parts', () => `${good()}.AA.AA`],
  ['an encrypted token: five parts', () => 'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA'],
  ['only dots', () => '..'],
  ['a leading dot', () => `.${good()}`],
  ['a trailing dot', () => `${good()}.`],
  ['an empty payload', () => signedText(JSON.stringify(rsHeader), '', 'RS256', rsa.privateKey)],
  ['padding', () => `${good()}==`],
  ['padding of the header', () => [`${parts(good())[0]}=`, ...parts(good()).slice(1)].join('.')],
  [
    'base64 with plus and slash',
    () => withSignature(good(), (bytes) => `${bytes.toString('base64').replace(/=+$/, '').slice(0, -2)}+/`),
  ],
  ['white space inside', () => good().replace('.', '. ')],
  ['a tab inside', () => good().replace('.', '.\t')],
  ['spare bits of the signature', () => withSignature(good(), (bytes) => spareBits(base64url(bytes)))],
  [
    'spare bits of an HMAC',
    () =>
      withSignature(signed(goodClaims(), secret, { alg: 'HS512', kid: 'hs' }), (bytes) => spareBits(base64url(bytes))),
  ],
  ['a percent-encoded dot', () => good().replace('.', '%2E')],
  ['quotes around', () => `"${good()}"`],
  ['a token twice, separated by a comma', () => `${good()},${good()}`],
  ['a token twice, separated by a space', () => `${good()} ${good()}`],
  [
    'JSON serialization',
    () =>
      `{"payload":"${parts(good())[1]}","signatures":[{"protected":"${parts(good())[0]}","signature":"${parts(good())[2]}"}]}`,
  ],
  ['more than 8,192 characters', () => claims({ filler: 'x'.repeat(6_500) })],
  // The payload (RFC 7519 7.2, RFC 8725 3.7)
  ...['[]', 'null', '5', '"ana"', 'true', 'rubbish', '{', '[{"exp":99999999999}]'].map(
    (text) => [`a payload that is ${text}`, () => rawPayload(text)] as const,
  ),
  [
    'a nested token as payload',
    () => signedText('{"alg":"RS256","kid":"rsa","cty":"JWT"}', good(), 'RS256', rsa.privateKey),
  ],
  [
    'a payload in invalid UTF-8',
    () =>
      rawPayload(
        Buffer.concat([
          Buffer.from(JSON.stringify(goodClaims()).slice(0, -1)),
          Buffer.from(',"x":"'),
          Buffer.from([0xff, 0xfe]),
          Buffer.from('"}'),
        ]),
      ),
  ],
  ['a deeply nested payload', () => payloadWith(nested(1500))],
  ['a member twice', () => payloadWith('"sub":"admin"')],
  ['a member twice, once escaped', () => payloadWith('"\\u0073ub":"admin"')],
  ['a member named __proto__', () => payloadWith('"__proto__":{"admin":true}')],
  // The claims (RFC 7519 4.1, RFC 8725 3.8, 3.9)
  ['exp is missing', () => without('exp')],
  ['exp is a string', () => claims({ exp: String(now() + 600) })],
  ['exp is a string that is not a number', () => claims({ exp: 'never' })],
  ['exp is null', () => claims({ exp: null })],
  ['exp is true', () => claims({ exp: true })],
  ['exp is a list', () => claims({ exp: [now() + 600] })],
  ['exp is 1e400', () => numbered('exp', '1e400')],
  ['exp is NaN', () => numbered('exp', 'NaN')],
  ['exp is Infinity', () => numbered('exp', 'Infinity')],
  ['exp is negative', () => claims({ exp: -1 })],
  ['exp is 0', () => claims({ exp: 0 })],
  ['exp is in the past', () => claims({ exp: now() - 1 })],
  ['exp is now', () => claims({ exp: now() })],
  ['exp is larger than a safe integer', () => numbered('exp', '99999999999999999999999')],
  ['nbf is in the future', () => claims({ nbf: now() + 60 })],
  ['nbf is a string', () => claims({ nbf: '0' })],
  ['nbf is null', () => claims({ nbf: null })],
  ['iat is two minutes in the future', () => claims({ iat: now() + 120 })],
  ['iat is a string', () => claims({ iat: String(now()) })],
  ['iss is another issuer', () => claims({ iss: 'https://evil.example' })],
  ['iss is missing', () => without('iss')],
  ['iss is a list with the right issuer', () => claims({ iss: [issuer] })],
  ['iss begins with the right issuer', () => claims({ iss: `${issuer}.evil.example` })],
  ['iss with an additional slash', () => claims({ iss: `${issuer}/` })],
  ['iss in capitals', () => claims({ iss: issuer.toUpperCase() })],
  ['aud is another audience', () => claims({ aud: 'billing' })],
  ['aud is missing', () => without('aud')],
  ['aud is an empty list', () => claims({ aud: [] })],
  ['aud is a list of other audiences', () => claims({ aud: ['billing', 'courier2'] })],
  ['aud is an object', () => claims({ aud: { courier: true } })],
  ['aud is a list with a number', () => claims({ aud: [audience, 5] })],
  ['aud contains the right audience as a substring', () => claims({ aud: `${audience} billing` })],
  ['aud is null', () => claims({ aud: null })],
  ['sub is empty', () => claims({ sub: '' })],
  ['sub is a number', () => claims({ sub: 5 })],
  ['sub is null', () => claims({ sub: null })],
  ['sub is an object', () => claims({ sub: { $ne: null } })],
  ['jti is a number', () => claims({ jti: 5 })],
]

/** Whether a header field can contain the token of an attack. */
export const fitsHeader = (token: string): boolean => /^[\t -~]*$/.test(token)

/**
 * Creates a token that is signed with a key on secp256k1. No key of the service uses this curve.
 */
export const foreignCurve = (): string => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const input = `${base64url('{"alg":"ES256","kid":"ec"}')}.${base64url(JSON.stringify(goodClaims()))}`
  return `${input}.${signature('ES256', input, pair.privateKey).toString('base64url')}`
}
