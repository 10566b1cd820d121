/** Replaces the library's `api` and `resourceRouter` with watched ones in every import. */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The modules that create services, and their replacements. */
const replaced: ReadonlyMap<string, string> = new Map([
  [file('../../src/router/api.ts'), file('./api.ts')],
  [file('../../src/router/resource-router.ts'), file('./resource-router.ts')],
])
const stand: ReadonlySet<string> = new Set(replaced.values())

/** Compares the responses of every service that a test creates with its document. */
export const watchServices = (): Plugin => ({
  name: 'watch-services',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (importer === undefined || stand.has(importer) || !/\/(?:api|resource-router)\.js$/.test(source)) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return (found && replaced.get(found.id)) ?? null
  },
})
