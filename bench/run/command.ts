/**
 * Common parts of the benchmark's commands: they end what they started, whether they complete, fail
 * or are interrupted.
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { type Database, databaseUrl, makeDatabase, NoDatabase } from '../data/database.js'
import { UsageError } from '../options.js'
import type { Result } from '../report/result.js'
import type { Cores } from './child.js'

export class Command {
  /** Every process is added as it starts. */
  readonly children = new Set<{ end(): Promise<void> }>()
  /** Set by a signal: running code then starts nothing new. */
  interrupted = false
  database: Database | undefined
  readonly #load = loadavg()[0] as number

  /** A new database schema; `undefined`, with a message that says why, if none is available. */
  async reach(
    what: string,
    leftOut: string[],
    checkout: string,
    fill?: Parameters<typeof makeDatabase>[2],
  ): Promise<Database | undefined> {
    try {
      // Set before it exists, so that an interrupt now cleans up too.
      this.database = makeDatabase(databaseUrl(process.env), checkout, fill)
      await this.database.ready
      return this.database
    } catch (error) {
      if (!(error instanceof NoDatabase)) throw error
      leftOut.push(`Skipped: ${what} in PostgreSQL, because it is not available: ${error.message}.`)
      return undefined
    }
  }

  /** The date and the machine. */
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
   * Shows the current activity in a line that the next one overwrites; prints nothing without a
   * terminal.
   */
  say(line: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`)
  }

  clear(): void {
    this.say('')
  }

  /** Ends the processes that were started here, and drops the schema. */
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
 * Runs it, and cleans up afterwards. Exits with 2 for an invalid argument, with 1 for a failure,
 * and by signal as usual.
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

/** The version of a binary of Node. Throws `UsageError` if it is not one. */
export function nodeVersion(node: string): string {
  const { status, stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (status !== 0) throw new UsageError(`--node is "${node}", which runs no JavaScript.`)
  return stdout.trim()
}
