/**
 * Runs before each test file. The responses in the file must match the OpenAPI documents of their
 * services, apart from the exceptions in `exceptions.ts`.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect } from 'vitest'
import { takeFaults } from './judge.js'
import { watchResponses } from './watch.js'

watchResponses()

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = relative(root, expect.getState().testPath ?? '').replaceAll('\\', '/')
const maxShown = 20

async function check(): Promise<void> {
  const faults = await takeFaults(file)
  if (faults.length === 0) return
  const more = faults.length > maxShown ? [`... and ${faults.length - maxShown} more`] : []
  throw new Error(
    [
      `${file}: responses that the documents of their services do not describe:`,
      ...faults.slice(0, maxShown),
      ...more,
    ].join('\n- '),
  )
}

afterEach(check)
// Also compares the responses that are sent after the last test, while the file closes its
// services.
afterAll(check)
