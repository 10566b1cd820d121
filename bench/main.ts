/**
 * `npm run bench` compares the library with hand-written servers and other frameworks that do the
 * same work. docs/performance.md explains it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Options, parseOptions, UsageError } from './options.js'
import type { Result, WorkloadResult } from './report/result.js'
import { type TailResult, tailText } from './report/tail.js'
import { circumstancesText, headOf, verdicts, workloadText } from './report/text.js'
import { Child, findCores } from './run/child.js'
import { type Command, nodeVersion, runCommand } from './run/command.js'
import { type Participant, selectParticipants, thoseOf } from './run/participants.js'
import type { Environment } from './run/server.js'
import { runTail, tailServers } from './run/tail.js'
import { runWorkload } from './run/workload.js'
import { workloadOf } from './workloads/index.js'
import { makeSecrets } from './workloads/keys.js'

/** The root of the checkout. This file is compiled to `build/bench`. */
const checkout = fileURLToPath(new URL('../..', import.meta.url))

await runCommand(async (command) => {
  const options = parseOptions(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd())
  if (typeof options === 'string') return void process.stdout.write(options)
  const version = nodeVersion(options.node)
  if (options.against !== undefined) build(options.against)
  const cores = findCores()
  const servers = options.servers ?? (options.tail ? tailServers : undefined)
  const { participants, leftOut } = selectParticipants({ servers, against: options.against }, checkout)
  const said = [...leftOut]
  const asked = await reachable(command, options, said)
  if (command.interrupted) return
  for (const line of said) console.log(line)
  const load: Environment['load'] = new Child('The load', '../load/process.js', options.node, cores?.load)
  command.children.add(load)
  const environment: Environment = {
    options,
    cores,
    secrets: makeSecrets(),
    database: command.database?.url,
    load,
    children: command.children,
    say: (line) => command.say(line),
  }
  const about = (): Omit<Result, 'workloads'> => ({
    ...command.circumstances(version, cores),
    rounds: options.rounds,
    each: options.requests === Number.MAX_SAFE_INTEGER ? `${options.seconds} s` : `${options.requests} requests`,
    leftOut: said,
  })
  const result = options.tail
    ? await measureTail(command, environment, participants, about)
    : await compare(command, environment, participants, asked, about)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, null, 1)}\n`)
})

/** Runs each workload on its servers, and prints the results. */
async function compare(
  command: Command,
  environment: Environment,
  participants: readonly Participant[],
  asked: Options['workloads'],
  about: () => Omit<Result, 'workloads'>,
): Promise<Result> {
  const workloads: WorkloadResult[] = []
  for (const name of asked) {
    const those = thoseOf(workloadOf(name), participants)
    if (those.length === 0 || command.interrupted) continue
    const result = await runWorkload(name, those, environment)
    workloads.push(result)
    command.clear()
    console.log(`${workloadText(result)}\n`)
  }
  const result = { ...about(), workloads }
  console.log([verdicts(workloads), headOf(result)].filter((part) => part !== '').join('\n\n'))
  return result
}

/**
 * Measures the slowest responses of the servers that can run the workload `pg-mixed`.
 */
async function measureTail(
  command: Command,
  environment: Environment,
  participants: readonly Participant[],
  about: () => Omit<Result, 'workloads'>,
): Promise<TailResult> {
  if (environment.database === undefined)
    throw new UsageError('--tail requires PostgreSQL, and none is available. Give a database in DATABASE_URL.')
  const those = thoseOf(workloadOf('pg-mixed'), participants)
  if (those.length === 0)
    throw new UsageError('No server in --servers can be measured with --tail. Give one such as mounted-helper.')
  const tail = await runTail(those, environment)
  command.clear()
  const result = { ...about(), tail }
  console.log(`${tailText(result)}\n\n${circumstancesText(result)}`)
  return result
}

/**
 * Returns the workloads that can run. If PostgreSQL is not available, workloads in PostgreSQL are
 * omitted.
 */
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
