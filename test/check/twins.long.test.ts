/**
 * A twin (the hand-written test service) with one fault violates the clause of that fault, and no
 * other clause.
 */
import { expect, it } from 'vitest'
import { share } from '../size.js'
import { breaksOf, checkTwin } from './check-twin.js'
import { violationTexts } from './serving.js'
import { type Fault, readFaults, writeFaults } from './twin/faults.js'

it.each(share(Object.entries({ ...readFaults, ...writeFaults }), 6))(
  'a twin with the fault "%s" violates only %s',
  async (fault, clause) => {
    const report = await checkTwin(fault as Fault)
    expect(breaksOf(report), violationTexts(report).join('\n')).toEqual([clause])
  },
)
