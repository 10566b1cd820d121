/** Puts a watched `api` and `resourceRouter` in the place of the library's own, for whatever imports them. */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** What makes services, and what stands in its place. */
const replaced: ReadonlyMap<string, string> = new Map([
  [file('../../src/router/api.ts'), file('./api.ts')],
  [file('../../src/router/resource-router.ts'), file('./resource-router.ts')],
])
const stand: ReadonlySet<string> = new Set(replaced.values())

/** Every service that a test makes is one whose answers are compared with its document. */
export const watchServices = (): Plugin => ({
  name: 'watch-services',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (importer === undefined || stand.has(importer) || !/\/(?:api|resource-router)\.js$/.test(source)) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return (found && replaced.get(found.id)) ?? null
  },
})
