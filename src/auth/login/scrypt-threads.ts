/**
 * Runs scrypt (RFC 7914) in dedicated threads. The thread pool of Node.js stays free for files and
 * name lookups, and on Linux the threads have a lower priority than the rest of the process
 * (AUTH-6).
 */
import { type ScryptOptions, scrypt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../problem.js'
import { type Cost, memoryOf } from './password-hash.js'

/**
 * The nice value of a hashing thread: a thread of the default priority gets twice its share of a
 * core. A higher value would starve logins if other processes use all cores. Linux only: on other
 * systems the same call affects the whole process.
 */
const niceness = process.platform === 'linux' ? 3 : undefined

/**
 * Hashes at a time. If the priority can't be lowered, one core is left to the rest of the process.
 */
export const lanes = Math.max(1, Math.min(2, availableParallelism() - (niceness === undefined ? 1 : 0)))

/** The code of a thread. It is a string, so that bundlers can't omit a file. */
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

/** Idle threads. No more are created than hashes have run at a time. */
const idle: HashingThread[] = []

/**
 * Computes one scrypt hash in a thread, which is started if none is idle. Call it within a turn of
 * the hashing queue. Rejects with `Unavailable` (503) if the thread ended in the meantime.
 */
export async function derive(password: string, salt: Buffer, length: number, { ln, r, p }: Cost): Promise<Buffer> {
  // Node.js's default limit would refuse the current parameters, and OpenSSL needs slightly more
  // memory than the RFC states.
  const maxmem = memoryOf({ ln, r, p }) + 1024 * 1024
  // A copy, since a small buffer is part of a pool, and the message would copy the whole pool.
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
    // Without the options and environment of the process, which may load other programs.
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
    // An `error` event without a listener would end the process. An `exit` event follows each.
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
