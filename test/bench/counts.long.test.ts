import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { excesses } from '../../bench/counts/budgets.js'
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
  it.each(countedNames)('%s: does not exceed its budget (npm run bench:counts)', (name) => {
    expect(counts[name].bytes).toBeGreaterThan(0)
    expect(counts[name].calls).toBeGreaterThan(0)
    expect(excesses({ [name]: counts[name] }, process.versions.node)).toEqual([])
  })
})

/**
 * Each test measures a request with one added cost, which must exceed the tolerance of the budgets.
 */
describe('the counts detect', () => {
  it('a step that awaits nothing', () => {
    expect(counts['item+async-step'].promises).toBeGreaterThan(counts.item.promises)
  })

  it('a copy of an object of ten members', () => {
    expect(counts['item+field-copy'].bytes - counts.item.bytes).toBeGreaterThan(80)
  })

  it('a copy of each record of a page', () => {
    expect(counts['page+record-copy'].bytes - counts.page.bytes).toBeGreaterThan(25 * 80)
  })
})
