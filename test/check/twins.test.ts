/** A right twin is accused of nothing, and of a twin with one fault the clause of the fault alone breaks. */
import { expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckReport, checkService } from '../../src/check/index.js'
import { faultsOf, serving } from './serving.js'
import { document } from './twin/document.js'
import { type ReadFault, readFaults } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

const principals = [
  { name: 'admin', token: tokenOf('admin') },
  { name: 'guest', token: tokenOf('guest'), forbidden: ['/v1/customers'] },
]

async function checked(fault?: ReadFault): Promise<CheckReport> {
  const { origin, close } = await serving(twinApp(fault))
  try {
    const target = { ...resolveTarget(document), retired: ['v0'] }
    return await checkService({ base: origin, target, principals, rate: 100_000 })
  } finally {
    await close()
  }
}

it('a right service that was written by hand is accused of nothing', async () => {
  const report = await checked()
  expect(faultsOf(report)).toEqual([])
  const unchecked = report.results.filter(({ outcome, where }) => outcome.verdict === 'unchecked' && where === '/v1/orders')
  // The guest may read orders.
  expect(unchecked.map(({ check }) => check)).toEqual(['AUTH-4/forbidden'])
})

it.each(Object.entries(readFaults))('a twin with "%s" breaks %s alone', async (fault, clause) => {
  const report = await checked(fault as ReadFault)
  const found = report.results.filter(({ outcome }) => outcome.verdict === 'breaks' || outcome.verdict === 'flaky')
  expect([...new Set(found.map((one) => one.clause))], faultsOf(report).join('\n')).toEqual([clause])
})
