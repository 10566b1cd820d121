/** Hashings wait for each other: a flood of logins must not take the thread pool that files and DNS need too, nor the memory (AUTH-6). */
import { scrypt } from 'node:crypto'
import { HttpProblem, Unavailable } from '../../problem.js'
import { type Cost, memoryOf } from './password-hash.js'

/** Hashings at a time: half of the four threads that Node has unless told otherwise. */
const lanes = 2

/** Hashings that may wait: some four seconds' worth. */
const longestQueue = 64

const waiting: (() => void)[] = []
let running = 0

/**
 * Runs hashings when it is their turn. Throws `Unavailable` (503) where too many wait. `hasLeft`: whether nobody waits for it any more; asked when the turn comes, so that who
 * sends logins and hangs up holds up nobody.
 */
export async function inTurn<T>(work: () => Promise<T>, hasLeft: () => boolean = () => false): Promise<T> {
  if (running >= lanes) {
    if (waiting.length >= longestQueue)
      throw new Unavailable({ detail: 'Too many passwords are being checked at once. Try again in a moment.', retryAfter: 2 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    if (hasLeft()) throw new HttpProblem('bad-request', { detail: 'The client went away.' })
    return await work()
  } finally {
    // The turn is handed on as it is: nobody who comes just now gets in between.
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** One scrypt (RFC 7914). Call it in turn. */
export function derive(password: string, salt: Buffer, length: number, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln
  // Node's own limit would refuse today's parameters; OpenSSL counts a little more than the standard's memory.
  const maxmem = memoryOf({ ln, r, p }) + 1024 * 1024
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, { N, r, p, maxmem }, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
