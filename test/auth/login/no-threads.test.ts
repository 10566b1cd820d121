import { randomBytes, scryptSync } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { derive } from '../../../src/auth/login/scrypt-threads.js'

let fails: 'at once' | 'before it runs' = 'at once'
vi.mock('node:worker_threads', () => ({
  /** A worker thread that fails to start. */
  Worker: class extends EventEmitter {
    constructor() {
      super()
      if (fails === 'at once') throw new Error('ERR_ACCESS_DENIED')
      setImmediate(() => {
        this.emit('error', new Error('ERR_WORKER_INIT_FAILED'))
        this.emit('exit', 1)
      })
    }
    ref() {}
    unref() {}
    postMessage() {}
  },
}))

it.each(['at once', 'before it runs'] as const)(
  'AUTH-6: if a worker thread fails %s, the thread pool of Node computes the hash',
  async (how) => {
    fails = how
    const salt = randomBytes(16)
    const expected = scryptSync('a', salt, 32, { N: 1024, r: 8, p: 1 })
    const hashes = await Promise.all(Array.from({ length: 4 }, () => derive('a', salt, 32, { ln: 10, r: 8, p: 1 })))
    for (const hash of hashes) expect(hash).toEqual(expected)
  },
)
