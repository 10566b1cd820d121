/**
 * Measures how often one run of a check finds this fault: the service compares the entity tag
 * (HDR-3) or looks up the idempotency key (VERB-12) first, and writes later, so another request can
 * write in between.
 */
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

const runs = size(1, 100)
/**
 * The number of runs that may miss the fault, in addition to those that the expected rate allows.
 * With only a few runs, two may miss the fault by chance.
 */
const tolerance = isLong ? 0 : 2

/**
 * Runs one check several times and counts the runs that find the fault. `window` is the time
 * between comparison and write, in milliseconds.
 */
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
  '%s finds the fault %s, with %s ms between comparison and write, in at least %s of all runs',
  { timeout: 600_000 },
  async (check, fault, window, rate) => {
    expect(await found(check, fault, window)).toBeGreaterThanOrEqual(Math.floor(rate * runs) - tolerance)
  },
)

it('HDR-3, VERB-12: no violation is reported for a service that compares and writes atomically', {
  timeout: 600_000,
}, async () => {
  for (const check of ['HDR-3/race', 'HDR-3/race-put', 'HDR-3/race-delete', 'VERB-12/race'])
    expect(await found(check, 'nothing', 0)).toBe(0)
})
