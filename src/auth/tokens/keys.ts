/** Keys of tokens, checked before they serve (AUTH-5; RFC 7518 3, RFC 8725 3.1, 3.2, 3.5). */

import { KeyObject } from 'node:crypto'
import { isList, isObject } from '../../definition/json.js'
import { didYouMean, nearMiss } from '../../near-miss.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { ConfigurationError } from '../../problem.js'
import { algorithmNames, algorithms, type Fitness, isAlgorithm, type TokenAlgorithm } from './algorithms.js'
import { type KeyMaterial, type KeyPurpose, pairKey, secretKey } from './key-material.js'

/** A key, and the one algorithm that it serves (RFC 8725 3.1). */
export interface TokenKey {
  /** The name by which a token's header says which key signed it (RFC 7515 4.1.4), at most 256 characters. Give one wherever keys may change. */
  readonly kid?: string
  readonly algorithm: TokenAlgorithm
  /**
   * For HS algorithms the secret: text (its UTF-8 bytes; decode base64 yourself), bytes, a `KeyObject` or a JSON Web Key. For the others PEM text, a `KeyObject` or a
   * JSON Web Key; a private key verifies by its public half.
   */
  readonly key: KeyMaterial
}

/** A key that has been found fit, with its `KeyObject`: built once, since building it costs ten times a verification. */
export interface PreparedKey {
  readonly kid: string | undefined
  readonly algorithm: TokenAlgorithm
  readonly key: KeyObject
}

/** The longest `kid`, in characters. */
export const longestKid = 256

/** What an algorithm or a key is is not looked at here: messages would repeat it, and where the two were swapped it would be the key. */
export const tokenKeyKinds: Kinds<TokenKey> = {
  kid: { a: `a name of 1 to ${longestKid} characters`, like: new RegExp(`^.{1,${longestKid}}$`, 's') },
  algorithm: 'any',
  key: 'any',
}

/**
 * A key, checked for its algorithm and purpose. Throws `ConfigurationError`: `weak-key` where it is too weak or could be confused with one of another kind,
 * `invalid-option` where it can't be read. No message holds any of the key; `what` says which one it is.
 */
export function prepareKey(what: string, given: unknown, purpose: KeyPurpose): PreparedKey {
  checkForm(what, given)
  const { kid, algorithm, key } = checkOptions<TokenKey>(what, given, tokenKeyKinds)
  if (!isAlgorithm(algorithm)) throw unknownAlgorithm(what, algorithm)
  checkJwk(what, key, algorithm)
  const fitness = algorithms[algorithm]
  const prepared = fitness.kind === 'secret' ? secretKey(what, key) : pairKey(what, key, purpose)
  checkStrength(what, algorithm, fitness, prepared)
  return Object.freeze({ kid, algorithm, key: prepared })
}

/** Throws `ConfigurationError` where a key is missing, or stands there without the algorithm that it serves. */
export function checkForm(what: string, given: unknown): void {
  const mend = "Give { algorithm: 'HS256', key: ... }, with the one algorithm that the key serves."
  if (given === undefined || given === null) throw invalidOption(`${what} is missing. ${mend}`)
  if (isObject(given) && !(given instanceof Uint8Array || given instanceof KeyObject || Object.hasOwn(given, 'kty')))
    return
  throw invalidOption(`${what} is ${isList(given) ? 'a list' : 'a key without its algorithm'}. ${mend}`)
}

/** The value itself is not quoted: where key and algorithm were swapped, it would be the key. */
function unknownAlgorithm(what: string, given: unknown): ConfigurationError {
  const near = typeof given === 'string' ? nearMiss(given, algorithmNames) : undefined
  return invalidOption(`${what} has an algorithm that there is not. ${didYouMean(near, algorithmNames)}`)
}

/** What a JSON Web Key says of its own use must agree (RFC 7517 4.2, 4.4). */
function checkJwk(what: string, key: unknown, algorithm: TokenAlgorithm): void {
  if (!isObject(key) || key.kty === undefined) return
  if (key.alg !== undefined && key.alg !== algorithm) {
    throw invalidOption(`${what} is a JSON Web Key for another algorithm than ${algorithm}. Name its own.`)
  }
  if (key.use !== undefined && key.use !== 'sig') {
    throw invalidOption(`${what} is a JSON Web Key that is not for signatures. Give one whose "use" is "sig".`)
  }
}

function checkStrength(what: string, algorithm: TokenAlgorithm, fitness: Fitness, key: KeyObject): void {
  if (fitness.kind === 'secret') checkSecret(what, algorithm, fitness.bytes, key)
  else if (fitness.kind === 'rsa') checkRsa(what, algorithm, fitness, key)
  else checkCurve(what, algorithm, fitness, key)
}

function checkCurve(
  what: string,
  algorithm: TokenAlgorithm,
  fitness: Extract<Fitness, { kind: 'ec' }>,
  key: KeyObject,
): void {
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === fitness.curve) return
  throw weak(
    `${what} is no key on the curve ${fitness.named}, which ${algorithm} needs (RFC 7518 3.4). Give one, or name its own algorithm.`,
  )
}

function checkSecret(what: string, algorithm: TokenAlgorithm, least: number, key: KeyObject): void {
  if ((key.symmetricKeySize ?? 0) >= least) return
  throw weak(
    `${what} is shorter than the ${least} bytes that ${algorithm} needs (RFC 7518 3.2). Make one with randomBytes(${least}).`,
  )
}

function checkRsa(
  what: string,
  algorithm: TokenAlgorithm,
  fitness: Extract<Fitness, { kind: 'rsa' }>,
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
  if (type !== 'rsa' && !(type === 'rsa-pss' && fitness.pss)) {
    throw weak(`${what} is no RSA key that serves ${algorithm}. Give one, or name its own algorithm.`)
  }
  if (modulusLength < 2048) {
    throw weak(
      `${what} has ${modulusLength} bits; ${algorithm} needs an RSA key of 2048 or more (RFC 7518 3.3). Make a new pair.`,
    )
  }
  if (publicExponent < 3n) {
    throw weak(`${what} is an RSA key with the public exponent 1, by which anybody can sign. Make a new pair.`)
  }
  const bound = type === 'rsa-pss' && hashAlgorithm !== undefined
  if (bound && (hashAlgorithm !== fitness.hash || mgf1HashAlgorithm !== fitness.hash || saltLength > fitness.bytes)) {
    throw weak(
      `${what} is an RSA-PSS key for other parameters than those of ${algorithm} (RFC 7518 3.5). Name its own algorithm.`,
    )
  }
}

const weak = (message: string): ConfigurationError => new ConfigurationError('weak-key', message)
