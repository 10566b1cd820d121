/** Prepared keys, kept: a finder gives the same few keys again and again, and building a `KeyObject` costs more than a verification. */
import { KeyObject } from 'node:crypto'
import { isObject } from '../../definition/json.js'
import type { KeyMaterial } from './key-material.js'
import { type PreparedKey, prepareKey, type TokenKey } from './keys.js'

/** How many keys are kept by their content; the oldest goes first. */
const most = 200

/**
 * Prepares keys for verifying, each once: by the object it came in, or, where that is a new one each time, by its content. The same content always gives the same
 * `PreparedKey`. Throws `ConfigurationError` as `prepareKey` does.
 */
export function keyMemo(): (what: string, given: unknown) => PreparedKey {
  const byObject = new WeakMap<object, { readonly material: KeyMaterial; readonly prepared: PreparedKey }>()
  const byContent = new Map<string, PreparedKey>()
  const byKeyObject = new WeakMap<KeyObject, Map<string, PreparedKey>>()

  const shared = (what: string, given: TokenKey): PreparedKey => {
    const name = `${given.algorithm} ${given.kid ?? ''}`
    const material = given.key
    if (material instanceof KeyObject) {
      const known = byKeyObject.get(material) ?? new Map<string, PreparedKey>()
      byKeyObject.set(material, known)
      return remembered(known, name, () => prepareKey(what, given, 'verify'))
    }
    return remembered(byContent, `${name} ${contentOf(material)}`, () => prepareKey(what, given, 'verify'))
  }

  return (what, given) => {
    if (!isObject(given)) return prepareKey(what, given, 'verify')
    const token = given as unknown as TokenKey
    const known = byObject.get(given)
    // The object may have been written over since: what it holds now counts.
    const { prepared } = known ?? {}
    if (known?.material === token.key && prepared?.algorithm === token.algorithm && prepared.kid === token.kid) return prepared
    const made = shared(what, token)
    byObject.set(given, { material: token.key, prepared: made })
    return made
  }
}

function remembered(memo: Map<string, PreparedKey>, content: string, prepare: () => PreparedKey): PreparedKey {
  const known = memo.get(content)
  if (known !== undefined) return known
  const prepared = prepare()
  memo.set(content, prepared)
  if (memo.size > most) memo.delete(memo.keys().next().value as string)
  return prepared
}

function contentOf(material: unknown): string {
  if (typeof material === 'string') return `text ${material}`
  if (material instanceof Uint8Array) return `bytes ${Buffer.from(material).toString('base64')}`
  return `jwk ${JSON.stringify(material)}`
}
