/**
 * The checks report no violation for a twin (the hand-written test service) without faults. If a
 * twin has a fault, the checks find it.
 */
import { expect, it } from 'vitest'
import { breaksOf, checkTwin } from './check-twin.js'
import { violationTexts } from './serving.js'
import { type Fault, readFaults, writeFaults } from './twin/faults.js'

it('no violation is reported for a correct service that was written by hand', async () => {
  const report = await checkTwin()
  expect(violationTexts(report)).toEqual([])
  const unchecked = report.results.filter(
    ({ outcome, where }) => outcome.verdict === 'unchecked' && where === '/v1/orders',
  )
  // `AUTH-4/forbidden` is unchecked because it needs a principal without permission to read orders.
  // Even the guest can read orders.
  expect(unchecked.map(({ check }) => check)).toEqual(['AUTH-4/forbidden'])
  expect(report.left).toEqual([])
})

const faults = Object.entries({ ...readFaults, ...writeFaults })

it('a total that ignores the filters violates QUERY-7', async () => {
  expect(breaksOf(await checkTwin('total ignores the filters', ['QUERY-7']))).toEqual(['QUERY-7'])
})

// Tests one fault of each clause, with the checks of that clause. twins.long.test.ts tests all
// faults, with the checks of all clauses.
it.each(faults.filter(([, clause], at) => faults.findIndex(([, other]) => other === clause) === at))(
  'a twin with the fault "%s" violates %s',
  async (fault, clause) => {
    // The twin limits only failed logins. Only the checks of AUTH-6 send failed logins, so the
    // checks of LIMIT-1 run together with them.
    const report = await checkTwin(fault as Fault, clause === 'LIMIT-1' ? [clause, 'AUTH-6'] : [clause])
    expect(breaksOf(report), violationTexts(report).join('\n')).toEqual([clause])
  },
)
