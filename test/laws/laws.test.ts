/**
 * The laws on random tables. `LAWS_RUNS` is the number of tables for each store. `LAWS_SEED` and
 * `LAWS_PATH` repeat a failure (docs/own-tests.md, "Laws over random tables").
 */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { size } from '../size.js'
import { memoryCase, tableCase } from './case.js'
import { cases } from './cases.js'
import { type Kind, kinds } from './kinds.js'
import { holds } from './runs.js'
import { type Listener, listening } from './service.js'
import { databases, type LawStore } from './stores.js'

/** The time limit of a long run, in milliseconds. */
const longest = 3_600_000

describe.each(databases)(
  'REP-8, VERB-3, QUERY-1, QUERY-2, HDR-8: for every table of $name,',
  ({ name, open, usual }) => {
    let listener: Listener
    let store: LawStore
    let served: readonly Kind[]
    beforeAll(async () => {
      listener = await listening()
      store = await open()
      served = await store.servable(kinds)
    })
    afterAll(async () => {
      await listener.close()
      await store.close()
    })

    it(
      'PUT accepts what GET shows, filters find it, order agrees with range filters, and paging shows each record once',
      () => holds({ name, usual, cases: cases(served) }, (one) => tableCase(one, listener, store)),
      longest,
    )
  },
)

describe('REP-8, VERB-3, QUERY-1, QUERY-2, HDR-8: for every schema in memory,', () => {
  const plain = kinds.filter(({ optional }) => !optional)
  let listener: Listener
  beforeAll(async () => {
    listener = await listening()
  })
  afterAll(() => listener.close())

  it(
    'PUT accepts what GET shows, filters find it, order agrees with range filters, and paging shows each record once',
    () => holds({ name: 'in memory', usual: size(20, 100), cases: cases(plain) }, (one) => memoryCase(one, listener)),
    longest,
  )
})
