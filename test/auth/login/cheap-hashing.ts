/** Passwords whose hashing costs next to nothing, for tests of the code around it. */
import { randomBytes, scryptSync } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll } from 'vitest'
import { type Cost, formatPasswordHash } from '../../../src/auth/login/password-hash.js'

const cheap = { N: 2, p: 1 }

/**
 * For all tests of the file, threads hash with N = 2, regardless of what the stored hash specifies.
 * So no password matches a hash that was made elsewhere.
 */
export function hashCheaply(): void {
  const send = Worker.prototype.postMessage
  beforeAll(() => {
    // Not a spy: `restoreAllMocks()` in a test would remove it.
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

/** A stored hash of any strength. Its password matches while `hashCheaply()` is in effect. */
export function cheapHash(password: string, cost: Cost): string {
  const salt = randomBytes(16)
  return formatPasswordHash({ ...cost, salt, hash: scryptSync(password, salt, 32, { r: cost.r, ...cheap }) })
}
