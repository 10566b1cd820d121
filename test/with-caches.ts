/** For tests of what a cache saves: there is nothing to see where `TEST_CACHES=off` has switched caches off. */
import { it } from 'vitest'

export const itWithCaches = it.skipIf(process.env.TEST_CACHES === 'off')
