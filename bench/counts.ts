/**
 * `npm run bench:counts` prints counts of the work that a request causes, each with its maximum.
 * Unlike times, these counts do not depend on the speed of the machine. docs/performance.md
 * explains them.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ceiling, countNames, excesses, figure, pasted } from './counts/budgets.js'
import { compile, count, versionOf } from './counts/count.js'
import { countedNames, countedOf } from './counts/workloads.js'

/** The root of the checkout. This file is compiled to `build/bench`. */
const checkout = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({
  options: { node: { type: 'string', default: process.execPath }, paste: { type: 'boolean', default: false } },
})

compile(checkout)
const found = values.node
  .split(',')
  .map((node) => ({ version: versionOf(node), counts: count(checkout, node, countedNames) }))
if (values.paste) process.stdout.write(pasted(found))
else for (const one of found) console.log(`${tableOf(one)}\n`)

function tableOf({ version, counts }: (typeof found)[number]): string {
  const rows = countedNames.map((name) => [
    countedOf(name).title,
    ...countNames.map((count) => figure(counts[name][count])),
  ])
  const ceilings = countedNames.map((name) => [
    '  at most',
    ...countNames.map((count) => figure(ceiling(name, count, version))),
  ])
  const lines = [[`Node ${version}`, ...countNames], ...rows.flatMap((row, at) => [row, ceilings[at] as string[]])]
  const widths = countNames.map((_, at) => Math.max(...lines.map((line) => (line[at + 1] as string).length)))
  const text = lines.map(
    ([title = '', ...cells]) =>
      title.padEnd(36) + cells.map((cell, at) => cell.padStart((widths[at] ?? 0) + 2)).join(''),
  )
  const above = excesses(counts, version)
  return [
    ...text,
    '',
    ...(above.length === 0 ? ['Every count is within its budget.'] : ['Above its budget:', ...above]),
  ].join('\n')
}
