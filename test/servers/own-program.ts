/**
 * A server program, such as Redis, that tests can start and stop. It listens on a free port of the
 * loopback interface. It is stopped when the process that started it ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'

export interface OwnProgram {
  /** The port, which stays the same after all restarts. */
  readonly port: number
  /** Starts the server. Resolves when it accepts connections. */
  start(): Promise<void>
  /** Kills the server, which cuts its connections. */
  kill(): Promise<void>
  /** Stops the server permanently. */
  remove(): Promise<void>
}

interface Program {
  /** The name of the server, for messages and, in lower case, for its folder. */
  readonly name: string
  readonly command: string
  readonly args: (port: number, folder: string) => readonly string[]
  /**
   * `log` is the stream to which the server logs. `ready` is a string that the server logs when it
   * accepts connections.
   */
  readonly log: 'stdout' | 'stderr'
  readonly ready: string
  /** If false, a port is chosen, but the server is not started. */
  readonly started: boolean
}

/** Milliseconds within which a server must start. */
const timeout = 10_000

/**
 * Chooses a port, and starts the program unless `started` is false. Rejects if the program does not
 * start.
 */
export async function ownProgram({ name, command, args, log, ready, started }: Program): Promise<OwnProgram> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), `erc-${name.toLowerCase()}-`))
  const guard = spawn(process.execPath, [fileURLToPath(new URL('guard.mjs', import.meta.url)), folder], {
    detached: true,
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  guard.stdin.on('error', () => {})
  ;(guard.stdin as unknown as { unref(): void }).unref()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const server = spawn(command, args(port, folder), {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log === 'stdout' ? 'pipe' : 'ignore', log === 'stderr' ? 'pipe' : 'ignore'],
    })
    // `child` is set before the server is ready, so `kill` can end a server that does not start in
    // time.
    if (server.pid !== undefined) {
      child = server
      guard.stdin.write(`${server.pid}\n`)
    }
    let logged = ''
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => {
        clearTimeout(late)
        reject(error)
      }
      const late = setTimeout(() => reject(new Error(`${name} did not start in ${timeout} ms:\n${logged}`)), timeout)
      server[log]?.setEncoding('utf8').on('data', (text: string) => {
        logged += text
        if (!logged.includes(ready)) return
        clearTimeout(late)
        resolve()
      })
      server.once('error', fail)
      server.once('exit', () => fail(new Error(`${name} did not start:\n${logged}`)))
    })
  }
  const kill = async (): Promise<void> => {
    if (child === undefined) return
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    child = undefined
    guard.stdin.write('0\n')
  }
  const remove = async (): Promise<void> => {
    await kill()
    const exited = once(guard, 'exit')
    guard.stdin.end()
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    if (started) await start()
  } catch (error) {
    await remove()
    throw error
  }
  return { port, start, kill, remove }
}
