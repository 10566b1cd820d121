/**
 * Runs the tests with all caches off: `TEST_CACHES=off npm test`. Every test that passes with
 * caches must also pass without them.
 */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

const caches = fileURLToPath(new URL('../src/cache.ts', import.meta.url))
const byDefault = 'constructor(on = true)'

/**
 * Turns caches off by default in every service and middleware. A test turns them on with `caches:
 * true`.
 */
export const withoutCaches = (): Plugin => ({
  name: 'without-caches',
  enforce: 'pre',
  transform(code, id) {
    if (id !== caches) return null
    if (!code.includes(byDefault)) throw new Error(`${caches} has no "${byDefault}" any more.`)
    return code.replace(byDefault, 'constructor(on = false)')
  },
})
