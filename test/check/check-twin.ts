/** Checks a twin, also by writes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckReport, checkService } from '../../src/check/index.js'
import { serving } from './serving.js'
import { document } from './twin/document.js'
import type { Fault } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

const principals = [
  { name: 'admin', token: tokenOf('admin') },
  { name: 'guest', token: tokenOf('guest'), forbidden: ['/v1/customers'] },
]

/** `only`: clauses. Default: all. */
export async function checkTwin(fault?: Fault, only?: readonly string[]): Promise<CheckReport> {
  const { origin, close } = await serving(twinApp(fault))
  const folder = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    return await checkService({
      base: origin,
      target: { ...resolveTarget(document), retired: ['v0'] },
      principals,
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

/** The clauses that break, each once. */
export const breaksOf = ({ results }: CheckReport): readonly string[] => [
  ...new Set(
    results
      .filter(({ outcome }) => outcome.verdict === 'breaks' || outcome.verdict === 'flaky')
      .map(({ clause }) => clause),
  ),
]
