/** Starts, controls and ends a child process of the benchmark. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/**
 * The cores of the servers and of the load generator, as lists for `taskset`, which counts from 0.
 */
export interface Cores {
  readonly server: string
  readonly load: string
}

/**
 * Returns the last core for the servers, and the others for the load generator. Returns `undefined`
 * if there is a single core, or no `taskset`.
 */
export function findCores(): Cores | undefined {
  const count = availableParallelism()
  const bound = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
  // The available cores need not be numbered from 0. For example, a container may have the cores 4
  // and 7.
  const list = bound.status === 0 ? expand(/: *([\d,-]+)\s*$/.exec(bound.stdout)?.[1] ?? '') : []
  if (count < 2 || list.length < 2) return undefined
  return { server: String(list.at(-1)), load: list.slice(0, -1).join(',') }
}

/** Expands a list of cores: `0-2,5` becomes 0, 1, 2 and 5. */
export function expand(list: string): number[] {
  return list
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    })
}

export class Child<To, From extends object | string> {
  readonly #process: ChildProcess
  readonly #name: string
  /** The error that later calls throw. It is set when the process ends or cannot be started. */
  #gone: Error | undefined

  /**
   * Runs a module with the given Node binary and flags, on the given cores. `path` is relative to
   * this folder.
   */
  constructor(name: string, path: string, node: string, cores: string | undefined, flags: readonly string[] = []) {
    this.#name = name
    const file = fileURLToPath(new URL(path, import.meta.url))
    const [command, ...args] = [...(cores === undefined ? [] : ['taskset', '-c', cores]), node, ...flags, file]
    this.#process = spawn(command as string, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    this.#process.on('error', (error) => {
      this.#gone = error
    })
    this.#process.on('exit', (code, signal) => {
      this.#gone ??= new Error(`${name} ended unexpectedly (${signal ?? code}).`)
    })
  }

  tell(message: To): void {
    if (this.#gone !== undefined) throw this.#gone
    this.#process.send(message as object)
  }

  /** Waits for the next message of the process. Throws if the process reports an error or ends. */
  async hear(): Promise<Exclude<From, { failed: string }>> {
    if (this.#gone !== undefined) throw this.#gone
    const waiting = new AbortController()
    const { signal } = waiting
    try {
      const message = await Promise.race([
        once(this.#process, 'message', { signal }).then(([said]) => said as From),
        once(this.#process, 'exit', { signal }).then(() => Promise.reject(this.#gone as Error)),
      ])
      const failed = typeof message === 'object' && 'failed' in message ? message.failed : undefined
      if (failed !== undefined) throw new Error(`${this.#name}: ${failed}`)
      return message as Exclude<From, { failed: string }>
    } finally {
      waiting.abort()
    }
  }

  /** Sends a message and returns the reply. */
  async ask(message: To): Promise<Exclude<From, { failed: string }>> {
    const said = this.hear()
    try {
      this.tell(message)
    } catch (error) {
      said.catch(() => {})
      throw error
    }
    return said
  }

  /**
   * Disconnects from the process, which then exits. Kills the process if it does not exit within
   * two seconds.
   */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null || this.#process.pid === undefined) return
    const gone = once(this.#process, 'exit')
    if (this.#process.connected) this.#process.disconnect()
    const impatient = setTimeout(() => this.#process.kill('SIGKILL'), 2000)
    await gone
    clearTimeout(impatient)
  }
}
