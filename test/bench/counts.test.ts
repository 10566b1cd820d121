import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { excesses } from '../../bench/counts/budgets.js'
import { compile, count } from '../../bench/counts/count.js'
import { plantNames } from '../../bench/counts/planted.js'
import { countedNames } from '../../bench/counts/workloads.js'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const version = process.versions.node
// Processes of their own, beside whatever else runs.
const timeout = 120_000
let counts: ReturnType<typeof count>

beforeAll(() => {
  compile(checkout)
  counts = count(checkout)
}, timeout)

describe('what a request takes', () => {
  it.each(countedNames)('%s: no more than it did (npm run bench:counts)', (name) => {
    expect(counts[name].bytes).toBeGreaterThan(0)
    expect(counts[name].calls).toBeGreaterThan(0)
    expect(excesses({ [name]: counts[name] }, version)).toEqual([])
  })

  it.each(plantNames)(
    'a planted %s is noticed',
    (plant) => {
      const [name, grown, least] = told[plant]
      const slower = count(checkout, process.execPath, [name], plant)[name]
      expect(slower[grown] - counts[name][grown]).toBeGreaterThanOrEqual(least)
    },
    timeout,
  )
})

/** Where each shows, in what, and by how much at least. */
const told = {
  'async-step': ['item', 'promises', 1],
  'record-copy': ['page', 'bytes', 25 * 80],
  'field-copy': ['item', 'bytes', 80],
} as const
