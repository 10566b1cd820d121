import { execFile } from 'node:child_process'
import { randomBytes, scryptSync } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { derive, maxConcurrentHashes } from '../../../src/auth/login/scrypt-threads.js'

const salt = randomBytes(16)
const options = (N: number, p: number) => ({ N, r: 8, p, maxmem: 256 * 1024 * 1024 })
const cheap = { ln: 10, r: 8, p: 1 }
const busy = fileURLToPath(new URL('busy.mjs', import.meta.url))
const run = (args: readonly string[], env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [...args, busy], { env: { PATH: process.env.PATH ?? '', ...env } })

describe('worker threads that hash', () => {
  it('AUTH-6: return the results of scrypt', async () => {
    for (const [ln, p, length] of [
      [10, 1, 32],
      [11, 3, 64],
      [1, 1, 16],
    ] as const) {
      const expected = scryptSync('contraseña', salt, length, options(2 ** ln, p))
      expect(await derive('contraseña', salt, length, { ln, r: 8, p })).toEqual(expected)
    }
  })

  it('AUTH-6: report invalid parameters as an error, and continue to work', async () => {
    await expect(derive('secret', salt, 32, { ln: 0, r: 8, p: 1 })).rejects.toThrow(/^scrypt failed: (?!.*secret)/)
    expect(await derive('secret', salt, 32, cheap)).toHaveLength(32)
  })

  it.each(['1', '2', '4'])(
    'AUTH-6: let a thread pool of size %s read files and resolve host names while hashes wait',
    async (UV_THREADPOOL_SIZE) => {
      const { stdout, stderr } = await run([], { UV_THREADPOOL_SIZE })
      const [meanwhile, end] = stdout.trim().split('\n').map(Number)
      expect(meanwhile).toBeLessThan(8)
      // The process waits until its hashes are done, and then exits.
      expect([end, stderr]).toEqual([8, ''])
    },
  )

  it('AUTH-6: do not run the modules that the process preloads', async () => {
    const code = `import { isMainThread } from 'node:worker_threads'; console.log(isMainThread ? 'main' : 'thread')`
    const preload = `--import=data:text/javascript,${encodeURIComponent(code)}`
    const { stdout } = await run([preload], { NODE_OPTIONS: preload })
    expect(stdout).toContain('main')
    expect(stdout).not.toContain('thread')
  })

  it('AUTH-6: if one of the threads ends, only one hash fails, with a 503', async () => {
    let onWorker: (thread: Worker) => void = () => {}
    // The process emits "worker" before the thread can be online, so the listener for "online" is
    // added in time.
    const online = new Promise<Worker>((resolve) => {
      onWorker = (thread) => void thread.once('online', () => resolve(thread))
    })
    process.on('worker', onWorker)
    try {
      const some = Array.from({ length: maxConcurrentHashes + 1 }, () => derive('a', salt, 32, { ln: 15, r: 8, p: 8 }))
      const thread = await online
      await thread.terminate()
      const ended = await Promise.allSettled(some)
      const failed = ended.filter((one) => one.status === 'rejected')
      expect(failed.map((one) => one.reason)).toEqual([expect.objectContaining({ status: 503, code: 'unavailable' })])
      expect(await derive('a', salt, 32, cheap)).toHaveLength(32)
    } finally {
      process.off('worker', onWorker)
    }
  })
})
