/**
 * Code that the benchmark's commands share. A command ends its processes and drops its schema,
 * whether it completes, fails or is interrupted.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { type Database, databaseUrl, makeDatabase, NoDatabase } from '../data/database.js'
import { UsageError } from '../options.js'
import type { Result } from '../report/result.js'
import type { Cores } from './child.js'

export class Command {
  /** The running processes. Each process is added when it starts. */
  readonly children = new Set<{ end(): Promise<void> }>()
  /** Set to true by a signal. From then on, the command starts nothing new. */
  interrupted = false
  database: Database | undefined
  readonly #load = loadavg()[0] as number

  /**
   * Creates a database schema and fills it. If the schema cannot be created, returns `undefined`
   * and adds the reason to `leftOut`.
   */
  async reach(
    what: string,
    leftOut: string[],
    checkout: string,
    fill?: Parameters<typeof makeDatabase>[2],
  ): Promise<Database | undefined> {
    try {
      // `database` is set before the schema exists. If the command is interrupted while the schema
      // is being created, `cleanUp()` therefore drops the schema, too.
      this.database = makeDatabase(databaseUrl(process.env), checkout, fill)
      await this.database.ready
      return this.database
    } catch (error) {
      if (!(error instanceof NoDatabase)) throw error
      leftOut.push(`Skipped: ${what} in PostgreSQL, because it is not available: ${error.message}.`)
      return undefined
    }
  }

  /** Returns the date, the version of Node, and a description of the machine. */
  circumstances(
    node: string,
    cores: Cores | undefined,
  ): Pick<Result, 'date' | 'node' | 'machine' | 'cores' | 'pinned' | 'load'> {
    return {
      date: new Date().toISOString(),
      node,
      machine: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      pinned: cores !== undefined,
      load: [this.#load, loadavg()[0] as number],
    }
  }

  /**
   * Shows the current activity in one line, which the next call overwrites. Prints nothing if
   * stderr is not a terminal.
   */
  say(line: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
  }

  clear(): void {
    this.say('')
  }

  /** Ends all processes of the command, and drops the schema. */
  async cleanUp(): Promise<void> {
    this.clear()
    await Promise.all([...this.children].map((child) => child.end()))
    this.children.clear()
    const made = this.database
    this.database = undefined
    await made?.drop()
  }
}

/**
 * Runs a command, and cleans up afterwards. The exit code is 2 for an invalid argument, 1 for
 * another failure, 130 after SIGINT, and 143 after SIGTERM.
 */
export async function runCommand(main: (command: Command) => Promise<void>): Promise<void> {
  const command = new Command()
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (command.interrupted) return
      command.interrupted = true
      command.cleanUp().then(
        () => process.exit(code),
        (error: unknown) => {
          console.error(error)
          process.exit(code)
        },
      )
    })
  }
  try {
    await main(command)
  } catch (error) {
    if (!command.interrupted) {
      console.error(error instanceof UsageError ? error.message : error)
      process.exitCode = error instanceof UsageError ? 2 : 1
    }
  } finally {
    if (!command.interrupted) await command.cleanUp()
  }
}

/** Returns the version of a Node binary. Throws a `UsageError` if the file is not a Node binary. */
export function nodeVersion(node: string): string {
  const { status, stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (status !== 0)
    throw new UsageError(`--node is "${node}", which can't run JavaScript. Give the path of a Node binary.`)
  return stdout.trim()
}
