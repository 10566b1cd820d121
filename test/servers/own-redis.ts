/** A Redis of our own, to be stopped and started: on a free port of the loopback interface, gone with the process that made it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'

export interface OwnRedis {
  /** The same through all restarts. */
  readonly url: string
  readonly port: number
  /** Starts it, empty. Resolves when it takes connections. */
  start(): Promise<void>
  /** Ends it at once: connections are cut, and what it held is lost. */
  kill(): Promise<void>
  /** Ends it for good. */
  remove(): Promise<void>
}

/** Milliseconds until a server that does not start is an error. */
const patience = 10_000

/** Starts one from the program `redis-server`, which keeps nothing on disk; `started: false` only picks its port. Throws where there is no such program. */
export async function ownRedis({ started = true } = {}): Promise<OwnRedis> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'erc-redis-'))
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
    const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let log = ''
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`Redis did not start in ${patience} ms:\n${log}`)), patience)
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (!log.includes('Ready to accept connections')) return
        clearTimeout(late)
        resolve()
      })
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`Redis did not start:\n${log}`)))
    })
    child = server
    guard.stdin.write(`${server.pid}\n`)
  }
  const kill = async (): Promise<void> => {
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
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
  return { url: `redis://127.0.0.1:${port}`, port, start, kill, remove }
}
