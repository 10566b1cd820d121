/** Makes the hashing of passwords very cheap, for tests of the code around it. */
import { randomBytes, scryptSync } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll } from 'vitest'
import { type Cost, formatPasswordHash } from '../../../src/auth/login/password-hash.js'

const cheap = { N: 2, p: 1 }

/**
 * In all tests of the file that calls this function, the threads hash with N = 2 and p = 1,
 * whatever cost the stored hash specifies. So a password matches only stored hashes that were also
 * created with N = 2 and p = 1, for example by `cheapHash()`.
 */
export function hashCheaply(): void {
  const send = Worker.prototype.postMessage
  beforeAll(() => {
    // The method is replaced without a spy, because `restoreAllMocks()` in a test would remove a
    // spy.
    Worker.prototype.postMessage = function (this: Worker, message: { options?: object }) {
      send.call(
        this,
        message.options === undefined ? message : { ...message, options: { ...message.options, ...cheap } },
      )
    }
  })
  afterAll(() => {
    Worker.prototype.postMessage = send
  })
}

/**
 * Creates a stored hash that specifies the given cost. The password matches it while
 * `hashCheaply()` is in effect.
 */
export function cheapHash(password: string, cost: Cost): string {
  const salt = randomBytes(16)
  return formatPasswordHash({ ...cost, salt, hash: scryptSync(password, salt, 32, { r: cost.r, ...cheap }) })
}
