/** A child process of the benchmark: started, controlled and ended by it alone. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The cores of a process: `taskset` counts from 0. */
export interface Cores {
  readonly server: string
  readonly load: string
}

/**
 * Servers on the last core and the load on the others; `undefined` with a single core, or without
 * `taskset`.
 */
export function findCores(): Cores | undefined {
  const count = availableParallelism()
  const bound = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' })
  // The system lists the available cores: a container may have 4 and 7.
  const list = bound.status === 0 ? expand(/: *([\d,-]+)\s*$/.exec(bound.stdout)?.[1] ?? '') : []
  if (count < 2 || list.length < 2) return undefined
  return { server: String(list.at(-1)), load: list.slice(0, -1).join(',') }
}

/** `0-2,5` is 0, 1, 2 and 5. */
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
  /** Set if it ended without a request. */
  #gone: Error | undefined

  /**
   * Runs a module of this folder, with the given binary of Node and these flags, on the given
   * cores.
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

  /** Its next message. Throws its error, or that it has ended. */
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

  /** It ends when its parent disconnects, and is killed if it does not. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null || this.#process.pid === undefined) return
    const gone = once(this.#process, 'exit')
    if (this.#process.connected) this.#process.disconnect()
    const impatient = setTimeout(() => this.#process.kill('SIGKILL'), 2000)
    await gone
    clearTimeout(impatient)
  }
}
