/**
 * Keys that sign or verify tokens. They are validated before use (AUTH-5; RFC 7518 3, RFC 8725 3.1,
 * 3.2, 3.5).
 */

import { KeyObject } from 'node:crypto'
import { isList, isObject } from '../../definition/json.js'
import { didYouMean, nearMiss } from '../../near-miss.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { ConfigurationError } from '../../problem.js'
import { algorithmNames, algorithms, isAlgorithm, type KeyRequirement, type TokenAlgorithm } from './algorithms.js'
import { type KeyMaterial, type KeyPurpose, pairKey, secretKey } from './key-material.js'

/** A key, and the one algorithm that the key is used with (RFC 8725 3.1). */
export interface TokenKey {
  /**
   * The name by which a token's header refers to the key (RFC 7515 4.1.4), at most 256 characters.
   * Set a `kid` if the key may be replaced later.
   */
  readonly kid?: string
  readonly algorithm: TokenAlgorithm
  /**
   * For an HS algorithm: the secret, as a string, bytes, a `KeyObject` or a JSON Web Key. The UTF-8
   * bytes of a string are the secret; decode base64 yourself. For all other algorithms: a key of a
   * key pair, as PEM text, a `KeyObject` or a JSON Web Key. Verification uses only the public part
   * of a private key.
   */
  readonly key: KeyMaterial
}

/**
 * A validated key with its `KeyObject`. The `KeyObject` is created once, because creating it takes
 * ten times as long as a verification.
 */
export interface PreparedKey {
  readonly kid: string | undefined
  readonly algorithm: TokenAlgorithm
  readonly key: KeyObject
}

/** The maximum length of a `kid`, in characters. */
export const longestKid = 256

/**
 * The rules for the members of a key. `algorithm` and `key` have no rule, because a message would
 * quote an invalid value. If a service swapped the two values, the message would contain the key.
 */
export const tokenKeyKinds: Kinds<TokenKey> = {
  kid: { a: `a name of 1 to ${longestKid} characters`, like: new RegExp(`^.{1,${longestKid}}$`, 's') },
  algorithm: 'any',
  key: 'any',
}

/**
 * Validates a key for its algorithm and purpose. Throws the `ConfigurationError` `weak-key` if the
 * key is too weak or could be confused with another kind of key. Throws `invalid-option` if the key
 * cannot be parsed. Messages identify the key by `what`, and contain no key material.
 */
export function prepareKey(what: string, given: unknown, purpose: KeyPurpose): PreparedKey {
  checkForm(what, given)
  const { kid, algorithm, key } = checkOptions<TokenKey>(what, given, tokenKeyKinds)
  if (!isAlgorithm(algorithm)) throw unknownAlgorithm(what, algorithm)
  checkJwk(what, key, algorithm)
  const requirement = algorithms[algorithm]
  const prepared = requirement.kind === 'secret' ? secretKey(what, key) : pairKey(what, key, purpose)
  checkStrength(what, algorithm, requirement, prepared)
  return Object.freeze({ kid, algorithm, key: prepared })
}

/**
 * Throws `ConfigurationError` if a key is missing, is a list, or is a bare key without its
 * algorithm.
 */
export function checkForm(what: string, given: unknown): void {
  const fix = "Use { algorithm: 'HS256', key: ... }, with the one algorithm that the key is for."
  if (given === undefined || given === null) throw invalidOption(`${what} is missing. ${fix}`)
  if (isObject(given) && !(given instanceof Uint8Array || given instanceof KeyObject || Object.hasOwn(given, 'kty')))
    return
  throw invalidOption(`${what} is ${isList(given) ? 'a list' : 'a key without its algorithm'}. ${fix}`)
}

/**
 * The error for an unknown algorithm. The message does not quote the value: if `key` and
 * `algorithm` were swapped, the value would be the key.
 */
function unknownAlgorithm(what: string, given: unknown): ConfigurationError {
  const near = typeof given === 'string' ? nearMiss(given, algorithmNames) : undefined
  return invalidOption(`${what} has an unknown algorithm. ${didYouMean(near, algorithmNames)}`)
}

/**
 * Throws if a JSON Web Key has an `alg` other than `algorithm`, or a `use` other than `sig` (RFC
 * 7517 4.2, 4.4).
 */
function checkJwk(what: string, key: unknown, algorithm: TokenAlgorithm): void {
  if (!isObject(key) || key.kty === undefined) return
  if (key.alg !== undefined && key.alg !== algorithm) {
    throw invalidOption(
      `${what} is a JSON Web Key for an algorithm other than ${algorithm}. ` +
        'Set "algorithm" to the algorithm that the key is for.',
    )
  }
  if (key.use !== undefined && key.use !== 'sig') {
    throw invalidOption(`${what} is a JSON Web Key that is not for signatures. Use one whose "use" is "sig".`)
  }
}

function checkStrength(what: string, algorithm: TokenAlgorithm, requirement: KeyRequirement, key: KeyObject): void {
  if (requirement.kind === 'secret') checkSecret(what, algorithm, requirement.bytes, key)
  else if (requirement.kind === 'rsa') checkRsa(what, algorithm, requirement, key)
  else checkCurve(what, algorithm, requirement, key)
}

function checkCurve(
  what: string,
  algorithm: TokenAlgorithm,
  requirement: Extract<KeyRequirement, { kind: 'ec' }>,
  key: KeyObject,
): void {
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === requirement.curve) return
  throw weak(
    `${what} is not a key on the curve ${requirement.curveName}, which ${algorithm} requires (RFC 7518 ` +
      '3.4). Use such a key, or set "algorithm" to the algorithm of this key.',
  )
}

function checkSecret(what: string, algorithm: TokenAlgorithm, minimum: number, key: KeyObject): void {
  if ((key.symmetricKeySize ?? 0) >= minimum) return
  throw weak(
    `${what} is shorter than the ${minimum} bytes that ${algorithm} requires (RFC 7518 3.2). Create one with ` +
      `randomBytes(${minimum}).`,
  )
}

function checkRsa(
  what: string,
  algorithm: TokenAlgorithm,
  requirement: Extract<KeyRequirement, { kind: 'rsa' }>,
  key: KeyObject,
): void {
  const {
    modulusLength = 0,
    publicExponent = 0n,
    hashAlgorithm,
    mgf1HashAlgorithm,
    saltLength = 0,
  } = key.asymmetricKeyDetails ?? {}
  const type = key.asymmetricKeyType
  if (type !== 'rsa' && !(type === 'rsa-pss' && requirement.pss)) {
    throw weak(
      `${what} is not an RSA key for ${algorithm}. Use such a key, or set "algorithm" to the algorithm of this key.`,
    )
  }
  if (modulusLength < 2048) {
    throw weak(
      `${what} has ${modulusLength} bits; ${algorithm} requires an RSA key of 2048 or more (RFC 7518 3.3). Create ` +
        'a new key pair.',
    )
  }
  if (publicExponent < 3n) {
    throw weak(
      `${what} is an RSA key with the public exponent ${publicExponent}, with which anyone can sign. Create a new ` +
        'key pair.',
    )
  }
  const bound = type === 'rsa-pss' && hashAlgorithm !== undefined
  if (
    bound &&
    (hashAlgorithm !== requirement.hash || mgf1HashAlgorithm !== requirement.hash || saltLength > requirement.hashBytes)
  ) {
    throw weak(
      `${what} is an RSA-PSS key for parameters other than those of ${algorithm} (RFC 7518 3.5). Set ` +
        '"algorithm" to the algorithm of this key.',
    )
  }
}

const weak = (message: string): ConfigurationError => new ConfigurationError('weak-key', message)
