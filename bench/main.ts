/** `npm run bench`: the library and its like, by hand and by framework, on the same work. docs/performance.md says how to read it. */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, databaseUrl, makeDatabase, NoDatabase } from './data/database.js'
import { type Options, parseOptions, UsageError } from './options.js'
import type { Result, WorkloadResult } from './report/result.js'
import { headOf, verdicts, workloadText } from './report/text.js'
import { Child, findCores } from './run/child.js'
import { fieldOf, thoseOf } from './run/participants.js'
import { type Load, type Place, runWorkload } from './run/workload.js'
import { workloadOf } from './workloads/index.js'
import { makeSecrets } from './workloads/keys.js'

/** This file lies in `build/bench`. */
const checkout = fileURLToPath(new URL('../..', import.meta.url))
const children: Place['children'] = new Set()
let database: Database | undefined
/** Set by a signal: whatever still runs on starts nothing new. */
let interrupted = false

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd())
  if (typeof options === 'string') return void process.stdout.write(options)
  const version = nodeVersion(options.node)
  if (options.against !== undefined) build(options.against)
  const cores = findCores()
  const { participants, leftOut } = fieldOf(options, checkout)
  const before = loadavg()[0] as number
  const said = [...leftOut]
  const asked = await reachable(options, said)
  if (interrupted) return
  for (const line of said) console.log(line)
  const load: Load = new Child('The load', '../load/process.js', options.node, cores?.load)
  children.add(load)
  const place: Place = { options, cores, secrets: makeSecrets(), database: database?.url, load, children, say }
  const workloads: WorkloadResult[] = []
  for (const name of asked) {
    const those = thoseOf(workloadOf(name), participants)
    if (those.length === 0 || interrupted) continue
    const result = await runWorkload(name, those, place)
    workloads.push(result)
    clear()
    console.log(`${workloadText(result)}\n`)
  }
  const result: Result = {
    date: new Date().toISOString(),
    node: version,
    machine: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    pinned: cores !== undefined,
    load: [before, loadavg()[0] as number],
    rounds: options.rounds,
    each: options.requests === Number.MAX_SAFE_INTEGER ? `${options.seconds} s` : `${options.requests} requests`,
    leftOut: said,
    workloads,
  }
  console.log([verdicts(workloads), headOf(result)].filter((part) => part !== '').join('\n\n'))
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, null, 1)}\n`)
}

/** The workloads that can be run: those in PostgreSQL where there is one. */
async function reachable({ workloads }: Options, leftOut: string[]): Promise<Options['workloads']> {
  if (!workloads.some((name) => workloadOf(name).database)) return workloads
  try {
    // Known before it is there, so that whoever interrupts now leaves nothing behind.
    database = makeDatabase(databaseUrl(process.env), checkout)
    await database.ready
    return workloads
  } catch (error) {
    if (!(error instanceof NoDatabase)) throw error
    leftOut.push(`Left out: the workloads in PostgreSQL, since there is none to be had: ${error.message}.`)
    return workloads.filter((name) => workloadOf(name).database !== true)
  }
}

function nodeVersion(node: string): string {
  const { status, stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (status !== 0) throw new UsageError(`--node is "${node}", which runs no JavaScript.`)
  return stdout.trim()
}

function build(other: string): void {
  if (!existsSync(join(other, 'node_modules')))
    throw new UsageError(`--against is "${other}", which has no node_modules. Run npm ci there first.`)
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: other, stdio: 'inherit' })
  if (status !== 0) throw new UsageError(`--against is "${other}", where npm run build fails.`)
}

/** What is under way, on a line that the next one overwrites; nothing where nobody looks. */
function say(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
}

function clear(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
}

/** Ends the processes that were started here, and drops the schema. */
async function cleanUp(): Promise<void> {
  clear()
  await Promise.all([...children].map((child) => child.end()))
  children.clear()
  const made = database
  database = undefined
  await made?.drop()
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    if (interrupted) return
    interrupted = true
    cleanUp().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(error)
        process.exit(code)
      },
    )
  })
}

try {
  await main()
} catch (error) {
  if (!interrupted) {
    console.error(error instanceof UsageError ? error.message : error)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
} finally {
  if (!interrupted) await cleanUp()
}
