/**
 * Converts the key in an option to a `KeyObject` (AUTH-5). The option may contain PEM text, a
 * secret, a JSON Web Key or a `KeyObject`. Messages never contain key material.
 */
import { createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto'
import { isObject } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import { ConfigurationError } from '../../problem.js'
import type { Jwk } from './jwk.js'

/** A key in any of the formats that an option accepts. */
export type KeyMaterial = string | Uint8Array | KeyObject | Jwk

/** The purpose of a key: to sign tokens, or to verify them. */
export type KeyPurpose = 'sign' | 'verify'

/**
 * Returns the secret for HS256, HS384 or HS512. `material` is a string (its UTF-8 bytes are the
 * secret), bytes, a secret `KeyObject`, or a JSON Web Key of type `oct`. Throws
 * `ConfigurationError` for a key of a key pair. If a public key were the secret, everyone who knows
 * the public key could sign tokens (RFC 8725 2.1, key confusion).
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
 * Returns the private key for signing, or the public key for verification. For verification, a
 * private key is converted to its public key. Throws `ConfigurationError` if the material cannot be
 * parsed, is a secret, or is a public key although the purpose is `sign`.
 */
export function pairKey(what: string, material: unknown, purpose: KeyPurpose): KeyObject {
  if (material === undefined || material === null || material === '') throw absent(what)
  if (material instanceof KeyObject) {
    if (material.type === 'secret') throw unreadable(what, 'a key of a key pair')
    if (purpose === 'sign') {
      if (material.type !== 'private') throw cannotSign(what)
      return material
    }
    return material.type === 'private' ? createPublicKey(material) : material
  }
  const input = material instanceof Uint8Array ? Buffer.from(material).toString('utf8') : material
  if (typeof input !== 'string' && !isObject(input)) throw unreadable(what, 'a key of a key pair')
  if (typeof input === 'string' && input.includes('-----BEGIN') && input.includes('\\n')) throw escaped(what)
  const given = typeof input === 'string' ? input : { key: input, format: 'jwk' as const }
  if (purpose === 'verify') return read(() => createPublicKey(given)) ?? fail(unreadable(what, 'a key of a key pair'))
  const signing = read(() => createPrivateKey(given))
  if (signing !== undefined) return signing
  throw read(() => createPublicKey(given)) === undefined ? unreadable(what, 'a key of a key pair') : cannotSign(what)
}

function secretOf(what: string, bytes: Buffer): KeyObject {
  if (holdsPair(bytes)) throw confused(what)
  if (bytes.length === 0) {
    throw new ConfigurationError(
      'weak-key',
      `${what} is an empty secret: is the environment variable set? Use random bytes.`,
    )
  }
  return createSecretKey(bytes)
}

/**
 * Whether bytes contain a key of a key pair in one of these formats: PEM, OpenSSH, JSON Web Key or
 * DER.
 */
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

/**
 * Returns the key, or `undefined` if it cannot be parsed. The error is dropped, because Node's
 * message may quote the key.
 */
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
      ? `${what} cannot be read as a secret. Use a string (its UTF-8 bytes), bytes, a secret KeyObject or a JSON ` +
          'Web Key of type "oct".'
      : `${what} cannot be read as a key of a key pair. Use unencrypted PEM text, a KeyObject or a JSON Web Key.`,
  )

const absent = (what: string): ConfigurationError =>
  invalidOption(`${what} has no "key": is the environment variable set? Set "key" next to "algorithm".`)

/**
 * The error for PEM text that has the two characters `\n` in place of each line break. Text from
 * environment variables and JSON files can contain such escapes. PEM itself contains no
 * backslashes.
 */
const escaped = (what: string): ConfigurationError =>
  invalidOption(`${what} is PEM text with "\\n" instead of line breaks. Use text.replaceAll('\\\\n', '\\n').`)

const confused = (what: string): ConfigurationError =>
  new ConfigurationError(
    'weak-key',
    `${what} is a key of a key pair, used as the secret of an HS algorithm: everyone who has the public key could ` +
      'sign. Set "algorithm" to the algorithm of the key pair, or use a secret of random bytes.',
  )

const cannotSign = (what: string): ConfigurationError =>
  invalidOption(`${what} is a public key, which cannot sign. Use the private key.`)
