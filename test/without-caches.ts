/**
 * Runs the tests with caches off: `TEST_CACHES=off npm test`. The tests must also pass without
 * caches. Only tests that use `with-caches.ts` are skipped.
 */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

const caches = fileURLToPath(new URL('../src/cache.ts', import.meta.url))
const byDefault = 'constructor(on = true)'

/**
 * Turns caches off by default in services and middleware. The option `caches: true` turns them on.
 */
export const withoutCaches = (): Plugin => ({
  name: 'without-caches',
  enforce: 'pre',
  transform(code, id) {
    if (id !== caches) return null
    if (!code.includes(byDefault))
      throw new Error(`${caches} no longer contains "${byDefault}". Change the text in test/without-caches.ts.`)
    return code.replace(byDefault, 'constructor(on = false)')
  },
})
