/**
 * Replaces `api` and `resourceRouter` of `src`, wherever they are imported. The replacements watch
 * the responses of services, so that the tests can compare them with the OpenAPI documents.
 */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The modules that create services, and their replacements. */
const replaced: ReadonlyMap<string, string> = new Map([
  [file('../../src/router/api.ts'), file('./api.ts')],
  [file('../../src/router/resource-router.ts'), file('./resource-router.ts')],
])
const standIns: ReadonlySet<string> = new Set(replaced.values())

/**
 * Returns a Vitest plugin. With it, the tests compare the responses of each service with the
 * OpenAPI document of that service.
 */
export const watchServices = (): Plugin => ({
  name: 'watch-services',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (importer === undefined || standIns.has(importer) || !/\/(?:api|resource-router)\.js$/.test(source)) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return (found && replaced.get(found.id)) ?? null
  },
})
