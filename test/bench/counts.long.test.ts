import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { ceiling, excesses } from '../../bench/counts/budgets.js'
import { compile, count } from '../../bench/counts/count.js'
import { countedNames } from '../../bench/counts/workloads.js'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const planted = ['item+async-step', 'item+field-copy', 'page+record-copy'] as const
const names = [...countedNames, ...planted]
let counts: ReturnType<typeof count<(typeof names)[number]>>

beforeAll(() => {
  compile(checkout)
  counts = count(checkout, process.execPath, names)
}, 120_000)

describe('the cost of a request', () => {
  it.each(countedNames)('does not exceed its budget (npm run bench:counts): %s', (name) => {
    expect(counts[name].bytes).toBeGreaterThan(0)
    expect(counts[name].calls).toBeGreaterThan(0)
    expect(excesses({ [name]: counts[name] }, process.versions.node)).toEqual([])
  })
})

/**
 * Each test measures a request with one added cost. The budget has a margin: about 170 bytes for
 * the workload `item` on the measured release of Node 20. One copied object can cost less than this
 * margin. So the test of one copied object ignores the budget, and compares the counts with and
 * without the copy.
 */
describe('the counts detect', () => {
  const { node } = process.versions

  it('an additional await, which exceeds the budget', () => {
    expect(counts['item+async-step'].promises).toBeGreaterThan(counts.item.promises)
    expect(excesses({ item: counts['item+async-step'] }, node)).toContainEqual(
      expect.stringMatching(/^item: promises /),
    )
  })

  it('a copy of an object of ten members', () => {
    expect(counts['item+field-copy'].bytes - counts.item.bytes).toBeGreaterThan(80)
  })

  it('a copy of each record of a page', () => {
    expect(counts['page+record-copy'].bytes - counts.page.bytes).toBeGreaterThan(25 * 80)
  })

  // A major version of Node that was never measured has no budget of bytes.
  it.skipIf(ceiling('page', 'bytes', node) === Number.POSITIVE_INFINITY)(
    'a copy of each record of a page, which exceeds the budget',
    () => {
      expect(excesses({ page: counts['page+record-copy'] }, node)).toContainEqual(
        expect.stringMatching(/^page: bytes /),
      )
    },
  )
})
