/** Wrong adapters, with errors in the equality of strings. */
import type { AdapterCall, Condition, ParentKey, Scalar } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import { Store } from '../plain-store.js'
import { type Mutant, mutant } from './mutant.js'

/** A mutant that treats keys as equal if `fold` maps them to the same string. */
const keysBy = (name: string, fold: (text: string) => string, caughtBy: readonly string[] = ['texts/keys']): Mutant =>
  mutant(
    name,
    caughtBy,
    class extends PlainAdapter {
      override text(key: unknown): string {
        return fold(super.text(key))
      }
    },
  )

const folded = <T>(value: T, fold: (text: string) => string): T =>
  typeof value === 'string' ? (fold(value) as T) : value

/**
 * A mutant that treats a string and the value of an `eq` condition as equal if `fold` maps them to
 * the same string.
 */
const conditionsBy = (name: string, fold: (text: string) => string): Mutant =>
  mutant(
    name,
    ['texts/filters'],
    class extends PlainAdapter {
      override holds(condition: Condition, row: Row): boolean {
        const { op, value, path } = condition
        if (op !== 'eq' || typeof value !== 'string' || path[0] === 'code') return super.holds(condition, row)
        const member = path.length > 1 ? (row.address as Row | null)?.street : row[path[0] as string]
        return folded(member, fold) === fold(value)
      }
    },
  )

const unaccented = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '')
const bothWays = (text: string) => text.toUpperCase().toLowerCase()

/**
 * A map that looks up its entries in a plain object, and so also finds inherited names such as
 * `constructor`.
 */
class ObjectAsMap<V> extends Map<string, V> {
  readonly #object: Record<string, V> = {}
  override get(key: string): V | undefined {
    return this.#object[key]
  }
  override has(key: string): boolean {
    return key in this.#object
  }
  override set(key: string, value: V): this {
    this.#object[key] = value
    return super.set(key, value)
  }
  override delete(key: string): boolean {
    delete this.#object[key]
    return super.delete(key)
  }
}

class ObjectStore extends Store {
  override readonly rows = new ObjectAsMap<never>()
}

class KeptInAnObject extends Store {
  override readonly kept = new ObjectAsMap<never>()
}

const over = (name: string, caughtBy: readonly string[], store: new () => Store): Mutant => ({
  name,
  caughtBy,
  make: (fixture) => ({ adapter: new PlainAdapter(fixture, new store()) }),
})

class CompatibleParents extends PlainAdapter {
  override setName(parent: ParentKey): string {
    return super.setName(parent).normalize('NFKC')
  }
}

class ScopeByCollation extends PlainAdapter {
  override inScope(row: Row, { scope }: AdapterCall): boolean {
    return Object.entries(scope).every(([member, value]) => fold(row[member]) === fold(value))
  }
}
const fold = (value: unknown) => folded(value, (text) => text.replace(/[\u00ad\u200b\ufeff]/g, ''))

/**
 * Converts the strings of the seek position to lower case, like a store whose collation ignores
 * case.
 */
class SeeksByCollation extends PlainAdapter {
  override bounds(...[found, request]: Parameters<PlainAdapter['bounds']>) {
    const values = request.seek?.values.map((value) => folded(value, bothWays) as Scalar | null)
    return super.bounds(
      found,
      request.seek === undefined || values === undefined ? request : { ...request, seek: { ...request.seek, values } },
    )
  }
}

export const textMutants: readonly Mutant[] = [
  keysBy('normalizes keys to NFC', (text) => text.normalize('NFC')),
  keysBy('normalizes keys to NFKC', (text) => text.normalize('NFKC')),
  keysBy('ignores the case of keys, and treats ß and SS as equal', bothWays),
  keysBy('treats I, i and the Turkish İ and ı in keys as equal', (text) => text.replace(/[Ii\u0130\u0131]/g, 'i')),
  keysBy('drops U+FEFF from the start of keys', (text) => text.replace(/^\ufeff/, '')),
  keysBy('ignores invisible characters in keys', (text) => text.replace(/[\u00ad\u200b\ufeff]/g, '')),
  keysBy('replaces characters above U+FFFF in keys', (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')),
  keysBy('compares keys that look like numbers as numbers', (text) =>
    /^[+\d.e]+$/.test(text) ? String(Number(text)) : text,
  ),
  keysBy('ignores spaces at the end of keys', (text) => text.trimEnd(), ['reads/key-exact', 'texts/keys']),
  over('keeps records in a plain object', ['texts/keys'], ObjectStore),
  over('keeps the results for idempotency ids in a plain object', ['keys/names'], KeptInAnObject),
  conditionsBy('ignores accents in conditions', unaccented),
  conditionsBy('normalizes strings in conditions to NFKD', (text) => text.normalize('NFKD')),
  mutant('normalizes the keys of parents to NFKC', ['texts/parents'], CompatibleParents),
  mutant('ignores invisible characters in scopes', ['texts/scope'], ScopeByCollation),
  mutant('converts the strings of the seek position to lower case', ['random/parcels'], SeeksByCollation),
]
