/** For tests of what a cache saves: there is nothing to see where `TEST_CACHES=off` has switched caches off. */
import { describe, it } from 'vitest'

const off = process.env.TEST_CACHES === 'off'
export const itWithCaches = it.skipIf(off)
export const describeWithCaches = describe.skipIf(off)
