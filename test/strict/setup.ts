/** Before each file: every answer of every service in it has to fit the document of its service. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect } from 'vitest'
import { takeFaults } from './judge.js'
import { watchResponses } from './watch.js'

watchResponses()

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = relative(root, expect.getState().testPath ?? '').replaceAll('\\', '/')
const mostShown = 20

async function check(): Promise<void> {
  const faults = await takeFaults(file)
  if (faults.length === 0) return
  const more = faults.length > mostShown ? [`... and ${faults.length - mostShown} more`] : []
  throw new Error(
    [
      `${file}: answers that the documents of their services do not describe:`,
      ...faults.slice(0, mostShown),
      ...more,
    ].join('\n- '),
  )
}

afterEach(check)
// What was answered after the last test, while the file closed its services.
afterAll(check)
