/**
 * `it` and `describe` for tests that need caches. They skip the tests if `TEST_CACHES=off` turns
 * caches off.
 */
import { describe, it } from 'vitest'

const off = process.env.TEST_CACHES === 'off'
export const itWithCaches = it.skipIf(off)
export const describeWithCaches = describe.skipIf(off)
