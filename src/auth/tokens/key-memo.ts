/**
 * Caches prepared keys. A key finder returns the same few keys again and again, and creating a
 * `KeyObject` takes longer than verifying a token.
 */
import { KeyObject } from 'node:crypto'
import { Caches } from '../../cache.js'
import { isObject } from '../../definition/json.js'
import type { KeyMaterial } from './key-material.js'
import { type PreparedKey, prepareKey, type TokenKey } from './keys.js'

/**
 * Returns a function that prepares keys for verification, and caches the prepared keys. The
 * function recognizes a key by its object or, if the service returns a new object each time, by its
 * content. Keys with equal content yield the same `PreparedKey` until the cache evicts it. The
 * content of a `KeyObject` is not compared, so a new `KeyObject` yields a new `PreparedKey`. The
 * cache belongs to `caches`. The function throws `ConfigurationError` in the same cases as
 * `prepareKey`.
 */
export function keyMemo(caches = new Caches()): (what: string, given: unknown) => PreparedKey {
  const byObject = new WeakMap<object, { readonly material: KeyMaterial; readonly prepared: PreparedKey }>()
  const byKeyObject = new WeakMap<KeyObject, PreparedKey>()
  const byContent = caches.make<string, PreparedKey>('keys')

  const shared = (what: string, given: TokenKey): PreparedKey => {
    const material = given.key
    if (material instanceof KeyObject) {
      const last = byKeyObject.get(material)
      if (last !== undefined && isOf(last, given)) return last
      const prepared = prepareKey(what, given, 'verify')
      byKeyObject.set(material, prepared)
      return prepared
    }
    const content = `${given.algorithm} ${given.kid ?? ''} ${contentOf(material)}`
    const known = byContent.get(content)
    if (known !== undefined) return known
    const prepared = prepareKey(what, given, 'verify')
    byContent.set(content, prepared)
    return prepared
  }

  return (what, given) => {
    if (!isObject(given)) return prepareKey(what, given, 'verify')
    const token = given as unknown as TokenKey
    const known = byObject.get(given)
    // The object may have been modified since its last use, so its members are compared.
    if (known?.material === token.key && isOf(known.prepared, token)) return known.prepared
    const made = shared(what, token)
    byObject.set(given, { material: token.key, prepared: made })
    return made
  }
}

const isOf = (prepared: PreparedKey, { algorithm, kid }: TokenKey): boolean =>
  prepared.algorithm === algorithm && prepared.kid === kid

function contentOf(material: unknown): string {
  if (typeof material === 'string') return `text ${material}`
  if (material instanceof Uint8Array) return `bytes ${Buffer.from(material).toString('base64')}`
  return `jwk ${JSON.stringify(material)}`
}
