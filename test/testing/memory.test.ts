/** The memory adapter passes the complete adapter suite. */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { adapterSuite } from '../../src/testing/index.js'

describe('the memory adapter', () => {
  const suite = adapterSuite(({ definition, records }) => memoryAdapter(definition, { records, idempotency: true }))

  it('the suite skips no check', () => expect(suite.skipped).toEqual([]))

  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
})

describe('an adapter that estimates totals', () => {
  const suite = adapterSuite(
    ({ definition, records }) => {
      const base = memoryAdapter(definition, { records, idempotency: true })
      const list: typeof base.list = (request, call) => {
        const page = base.list(request, call)
        return page instanceof Promise || 'refused' in page
          ? page
          : { ...page, total: (page.total ?? 0) + 7, exact: false }
      }
      return Object.assign(Object.create(base) as typeof base, { list })
    },
    { counts: 'other' },
  )
  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
})
