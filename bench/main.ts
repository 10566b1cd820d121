/** `npm run bench`: the library and its like, by hand and by framework, on the same work. docs/performance.md says how to read it. */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Options, parseOptions, UsageError } from './options.js'
import type { Result, WorkloadResult } from './report/result.js'
import { headOf, verdicts, workloadText } from './report/text.js'
import { Child, findCores } from './run/child.js'
import { type Command, nodeVersion, runCommand } from './run/command.js'
import { fieldOf, thoseOf } from './run/participants.js'
import { type Load, type Place, runWorkload } from './run/workload.js'
import { workloadOf } from './workloads/index.js'
import { makeSecrets } from './workloads/keys.js'

/** This file lies in `build/bench`. */
const checkout = fileURLToPath(new URL('../..', import.meta.url))

await runCommand(async (command) => {
  const options = parseOptions(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd())
  if (typeof options === 'string') return void process.stdout.write(options)
  const version = nodeVersion(options.node)
  if (options.against !== undefined) build(options.against)
  const cores = findCores()
  const { participants, leftOut } = fieldOf(options, checkout)
  const said = [...leftOut]
  const asked = await reachable(command, options, said)
  if (command.interrupted) return
  for (const line of said) console.log(line)
  const load: Load = new Child('The load', '../load/process.js', options.node, cores?.load)
  command.children.add(load)
  const place: Place = {
    options,
    cores,
    secrets: makeSecrets(),
    database: command.database?.url,
    load,
    children: command.children,
    say: (line) => command.say(line),
  }
  const workloads: WorkloadResult[] = []
  for (const name of asked) {
    const those = thoseOf(workloadOf(name), participants)
    if (those.length === 0 || command.interrupted) continue
    const result = await runWorkload(name, those, place)
    workloads.push(result)
    command.clear()
    console.log(`${workloadText(result)}\n`)
  }
  const result: Result = {
    ...command.circumstances(version, cores),
    rounds: options.rounds,
    each: options.requests === Number.MAX_SAFE_INTEGER ? `${options.seconds} s` : `${options.requests} requests`,
    leftOut: said,
    workloads,
  }
  console.log([verdicts(workloads), headOf(result)].filter((part) => part !== '').join('\n\n'))
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, null, 1)}\n`)
})

/** The workloads that can be run: those in PostgreSQL where there is one. */
async function reachable(command: Command, { workloads }: Options, leftOut: string[]): Promise<Options['workloads']> {
  if (!workloads.some((name) => workloadOf(name).database)) return workloads
  const database = await command.reach('the workloads', leftOut, checkout)
  return database === undefined ? workloads.filter((name) => workloadOf(name).database !== true) : workloads
}

function build(other: string): void {
  if (!existsSync(join(other, 'node_modules')))
    throw new UsageError(`--against is "${other}", which has no node_modules. Run npm ci there first.`)
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: other, stdio: 'inherit' })
  if (status !== 0) throw new UsageError(`--against is "${other}", where npm run build fails.`)
}
