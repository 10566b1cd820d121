/**
 * Runs scrypt (RFC 7914) in dedicated threads. So the thread pool of Node.js stays free for file
 * access and DNS lookups. On Linux, the dedicated threads have a lower priority than the rest of
 * the process (AUTH-6).
 */
import { type ScryptOptions, scrypt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../problem.js'
import { type Cost, memoryOf } from './password-hash.js'

/**
 * The nice value of a hashing thread. On a shared core, a thread of the default priority then gets
 * about twice as much time as a hashing thread. With a much higher value, logins would get almost
 * no time while other processes use all cores. The value is set only on Linux, because on other
 * systems the same call affects the whole process.
 */
const niceness = process.platform === 'linux' ? 3 : undefined

/**
 * The maximum number of hashes at a time. If the priority cannot be lowered and the machine has
 * several cores, one core is left to the rest of the process.
 */
export const maxConcurrentHashes = Math.max(1, Math.min(2, availableParallelism() - (niceness === undefined ? 1 : 0)))

/** The code of a thread. It is a string and not a file, because a bundler could omit the file. */
const threadCode = `
const { parentPort, workerData } = require('node:worker_threads')
const { scryptSync } = require('node:crypto')
const { setPriority } = require('node:os')
try {
  if (workerData !== undefined) setPriority(0, workerData)
} catch {}
parentPort.on('message', ({ password, salt, length, options }) => {
  let reply
  try {
    reply = { key: scryptSync(password, salt, length, options) }
  } catch (error) {
    reply = { failure: String(error) }
  }
  parentPort.postMessage(reply)
})`

interface Job {
  readonly password: string
  readonly salt: Uint8Array
  readonly length: number
  readonly options: ScryptOptions
}

type Reply = { readonly key: Uint8Array } | { readonly failure: string }

/**
 * Idle threads. A thread is created only if none is idle, so there are never more threads than the
 * largest number of hashes that have run at the same time.
 */
const idle: HashingThread[] = []

/**
 * Computes one scrypt hash in an idle thread, or in a new thread if none is idle. If threads cannot
 * be started, the thread pool of Node.js computes the hash. Call this function only inside
 * `hashing.run()`. Rejects with `Unavailable` (503) if the thread ends before it returns the hash.
 */
export async function derive(password: string, salt: Buffer, length: number, { ln, r, p }: Cost): Promise<Buffer> {
  // The default memory limit of Node.js is too low for the current parameters. The limit here
  // includes an extra 1 MiB, because OpenSSL needs slightly more memory than the RFC states.
  const maxmem = memoryOf({ ln, r, p }) + 1024 * 1024
  // The salt is copied, because a small buffer is part of Node's buffer pool, and the message to
  // the thread would copy the whole pool.
  const job: Job = { password, salt: Uint8Array.from(salt), length, options: { N: 2 ** ln, r, p, maxmem } }
  let thread: HashingThread
  try {
    thread = idle.pop() ?? new HashingThread()
  } catch {
    // The permission model of Node.js may forbid threads.
    return deriveInPool(job)
  }
  const reply = await thread.run(job)
  if (reply === 'not started') return deriveInPool(job)
  if (reply === 'ended') throw new Unavailable({ detail: 'The password could not be hashed. Try again in a moment.' })
  if ('failure' in reply) throw new Error(`scrypt failed: ${reply.failure}`)
  return Buffer.from(reply.key)
}

function deriveInPool({ password, salt, length, options }: Job): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}

class HashingThread {
  readonly #worker: Worker
  #isOnline = false
  #hasEnded = false
  #settle: ((reply: Reply | 'not started' | 'ended') => void) | undefined

  constructor() {
    // The thread does not get the options and environment variables of the process, because they
    // may load other code.
    this.#worker = new Worker(threadCode, {
      eval: true,
      execArgv: [],
      env: {},
      workerData: niceness,
      name: 'password-hashing',
    })
    this.#worker.once('online', () => {
      this.#isOnline = true
    })
    this.#worker.on('message', (reply: Reply) => this.#done(reply))
    // Without a listener, an `error` event would end the process. An `exit` event follows each
    // `error` event.
    this.#worker.on('error', () => {})
    this.#worker.once('exit', () => {
      this.#hasEnded = true
      const at = idle.indexOf(this)
      if (at >= 0) idle.splice(at, 1)
      this.#done(this.#isOnline ? 'ended' : 'not started')
    })
    // An idle thread does not keep the process alive.
    this.#worker.unref()
  }

  run(job: Job): Promise<Reply | 'not started' | 'ended'> {
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#worker.ref()
      this.#worker.postMessage(job)
    })
  }

  #done(reply: Reply | 'not started' | 'ended'): void {
    const settle = this.#settle
    if (settle === undefined) return
    this.#settle = undefined
    this.#worker.unref()
    if (!this.#hasEnded) idle.push(this)
    settle(reply)
  }
}
