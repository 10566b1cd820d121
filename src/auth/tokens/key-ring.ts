/** Which keys a token may have been signed with: by its `alg` and `kid`, never by a key that it brings along (AUTH-5; RFC 7515 4.1.4, RFC 8725 3.1, 3.10). */
import type { Awaitable } from '../../adapters/contract.js'
import { Caches } from '../../cache.js'
import { isList } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import { settled } from '../../promise.js'
import { algorithmNames, type TokenAlgorithm } from './algorithms.js'
import { asked } from './asked.js'
import { keyMemo } from './key-memo.js'
import { checkForm, type PreparedKey, prepareKey, type TokenKey } from './keys.js'

/** What of a token's header chooses its key. */
export interface KeyQuestion {
  readonly alg: TokenAlgorithm
  readonly kid?: string
}

/**
 * Finds the keys that a token may have been signed with: `undefined`, null or an empty list where there is none (401). It is asked on every request, for a key that has been
 * withdrawn must not live on in a cache; keep what is slow to get. What it throws becomes 503: the service can't authenticate the request.
 */
export type KeyFinder = (header: KeyQuestion) => Awaitable<TokenKey | readonly TokenKey[] | undefined | null>

/** Fixed keys, or the way to find them. */
export type VerificationKeys = TokenKey | readonly TokenKey[] | KeyFinder

/** The keys to try for a token, at once where they are there. */
export type KeyRing = (header: KeyQuestion) => Awaitable<readonly PreparedKey[]>

/** How many keys are tried for one token: each costs a verification. */
const mostTries = 16

/** The ring of a service's keys. `caches` keep those that a finder gives. Throws `ConfigurationError` where a fixed key is unfit, named twice, or there is none. */
export function keyRing(what: string, keys: unknown, caches = new Caches()): KeyRing {
  return typeof keys === 'function' ? finderRing(what, keys as KeyFinder, caches) : fixedRing(what, keys)
}

function fixedRing(what: string, given: unknown): KeyRing {
  const missing = given === undefined || given === null
  if (missing || typeof given === 'string' || given instanceof Uint8Array) {
    throw invalidOption(
      `keys of ${what} ${missing ? 'are missing' : 'do not say their algorithm'}. Give { algorithm: 'HS256', key: secret }, several of these, or jwks().`,
    )
  }
  const list = isList(given) ? given : [given]
  if (list.length === 0) throw invalidOption(`${what} has no key. Give at least one in "keys".`)
  const keys = list.map((key, index) =>
    prepareKey(isList(given) ? `keys[${index}] of ${what}` : `keys of ${what}`, key, 'verify'),
  )
  checkNames(what, keys)
  const kids = [...new Set(keys.flatMap(({ kid }) => kid ?? []))]
  // No key is named '': it stands for every kid that no key has.
  const rings = new Map(
    algorithmNames.map((alg) => [
      alg,
      {
        unnamed: choose(keys, { alg }),
        named: new Map(kids.map((kid) => [kid, choose(keys, { alg, kid })])),
        strange: choose(keys, { alg, kid: '' }),
      },
    ]),
  )
  return ({ alg, kid }) => {
    const ring = rings.get(alg)
    if (ring === undefined) return none
    return kid === undefined ? ring.unnamed : (ring.named.get(kid) ?? ring.strange)
  }
}

function finderRing(what: string, find: KeyFinder, caches: Caches): KeyRing {
  const prepared = keyMemo(caches)
  const label = `A key that the keys function of ${what} gave`
  return (header) =>
    settled(
      asked(() => find(header)),
      (found) => {
        if (found === undefined || found === null) return none
        const list = isList(found) ? found : [found]
        for (const key of list) checkForm(label, key)
        return choose(list as readonly TokenKey[], header).map((key) => prepared(label, key))
      },
    )
}

const none: readonly never[] = Object.freeze([])

/** The keys of this algorithm and name; where no key has the name, those without one; where the token names none, all of the algorithm. */
function choose<Key extends { readonly kid?: string | undefined; readonly algorithm: TokenAlgorithm }>(
  keys: readonly Key[],
  { alg, kid }: KeyQuestion,
): readonly Key[] {
  const wanted = kid !== undefined && keys.some((key) => key.kid === kid) ? kid : undefined
  return keys.filter((key) => key.algorithm === alg && (kid === undefined || key.kid === wanted)).slice(0, mostTries)
}

/** Two keys of one name and algorithm are a rotation gone wrong: which of them signed would be guesswork. */
function checkNames(what: string, keys: readonly PreparedKey[]): void {
  const seen = new Set<string>()
  for (const { kid, algorithm } of keys) {
    if (kid === undefined) continue
    const name = `${algorithm} ${kid}`
    if (seen.has(name)) {
      throw invalidOption(`${what} has two keys of one kid and one algorithm, ${algorithm}. Give each its own kid.`)
    }
    seen.add(name)
  }
  for (const alg of algorithmNames) {
    if (keys.filter((key) => key.kid === undefined && key.algorithm === alg).length <= mostTries) continue
    throw invalidOption(
      `${what} has more than ${mostTries} keys of ${alg} without a kid, and a token is tried with no more. Give each a kid.`,
    )
  }
}
