/** Runs the checks, including those that write, against the twin: a hand-written test service. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckReport, checkService } from '../../src/check/index.js'
import { serving } from './serving.js'
import { documentOf } from './twin/document.js'
import type { Fault } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

/** The principals that the checks use. The token of the last principal expired in 1970. */
export const principalsOf = (fault: Fault | undefined) => [
  { name: 'admin', token: fault === 'tokens without expiry' ? tokenOf('admin', null) : tokenOf('admin') },
  { name: 'guest', token: tokenOf('guest'), forbidden: ['/v1/customers'] },
  { name: 'reader', token: tokenOf('reader'), readOnly: true },
  { name: 'expired', token: tokenOf('admin', 1), expired: true },
]

/** Checks a twin. `only` lists the clauses or checks to run. By default all checks are run. */
export async function checkTwin(fault?: Fault, only?: readonly string[]): Promise<CheckReport> {
  const { origin, close } = await serving(twinApp(fault))
  const folder = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    return await checkService({
      base: origin,
      target: { ...resolveTarget(documentOf(fault)), retired: ['v0'] },
      principals: principalsOf(fault),
      account: { user: 'ana', password: 'secret' },
      rate: 100_000,
      write: join(folder, 'ledger.jsonl'),
      disposable: true,
      ...(only === undefined ? {} : { only }),
    })
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
}

/** The ids of the violated clauses, without duplicates. */
export const breaksOf = ({ results }: CheckReport): readonly string[] => [
  ...new Set(
    results
      .filter(({ outcome }) => outcome.verdict === 'breaks' || outcome.verdict === 'flaky')
      .map(({ clause }) => clause),
  ),
]
