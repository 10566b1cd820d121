/** The view that `adapterView()` returns without options passes the same checks as its adapter. */
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { adapterView } from '../../src/adapters/view.js'
import { adapterSuite } from '../../src/testing/index.js'

const suite = adapterSuite(({ definition, records }) =>
  adapterView(memoryAdapter(definition, { records, idempotency: true }), {}),
)

it('the adapter suite skips no check for a view', () => expect(suite.skipped).toEqual([]))

for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
