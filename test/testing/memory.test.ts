/** The memory adapter passes the complete adapter suite. */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { adapterSuite } from '../../src/testing/index.js'

describe('the memory adapter', () => {
  const suite = adapterSuite(({ definition, records }) => memoryAdapter(definition, { records, idempotency: true }))

  it('runs every check', () => expect(suite.skipped).toEqual([]))

  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
})
