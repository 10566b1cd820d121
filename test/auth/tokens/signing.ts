/**
 * Keys that are generated when this module is loaded, and tokens that are signed without a library.
 * So tests can create tokens that no library would create.
 */
import { constants, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { TokenAlgorithm } from '../../../src/auth/tokens/algorithms.js'

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
export const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
export const secret = randomBytes(64)

export const pem = (key: KeyObject): string =>
  key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' }) as string

export const base64url = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url')

export const now = (): number => Math.floor(Date.now() / 1000)

type SigningKey = KeyObject | Uint8Array | string

/** Returns the signature of a string. */
export function signature(algorithm: string, input: string, key: SigningKey): Buffer {
  const hash = `sha${algorithm.slice(2)}`
  const data = Buffer.from(input)
  switch (algorithm.slice(0, 2)) {
    case 'HS':
      return createHmac(hash, key as Uint8Array)
        .update(data)
        .digest()
    case 'ES':
      return sign(hash, data, { key: key as KeyObject, dsaEncoding: 'ieee-p1363' })
    case 'PS':
      return sign(hash, data, {
        key: key as KeyObject,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      })
    default:
      return sign(hash, data, key as KeyObject)
  }
}

/** Signs a token with this header and this payload. Both can be any text or bytes. */
export function signedText(
  header: string | Uint8Array,
  payload: string | Uint8Array,
  algorithm: string,
  key: SigningKey,
): string {
  const input = `${base64url(header)}.${base64url(payload)}`
  return `${input}.${signature(algorithm, input, key).toString('base64url')}`
}

/** Signs a token with this header and these claims. */
export function signed(
  claims: Readonly<Record<string, unknown>>,
  key: SigningKey,
  header: Readonly<Record<string, unknown>> & { readonly alg: string },
): string {
  return signedText(JSON.stringify(header), JSON.stringify(claims), header.alg, key)
}

/** A key pair or a secret for each algorithm. */
export const keyFor: Readonly<
  Record<TokenAlgorithm, { readonly sign: KeyObject | Uint8Array; readonly verify: KeyObject | Uint8Array }>
> = {
  HS256: { sign: secret, verify: secret },
  HS384: { sign: secret, verify: secret },
  HS512: { sign: secret, verify: secret },
  RS256: { sign: rsa.privateKey, verify: rsa.publicKey },
  RS384: { sign: rsa.privateKey, verify: rsa.publicKey },
  RS512: { sign: rsa.privateKey, verify: rsa.publicKey },
  PS256: { sign: rsa.privateKey, verify: rsa.publicKey },
  PS384: { sign: rsa.privateKey, verify: rsa.publicKey },
  PS512: { sign: rsa.privateKey, verify: rsa.publicKey },
  ES256: { sign: p256.privateKey, verify: p256.publicKey },
  ES384: { sign: p384.privateKey, verify: p384.publicKey },
  ES512: { sign: p521.privateKey, verify: p521.publicKey },
}
