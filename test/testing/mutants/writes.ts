/** Wrong adapters, with errors in versions, and in writes that expect a version. */
import { createHash } from 'node:crypto'
import type { AdapterCall, ParentKey } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/** Waits between the check of the version and the write. */
class CheckThenWrite extends PlainAdapter {
  override async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
    await this.pause()
    const item = this.visible(key, call, 'replace')
    if (item === undefined) return 'absent' as const
    if (this.isStale(item, expected)) return 'stale' as const
    await this.pause()
    return this.given(this.write(this.text(key), this.scoped({ ...(value as Row) }, call)))
  }
}

/**
 * Compares the expected version with the version at the start of the SQL statement, but overwrites
 * the current data. A statement does this if it reads the version in a joined subquery.
 */
class ComparedInASnapshot extends PlainAdapter {
  override async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
    const seen = this.visible(key, call, 'replace')
    await this.pause()
    if (this.visible(key, call, 'replace') === undefined || seen === undefined) return 'absent' as const
    if (this.isStale(seen, expected)) return 'stale' as const
    return this.given(this.write(this.text(key), this.scoped({ ...(value as Row) }, call)))
  }
}

class ChecksThenRemoves extends PlainAdapter {
  override async remove(key: unknown, expected: string | undefined, call: AdapterCall) {
    await this.pause()
    const item = this.visible(key, call, 'remove')
    if (item === undefined) return 'absent' as const
    if (this.isStale(item, expected)) return 'stale' as const
    await this.pause()
    this.erase(this.text(key))
    return 'removed' as const
  }
}

class LooksThenAttaches extends PlainAdapter {
  override async attach(parent: ParentKey, key: unknown, expected: string | undefined, call: AdapterCall) {
    await this.pause()
    const item = this.visible(key, call, 'attach')
    if (item === undefined) return 'absent' as const
    if (this.isStale(item, expected)) return 'stale' as const
    await this.pause()
    const set = this.setOf(parent)
    if (set === undefined) this.write(this.text(key), { ...item.value, ...this.holding(parent) })
    else set.add(this.text(key))
    return 'attached' as const
  }
}

class WritesInTwoSteps extends PlainAdapter {
  override async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
    const item = this.visible(key, call, 'replace')
    if (item === undefined) return 'absent' as const
    if (this.isStale(item, expected)) return 'stale' as const
    const torn = Object.entries({ ...item.value, ...(value as Row) }).map(([name, member], i) => [
      name,
      i % 2 ? member : item.value[name],
    ])
    this.write(this.text(key), Object.fromEntries(torn))
    await this.pause()
    return this.given(this.write(this.text(key), { ...(value as Row) }))
  }
}

class CountsFromOne extends PlainAdapter {
  override version(text: string): string {
    return String(Number(this.store.rows.get(text)?.version ?? 0) + 1)
  }
}

class HashOfTheValue extends PlainAdapter {
  override version(_text: string, row: Row): string {
    return createHash('sha256').update(JSON.stringify(row)).digest('hex')
  }
}

class NumberAsVersion extends PlainAdapter {
  override version(): string {
    this.store.versions += 1
    return this.store.versions as unknown as string
  }
}

class VersionStays extends PlainAdapter {
  override version(text: string, row: Row): string {
    return this.store.rows.get(text)?.version ?? super.version(text, row)
  }
}

class VersionOfTheRead extends PlainAdapter {
  override given(item: Item): Item {
    return { ...super.given(item), version: super.version('', item.value) }
  }
}

class AnswersTheOldVersion extends PlainAdapter {
  override async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
    const before = this.visible(key, call, 'replace')
    const answer = await super.replace(key, value, expected, call)
    return typeof answer === 'object' && 'version' in answer && before ? { ...answer, version: before.version } : answer
  }
}

class ComparesNumbers extends PlainAdapter {
  override version(): string {
    this.store.versions += 1
    return String(this.store.versions)
  }
  override isStale(item: Item, expected: string | undefined): boolean {
    return expected !== undefined && Number(expected) !== Number(item.version)
  }
}

class ComparesVersionsInAnyCase extends PlainAdapter {
  override version(text: string, row: Row): string {
    return `aB${super.version(text, row)}`
  }
  override isStale(item: Item, expected: string | undefined): boolean {
    return expected !== undefined && item.version.toLowerCase() !== expected.toLowerCase()
  }
}

class StoresUnderTheKeyOfTheValue extends PlainAdapter {
  override keyMembers(): Row {
    return {}
  }
}

class IgnoresExpected extends PlainAdapter {
  override isStale(): boolean {
    return false
  }
}

class MergesReplaces extends PlainAdapter {
  override write(text: string, row: Row): Item {
    return super.write(text, { ...this.store.rows.get(text)?.value, ...row })
  }
}

