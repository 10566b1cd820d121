/** Reads a key set, and selects the keys in it that can verify tokens (RFC 7517 4, 5). */
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import { ConfigurationError, isConfigurationError } from '../../problem.js'
import { isAlgorithm, type TokenAlgorithm } from './algorithms.js'
import { prepareKey, type TokenKey } from './keys.js'

/** A parsed key set. */
export interface KeySet {
  readonly keys: readonly TokenKey[]
  /** Messages about signature keys that are unusable. The messages contain no key material. */
  readonly faults: readonly string[]
}

/** The maximum number of keys that are read from a key set. */
const maxKeys = 100

const curves: Readonly<Record<string, TokenAlgorithm>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }

/**
 * Selects the keys that can verify tokens. These are RSA and EC keys whose `use` is `sig` or
 * absent, and whose `key_ops` contains `verify` or is absent. Secrets (`oct`) are ignored, because
 * a key set is public. A private key is reported as a fault, because everyone could sign with it.
 * The algorithm of a key is its `alg`. Without `alg`, it is the algorithm of the key's curve, or
 * RS256 for an RSA key. Key sets without `alg` are common, and their issuers usually sign with
 * RS256.
 */
export function readKeySet(members: readonly unknown[]): KeySet {
  const keys: TokenKey[] = []
  const faults: string[] = []
  for (const member of members.slice(0, maxKeys)) {
    if (!isObject(member) || !isForSignatures(member)) continue
    const algorithm = algorithmOf(member)
    if (algorithm === undefined) continue
    try {
      keys.push(tokenKey(member, algorithm))
    } catch (error) {
      if (!isConfigurationError(error)) throw error
      faults.push(error.message)
    }
  }
  return { keys, faults }
}

const isForSignatures = ({ use, key_ops: operations }: JsonObject): boolean =>
  (use === undefined || use === 'sig') &&
  (operations === undefined || (isList(operations) && operations.includes('verify')))

function algorithmOf({ kty, alg, crv }: JsonObject): TokenAlgorithm | undefined {
  if (kty !== 'RSA' && kty !== 'EC') return undefined
  if (alg === undefined)
    return kty === 'RSA' ? 'RS256' : typeof crv === 'string' && Object.hasOwn(curves, crv) ? curves[crv] : undefined
  return isAlgorithm(alg) && !alg.startsWith('HS') ? alg : undefined
}

function tokenKey(member: JsonObject, algorithm: TokenAlgorithm): TokenKey {
  const what = 'A key of the key set'
  if (member.d !== undefined) {
    throw new ConfigurationError(
      'weak-key',
      `${what} is private, so everyone can sign with it. Withdraw it, and publish public keys only.`,
    )
  }
  const { kid, key } = prepareKey(
    what,
    { algorithm, key: member, ...(member.kid === undefined ? {} : { kid: member.kid }) },
    'verify',
  )
  return Object.freeze(kid === undefined ? { algorithm, key } : { kid, algorithm, key })
}
