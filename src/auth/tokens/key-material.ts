/** What a team writes as a key becomes a `KeyObject`: PEM, secret, JSON Web Key (AUTH-5). No message here holds any of it. */
import { createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto'
import { isObject } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import { ConfigurationError } from '../../problem.js'
import type { Jwk } from './jwk.js'

/** A key as a team writes it. */
export type KeyMaterial = string | Uint8Array | KeyObject | Jwk

/** What a key is for: its owner signs with it, everybody else verifies. */
export type KeyPurpose = 'sign' | 'verify'

/**
 * A secret for HS256, HS384 or HS512: text (its UTF-8 bytes), bytes, a secret `KeyObject`, or a JSON Web Key of type `oct`. Throws `ConfigurationError` for a key of
 * a pair: who knows the public half, and everybody may, could sign with it (RFC 8725 2.1, key confusion).
 */
export function secretKey(what: string, material: unknown): KeyObject {
  if (material === undefined || material === null) throw absent(what)
  if (material instanceof KeyObject) {
    if (material.type !== 'secret') throw confused(what)
    return material
  }
  if (typeof material === 'string') return secretOf(what, Buffer.from(material, 'utf8'))
  if (material instanceof Uint8Array) return secretOf(what, Buffer.from(material))
  if (!isObject(material)) throw unreadable(what, 'a secret')
  if (material.kty !== 'oct') throw confused(what)
  const { k } = material
  if (typeof k !== 'string' || !/^[\w-]+$/.test(k)) throw unreadable(what, 'a secret')
  return secretOf(what, Buffer.from(k, 'base64url'))
}

/**
 * The half of a pair that this purpose needs. A private key gives its public half for verifying. Throws `ConfigurationError` where it can't be read, is a secret, or is
 * public where it should sign.
 */
export function pairKey(what: string, material: unknown, purpose: KeyPurpose): KeyObject {
  if (material === undefined || material === null || material === '') throw absent(what)
  if (material instanceof KeyObject) {
    if (material.type === 'secret') throw unreadable(what, 'a key of a pair')
    if (purpose === 'sign') {
      if (material.type !== 'private') throw cannotSign(what)
      return material
    }
    return material.type === 'private' ? createPublicKey(material) : material
  }
  const input = material instanceof Uint8Array ? Buffer.from(material).toString('utf8') : material
  if (typeof input !== 'string' && !isObject(input)) throw unreadable(what, 'a key of a pair')
  if (typeof input === 'string' && input.includes('-----BEGIN') && input.includes('\\n')) throw escaped(what)
  const given = typeof input === 'string' ? input : { key: input, format: 'jwk' as const }
  if (purpose === 'verify') return read(() => createPublicKey(given)) ?? fail(unreadable(what, 'a key of a pair'))
  const signing = read(() => createPrivateKey(given))
  if (signing !== undefined) return signing
  throw read(() => createPublicKey(given)) === undefined ? unreadable(what, 'a key of a pair') : cannotSign(what)
}

function secretOf(what: string, bytes: Buffer): KeyObject {
  if (holdsPair(bytes)) throw confused(what)
  if (bytes.length === 0) {
    throw new ConfigurationError(
      'weak-key',
      `${what} is an empty secret: is the environment variable set? Give one of random bytes.`,
    )
  }
  return createSecretKey(bytes)
}

/** Whether these bytes are a key of a pair in one of the forms that such keys are handed round in: PEM, OpenSSH, JSON Web Key, DER. */
function holdsPair(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').trimStart()
  if (text.includes('-----BEGIN') || /^(?:ssh-|ecdsa-sha2-)/.test(text)) return true
  if (text.startsWith('{') && /"kty"\s*:\s*"(?!oct")/.test(text)) return true
  return [
    () => createPublicKey({ key: bytes, format: 'der', type: 'spki' }),
    () => createPublicKey({ key: bytes, format: 'der', type: 'pkcs1' }),
    () => createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }),
  ].some((key) => read(key) !== undefined)
}

/** What Node says of a key that it can't read may quote it: the error is dropped. */
function read(key: () => KeyObject): KeyObject | undefined {
  try {
    return key()
  } catch {
    return undefined
  }
}

function fail(error: Error): never {
  throw error
}

const unreadable = (what: string, wanted: string): ConfigurationError =>
  invalidOption(
    wanted === 'a secret'
      ? `${what} can not be read as a secret. Give text (its UTF-8 bytes), bytes, a secret KeyObject or a JSON Web Key of type "oct".`
      : `${what} can not be read as a key of a pair. Give PEM text that is not encrypted, a KeyObject or a JSON Web Key.`,
  )

const absent = (what: string): ConfigurationError =>
  invalidOption(`${what} has no "key": is the environment variable set? Give the key beside its algorithm.`)

/** No PEM holds a backslash: this one has been through an environment variable or a JSON file that kept its escapes. */
const escaped = (what: string): ConfigurationError =>
  invalidOption(
    `${what} is PEM text with a backslash and an n in the place of its line breaks. Give its text.replaceAll('\\\\n', '\\n').`,
  )

const confused = (what: string): ConfigurationError =>
  new ConfigurationError(
    'weak-key',
    `${what} is a key of a pair, given as the secret of an HS algorithm: whoever has its public half could sign. Name the algorithm of the pair, or give a secret of random bytes.`,
  )

const cannotSign = (what: string): ConfigurationError =>
  invalidOption(`${what} is a public key, which can not sign. Give the private key.`)
