/**
 * Finds Swagger UI, an optional peer dependency. Its script and style sheet are served unchanged.
 */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { invalidOption } from '../options/check.js'
import type { DocsAsset } from '../plan/docs-pages.js'
import type { ConfigurationError } from '../problem.js'

/** Finds a file of a package, as `require.resolve` does. */
export type Resolve = (id: string) => string

/** The first major version of Swagger UI that supports OpenAPI 3.1. */
const oldest = 5

/** The files of the package that the console loads. No other files of the package are served. */
const files: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
}

/**
 * Returns the assets of Swagger UI by name. Throws `ConfigurationError` if Swagger UI is not
 * installed, too old or incomplete.
 */
export function swaggerUiAssets(
  resolve: Resolve = createRequire(import.meta.url).resolve,
): readonly (readonly [name: string, asset: DocsAsset])[] {
  const folder = folderOf(resolve)
  return Object.entries(files).map(([name, mediaType]) => {
    const path = join(folder, name)
    if (!existsSync(path)) throw unfit(`${name} of swagger-ui-dist; it is not in ${folder}`)
    return [name, { mediaType, read: async () => ({ body: await readFile(path) }) }]
  })
}

function folderOf(resolve: Resolve): string {
  let manifest: string
  try {
    manifest = resolve('swagger-ui-dist/package.json')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw unfit('the package swagger-ui-dist, which is not installed')
  }
  const { version = '0' } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version?: string }
  if (Number.parseInt(version, 10) < oldest) throw unfit(`swagger-ui-dist ${oldest} or later; ${version} is installed`)
  return dirname(manifest)
}

const unfit = (needed: string): ConfigurationError =>
  invalidOption(`docsPages() with the option "console" needs ${needed}. Run npm i swagger-ui-dist.`)
