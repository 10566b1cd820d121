/**
 * The checks report no violation for a correct service that is written with plain `node:http`. If
 * the service has a fault, the checks find it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CheckReport, checkService } from '../../../src/check/index.js'
import { breaksOf } from '../check-twin.js'
import { violationTexts } from '../serving.js'
import { plainDocument, plainService, token } from './plain-service.js'

async function checkPlain(fault?: string, window?: number): Promise<CheckReport> {
  const { base, close } = await plainService(fault, window)
  const folder = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    return await checkService({
      base,
      target: plainDocument,
      principals: [{ name: 'admin', token }],
      rate: 100_000,
      write: join(folder, 'ledger.jsonl'),
    })
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
}

it('no violation is reported for a correct service in plain node:http', async () => {
  const report = await checkPlain()
  expect(violationTexts(report)).toEqual([])
  expect(report.left).toEqual([])
  expect(report.counts.holds).toBeGreaterThan(60)
})

it.each([
  ['preflight', 0, 'HDR-7'],
  ['exposed', 0, 'HDR-7'],
  ['PUT', 2, 'HDR-3'],
  ['keys', 2, 'VERB-12'],
] as const)(
  'with the fault "%s", if a faulty write waits %s ms before its change, only %s is violated',
  async (fault, window, clause) => {
    const report = await checkPlain(fault, window)
    expect(breaksOf(report), violationTexts(report).join('\n')).toEqual([clause])
  },
)
