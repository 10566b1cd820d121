/**
 * `npm run bench:chart -- result.json picture.svg` draws a picture for docs/performance.md from a
 * file that `--json` wrote. For a file of `npm run bench:growth`, it also prints the tables of the
 * curves in Markdown.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { growthChart } from './growth/report/chart.js'
import type { GrowthResult } from './growth/report/result.js'
import { curveTable } from './growth/report/text.js'
import { chartOf } from './report/chart.js'
import type { Result } from './report/result.js'

const [from, to, ...more] = process.argv.slice(2)
if (from === undefined || to === undefined || more.length > 0) {
  console.error('Usage: npm run bench:chart -- result.json picture.svg')
  process.exitCode = 2
} else {
  const at = (path: string): string => resolve(process.env.INIT_CWD ?? process.cwd(), path)
  const result: Result | GrowthResult = JSON.parse(readFileSync(at(from), 'utf8'))
  if ('curves' in result) {
    writeFileSync(at(to), growthChart(result))
    console.log(result.curves.map((curve) => `### ${curve.name}\n\n${curveTable(curve)}\n`).join('\n'))
  } else if ('workloads' in result) writeFileSync(at(to), chartOf(result))
  else {
    console.error(`${from} has neither workloads nor curves: a result of --tail can't be drawn.`)
    process.exitCode = 2
  }
}
