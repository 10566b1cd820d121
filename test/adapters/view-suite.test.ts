/** A view without options passes the checks that its adapter passes. */
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { adapterView } from '../../src/adapters/view.js'
import { adapterSuite } from '../../src/testing/index.js'

const suite = adapterSuite(({ definition, records }) =>
  adapterView(memoryAdapter(definition, { records, idempotency: true }), {}),
)

it('the adapter suite skips no check of a view', () => expect(suite.skipped).toEqual([]))

for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