export const writeMutants: readonly Mutant[] = [
  mutant(
    'waits between the check of the version and the write',
    ['races/replace', 'races/remove-replace-any'],
    CheckThenWrite,
  ),
  mutant(
    'compares the expected version with a snapshot from the start of the SQL statement',
    ['races/increments', 'races/replace'],
    ComparedInASnapshot,
  ),
  mutant(
    'waits between the check of the version and the remove',
    ['races/remove', 'races/replace-remove'],
    ChecksThenRemoves,
  ),
  mutant(
    'waits between the check of the version and the attach',
    ['races/attach', 'races/attach-remove'],
    LooksThenAttaches,
  ),
  mutant(
    'writes half of the members, waits, and then writes the rest',
    ['races/remove-replace-any', 'races/whole-records'],
    WritesInTwoSteps,
  ),
  mutant(
    'restarts the versions of a key at 1 after the record was removed',
    ['versions/recreated', 'expected/recreated'],
    CountsFromOne,
  ),
  mutant('uses a hash of the value as the version', ['versions/change', 'versions/recreated'], HashOfTheValue),
  mutant('returns numbers as versions', ['versions/text'], NumberAsVersion),
  mutant('keeps the version when the value changes', ['versions/change'], VersionStays),
  mutant('returns a new version for each read', ['reads/as-listed', 'versions/steady'], VersionOfTheRead),
  mutant('returns the old version from a replace', ['versions/answered'], AnswersTheOldVersion),
  mutant('compares versions as numbers', ['expected/other-texts'], ComparesNumbers),
  mutant('ignores the case of versions', ['expected/other-texts'], ComparesVersionsInAnyCase),
  mutant('takes the members of the key from the value of a replace', ['values/key-kept'], StoresUnderTheKeyOfTheValue),
  mutant(
    'ignores every expected version',
    ['expected/replace', 'expected/remove', 'expected/attach', 'expected/detach'],
    IgnoresExpected,
  ),
  mutant('merges a replace into the old value', ['values/replaced'], MergesReplaces),
  altered('ignores the expected version of a remove', ['expected/remove'], (base) => {
    const remove = base.remove.bind(base)
    return { remove: (key: unknown, _expected: unknown, call: AdapterCall) => remove(key, undefined, call) }
  }),
  altered('checks the expected version after it has removed the record', ['expected/remove'], (base) => {
    const remove = base.remove.bind(base)
    return {
      async remove(key: unknown, expected: string | undefined, call: AdapterCall) {
        const before = (await base.read([key], call))[0]
        const answer = await remove(key, undefined, call)
        return before !== undefined && base.isStale(before, expected) ? 'stale' : answer
      },
    }
  }),
  altered(
    'replaces the record despite a stale version, but reports "stale"',
    ['expected/replace', 'races/increments'],
    (base) => {
      const replace = base.replace.bind(base)
      return {
        async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
          const before = (await base.read([key], call))[0]
          const answer = await replace(key, value, undefined, call)
          return before !== undefined && base.isStale(before, expected) ? 'stale' : answer
        },
      }
    },
  ),
  altered('creates the record if a replace finds none', ['expected/absent-first'], (base) => {
    const replace = base.replace.bind(base)
    return {
      async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
        const answer = await replace(key, value, expected, call)
        return answer === 'absent' ? base.write(base.text(key), value as Row) : answer
      },
    }
  }),
  altered('restores a removed record when it is replaced', ['expected/removed'], (base) => {
    const [replace, erase] = [base.replace.bind(base), base.erase.bind(base)]
    const removed = new Set<string>()
    return {
      erase(text: string) {
        removed.add(text)
        erase(text)
      },
      async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
        const answer = await replace(key, value, expected, call)
        return answer === 'absent' && removed.has(base.text(key)) ? base.write(base.text(key), value as Row) : answer
      },
    }
  }),
  altered('reports "stale" for an absent record', ['expected/absent-first'], (base) => {
    const [replace, remove] = [base.replace.bind(base), base.remove.bind(base)]
    return {
      replace: async (key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) => {
        const answer = await replace(key, value, expected, call)
        return answer === 'absent' && expected !== undefined ? 'stale' : answer
      },
      remove: async (key: unknown, expected: string | undefined, call: AdapterCall) => {
        const answer = await remove(key, expected, call)
        return answer === 'absent' && expected !== undefined ? 'stale' : answer
      },
    }
  }),
  altered('reports "absent" for a stale version', ['expected/replace'], (base) => {
    const replace = base.replace.bind(base)
    return {
      async replace(key: unknown, value: unknown, expected: string | undefined, call: AdapterCall) {
        const answer = await replace(key, value, expected, call)
        return answer === 'stale' ? 'absent' : answer
      },
    }
  }),
  altered('reports "removed", but does not remove the record', ['expected/removed', 'expected/absent-first'], () => ({
    remove: async () => 'removed',
  })),
  altered(
    'reports a replaced record, but does not replace it',
    ['expected/replace', 'associations/replaced', 'values/date-times'],
    (base) => ({
      replace: async (key: unknown, value: unknown, _expected: unknown, call: AdapterCall) =>
        base.visible(key, call, 'replace') === undefined
          ? 'absent'
          : { value, version: base.version('', value as Row) },
    }),
  ),
  altered('also overwrites records that have the same label', ['seek/live', 'values/others-untouched'], (base) => {
    const write = base.write.bind(base)
    return {
      write(text: string, row: Row) {
        const before = base.store.rows.get(text)?.value.label
        for (const [other, item] of base.store.rows) {
          if (before !== undefined && item.value.label === before) write(other, { ...row, code: item.value.code })
        }
        return write(text, row)
      },
    }
  }),
]
