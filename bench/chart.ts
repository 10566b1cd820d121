/** `npm run bench:chart -- result.json picture.svg`: the picture of docs/performance.md, from what `--json` wrote. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { chartOf } from './report/chart.js'

const [from, to, ...more] = process.argv.slice(2)
if (from === undefined || to === undefined || more.length > 0) {
  console.error('npm run bench:chart -- result.json picture.svg')
  process.exitCode = 2
} else {
  const at = (path: string): string => resolve(process.env.INIT_CWD ?? process.cwd(), path)
  writeFileSync(at(to), chartOf(JSON.parse(readFileSync(at(from), 'utf8'))))
}
