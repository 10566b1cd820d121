/**
 * Selects the keys that may have signed a token, by the `alg` and `kid` in the token's header. A
 * key that the token itself contains is never used (AUTH-5; RFC 7515 4.1.4, RFC 8725 3.1, 3.10).
 */
import type { Awaitable } from '../../adapters/contract.js'
import { Caches } from '../../cache.js'
import { isList } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import { settled } from '../../promise.js'
import { algorithmNames, type TokenAlgorithm } from './algorithms.js'
import { keyMemo } from './key-memo.js'
import { checkForm, type PreparedKey, prepareKey, type TokenKey } from './keys.js'
import { orUnavailable } from './or-unavailable.js'

/** The members of a token's header that select its key. */
export interface KeyQuestion {
  readonly alg: TokenAlgorithm
  readonly kid?: string
}

/**
 * Returns the keys that may have signed a token. If there are none, the function returns
 * `undefined`, null or an empty list, and the response is 401. The library calls the function for
 * every request, so that a withdrawn key is refused at once. If a lookup is slow, cache its result
 * yourself. If the function fails, the response is 503, because the request cannot be
 * authenticated. An `HttpProblem` that the function throws becomes the response instead.
 */
export type KeyFinder = (header: KeyQuestion) => Awaitable<TokenKey | readonly TokenKey[] | undefined | null>

/** Fixed keys, or a function that finds keys. */
export type VerificationKeys = TokenKey | readonly TokenKey[] | KeyFinder

/**
 * Returns the keys to try for a token. Returns them synchronously unless the key finder returns a
 * promise.
 */
export type KeyRing = (header: KeyQuestion) => Awaitable<readonly PreparedKey[]>

/** The maximum number of keys that are tried for one token. Each try costs one verification. */
const maxTries = 16

/**
 * Creates the key ring of a service. `caches` holds the keys that a key finder has returned. Throws
 * `ConfigurationError` if fixed keys are missing or unsuitable, if two of them have the same `kid`
 * and algorithm, or if too many of them have no `kid`.
 */
export function keyRing(what: string, keys: unknown, caches = new Caches()): KeyRing {
  return typeof keys === 'function' ? finderRing(what, keys as KeyFinder, caches) : fixedRing(what, keys)
}

function fixedRing(what: string, given: unknown): KeyRing {
  const missing = given === undefined || given === null
  if (missing || typeof given === 'string' || given instanceof Uint8Array) {
    throw invalidOption(
      `The option "keys" of ${what} ${missing ? 'is missing' : 'has no algorithm'}. ` +
        `Use { algorithm: 'HS256', key: secret }, ` +
        'a list of these, or jwks().',
    )
  }
  const list = isList(given) ? given : [given]
  if (list.length === 0) throw invalidOption(`${what} has no key. Set at least one in "keys".`)
  const keys = list.map((key, index) =>
    prepareKey(isList(given) ? `keys[${index}] of ${what}` : `keys of ${what}`, key, 'verify'),
  )
  checkNames(what, keys)
  const kids = [...new Set(keys.flatMap(({ kid }) => kid ?? []))]
  // `unknown` holds the keys for tokens with a `kid` that no key has. These keys are the same for
  // every such `kid`, so `choose` is called with one of them: the empty string, which can't be the
  // `kid` of a key.
  const rings = new Map(
    algorithmNames.map((alg) => [
      alg,
      {
        unnamed: choose(keys, { alg }),
        named: new Map(kids.map((kid) => [kid, choose(keys, { alg, kid })])),
        unknown: choose(keys, { alg, kid: '' }),
      },
    ]),
  )
  return ({ alg, kid }) => {
    const ring = rings.get(alg)
    if (ring === undefined) return none
    return kid === undefined ? ring.unnamed : (ring.named.get(kid) ?? ring.unknown)
  }
}

function finderRing(what: string, find: KeyFinder, caches: Caches): KeyRing {
  const prepared = keyMemo(caches)
  const label = `A key returned by the function "keys" of ${what}`
  return (header) =>
    settled(
      orUnavailable(() => find(header)),
      (found) => {
        if (found === undefined || found === null) return none
        const list = isList(found) ? found : [found]
        for (const key of list) checkForm(label, key)
        return choose(list as readonly TokenKey[], header).map((key) => prepared(label, key))
      },
    )
}

const none: readonly never[] = Object.freeze([])

/**
 * Returns the keys with this algorithm and `kid`. If no key has that `kid`, returns the keys of the
 * algorithm that have no `kid`. If the token has no `kid`, returns all keys of the algorithm.
 * Returns at most 16 keys.
 */
function choose<Key extends { readonly kid?: string | undefined; readonly algorithm: TokenAlgorithm }>(
  keys: readonly Key[],
  { alg, kid }: KeyQuestion,
): readonly Key[] {
  const wanted = kid !== undefined && keys.some((key) => key.kid === kid) ? kid : undefined
  return keys.filter((key) => key.algorithm === alg && (kid === undefined || key.kid === wanted)).slice(0, maxTries)
}

/**
 * Refuses two keys with the same `kid` and algorithm, because a `kid` must identify one key. Two
 * such keys are usually a mistake in a key rotation. Also refuses more than 16 keys of one
 * algorithm without a `kid`, because at most 16 keys are tried for one token.
 */
function checkNames(what: string, keys: readonly PreparedKey[]): void {
  const seen = new Set<string>()
  for (const { kid, algorithm } of keys) {
    if (kid === undefined) continue
    const name = `${algorithm} ${kid}`
    if (seen.has(name)) {
      throw invalidOption(
        `${what} has two keys with the same "kid" and "algorithm" (${algorithm}). Set a different "kid" for each.`,
      )
    }
    seen.add(name)
  }
  for (const alg of algorithmNames) {
    if (keys.filter((key) => key.kid === undefined && key.algorithm === alg).length <= maxTries) continue
    throw invalidOption(
      `${what} has more than ${maxTries} keys of ${alg} without a "kid", but at most ${maxTries} are tried for a ` +
        'token. Set a "kid" for each.',
    )
  }
}
