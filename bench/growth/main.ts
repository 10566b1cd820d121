/**
 * `npm run bench:growth` measures how the cost of a request grows, for example with the number of
 * rows. docs/performance.md explains it.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findCores } from '../run/child.js'
import { nodeVersion, runCommand } from '../run/command.js'
import { curveOf } from './curves/index.js'
import { Tables } from './data/tables.js'
import { parseOptions } from './options.js'
import type { CurveResult, GrowthResult } from './report/result.js'
import { circumstances, curveText } from './report/text.js'
import { Environment } from './run/environment.js'

/** The root of the checkout. This file is compiled to `build/bench/growth`. */
const checkout = fileURLToPath(new URL('../../..', import.meta.url))

await runCommand(async (command) => {
  const options = parseOptions(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd())
  if (typeof options === 'string') return void process.stdout.write(options)
  const version = nodeVersion(options.node)
  const cores = findCores()
  const leftOut: string[] = []
  const wanted = options.curves.some((name) => curveOf(name).database)
  // The schema is empty at first. Each curve creates and fills the missing tables that it needs.
  const database = wanted ? await command.reach('the measurements', leftOut, checkout, async () => {}) : undefined
  if (command.interrupted) return
  for (const line of leftOut) console.log(line)
  const tables = database && new Tables(database.url, checkout)
  const environment = new Environment(
    { options, checkout, tables, say: (line) => command.say(line) },
    cores,
    command.children,
  )
  const curves: CurveResult[] = []
  for (const name of options.curves) {
    if (command.interrupted) return
    const { title, x, measure } = curveOf(name)
    const curve: CurveResult = { name, title, x, series: await measure(environment, options) }
    curves.push(curve)
    command.clear()
    console.log(`${curveText(curve)}\n`)
  }
  const result: GrowthResult = {
    ...command.circumstances(version, cores),
    rounds: options.rounds,
    each: options.requests === Number.MAX_SAFE_INTEGER ? `${options.seconds} s` : `${options.requests} requests`,
    leftOut,
    curves,
  }
  console.log(circumstances(result))
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, null, 1)}\n`)
})
