/**
 * A right twin is accused of nothing, and of a twin with one fault the clause of the fault breaks.
 */
import { expect, it } from 'vitest'
import { breaksOf, checkTwin } from './check-twin.js'
import { faultsOf } from './serving.js'
import { type Fault, readFaults, writeFaults } from './twin/faults.js'

it('a right service that was written by hand is accused of nothing', async () => {
  const report = await checkTwin()
  expect(faultsOf(report)).toEqual([])
  const unchecked = report.results.filter(
    ({ outcome, where }) => outcome.verdict === 'unchecked' && where === '/v1/orders',
  )
  // The guest may read orders.
  expect(unchecked.map(({ check }) => check)).toEqual(['AUTH-4/forbidden'])
  expect(report.left).toEqual([])
})

const faults = Object.entries({ ...readFaults, ...writeFaults })

// The long test takes all of them, and looks at the other clauses, too.
it.each(faults.filter(([, clause], at) => faults.findIndex(([, other]) => other === clause) === at))(
  'a twin with "%s" breaks %s',
  async (fault, clause) => {
    // Only failed logins reach a limit.
    const report = await checkTwin(fault as Fault, clause === 'LIMIT-1' ? [clause, 'AUTH-6'] : [clause])
    expect(breaksOf(report), faultsOf(report).join('\n')).toEqual([clause])
  },
)
