/** What every command of the benchmark does alike: it ends what it started, whether it is done, fails or is interrupted. */
import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { type Database, databaseUrl, makeDatabase, NoDatabase } from '../data/database.js'
import { UsageError } from '../options.js'
import type { Result } from '../report/result.js'
import type { Cores } from './child.js'

export class Command {
  /** Every process is put in here as it starts. */
  readonly children = new Set<{ end(): Promise<void> }>()
  /** Set by a signal: whatever still runs on starts nothing new. */
  interrupted = false
  database: Database | undefined
  readonly #load = loadavg()[0] as number

  /** A database of its own; `undefined`, with a line that says why, where there is none to be had. */
  async reach(
    what: string,
    leftOut: string[],
    checkout: string,
    fill?: Parameters<typeof makeDatabase>[2],
  ): Promise<Database | undefined> {
    try {
      // Known before it is there, so that whoever interrupts now leaves nothing behind.
      this.database = makeDatabase(databaseUrl(process.env), checkout, fill)
      await this.database.ready
      return this.database
    } catch (error) {
      if (!(error instanceof NoDatabase)) throw error
      leftOut.push(`Left out: ${what} in PostgreSQL, since there is none to be had: ${error.message}.`)
      return undefined
    }
  }

  /** When and where it ran. */
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

  /** What is under way, on a line that the next one overwrites; nothing where nobody looks. */
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

/** Runs it, and cleans up behind it. Exits with 2 where an argument was wrong, with 1 where it failed, and as signals do. */
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

/** The version of a binary of Node. Throws `UsageError` where it is none. */
export function nodeVersion(node: string): string {
  const { status, stdout } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (status !== 0) throw new UsageError(`--node is "${node}", which runs no JavaScript.`)
  return stdout.trim()
}
