/** How often one run finds a service that compares first and writes later (HDR-3, VERB-12). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkService } from '../../src/check/index.js'
import { isLong, size } from '../size.js'
import { plainDocument, plainService, token } from './plain/plain-service.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const runs = size(5, 100)
/** The runs that may miss the fault by chance: two of the few runs of the short form. */
const tolerance = isLong ? 0 : 2

/** Runs of one check that find the fault. `window`: milliseconds between comparison and write. */
async function found(check: string, fault: string, window: number): Promise<number> {
  const { base, close } = await plainService(fault, window)
  let count = 0
  for (let run = 0; run < runs; run++) {
    const { results } = await checkService({
      base,
      target: plainDocument,
      principals: [{ name: 'admin', token }],
      rate: 100_000,
      write: join(folder, `${run}.jsonl`),
      only: [check],
    })
    if (results.some(({ outcome }) => outcome.verdict === 'flaky' || outcome.verdict === 'breaks')) count += 1
  }
  await close()
  return count
}

it.each([
  ['HDR-3/race', 'PATCH', 2, 0.99],
  ['HDR-3/race', 'PATCH', 0.2, 0.9],
  ['HDR-3/race-put', 'PUT', 2, 0.99],
  ['HDR-3/race-put', 'PUT', 0.2, 0.9],
  ['HDR-3/race-delete', 'DELETE', 2, 0.99],
  ['HDR-3/race-delete', 'DELETE', 0.2, 0.9],
  ['VERB-12/race', 'keys', 2, 0.99],
  ['VERB-12/race', 'keys', 0.2, 0.9],
] as const)(
  '%s finds %s with a window of %s ms in at least %s of all runs',
  { timeout: 600_000 },
  async (check, fault, window, rate) => {
    expect(await found(check, fault, window)).toBeGreaterThanOrEqual(Math.floor(rate * runs) - tolerance)
  },
)

it('HDR-3, VERB-12: accuses no service that compares and writes in one step', { timeout: 600_000 }, async () => {
  for (const check of ['HDR-3/race', 'HDR-3/race-put', 'HDR-3/race-delete', 'VERB-12/race'])
    expect(await found(check, 'nothing', 0)).toBe(0)
})
