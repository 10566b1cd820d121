/**
 * The plain adapter, with two peers, passes the suite. A peer is another adapter over the same
 * data. A variant also passes the suite: it keeps the version of a record when an equal value is
 * written. The wrong adapters in `mutants` are further variants of the plain adapter.
 */
import { describe, expect, it } from 'vitest'
import { adapterSuite, type Row } from '../../src/testing/index.js'
import { PlainAdapter } from './plain-adapter.js'
import { type Item, Store } from './plain-store.js'

describe('a plain adapter', () => {
  const suite = adapterSuite((fixture) => {
    const store = new Store()
    const adapter = new PlainAdapter(fixture, store)
    const peer = () => new PlainAdapter({ ...fixture, records: [] }, store)
    return { adapter, peers: [peer(), peer()] }
  })

  it('the suite skips no check', () => expect(suite.skipped).toEqual([]))

  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
})

/**
 * Keeps the version of a record if an equal value is written. The contract allows this: only a
 * change of the value must change the version.
 */
class KeepsTheVersionOfEqualValues extends PlainAdapter {
  override write(text: string, row: Row): Item {
    const before = this.store.rows.get(text)
    return before !== undefined && JSON.stringify(before.value) === JSON.stringify(row)
      ? before
      : super.write(text, row)
  }
}

describe('a plain adapter that keeps the version when an equal value is written', () => {
  for (const check of adapterSuite((fixture) => new KeepsTheVersionOfEqualValues(fixture)))
    it(`${check.id}: ${check.title}`, check.run)
})
