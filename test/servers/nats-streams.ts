/**
 * Gives each test file that uses NATS a stream name that no other test file and no other run uses.
 */
import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The NATS server of this run. `line` says how it was found, or why there is none. */
    nats: { readonly url: string | undefined; readonly line: string }
  }
}

/**
 * The URL of the NATS server of this run. If there is none, throws an error, which fails the test.
 */
export function natsUrl(): string {
  const { url, line } = inject('nats')
  if (url === undefined) throw new Error(line)
  return url
}

/** Returns an unused stream name, and the prefix for the subjects of the stream. */
export function freshStream(): { stream: string; subject: string } {
  const id = randomBytes(6).toString('hex')
  return { stream: `ERC_TEST_${id}`, subject: `erc_test_${id}` }
}
