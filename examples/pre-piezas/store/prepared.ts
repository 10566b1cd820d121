/**
 * An empty PGlite database in a file. Creating a database takes seconds and much memory, but
 * loading one from the file does not. `npm start` creates the file before it starts the service.
 * The service also works without the file.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The path of the file, next to the built module. Each version of PGlite has its own file. */
export function preparedFile(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = createRequire(entry)('../package.json') as { version: string }
  return fileURLToPath(new URL(`./pglite-${version}.tar.gz`, import.meta.url))
}

/**
 * The options of `PGlite.create` for a new database, which is loaded from the file if the file
 * exists.
 */
export function fromPrepared(file: string): { loadDataDir?: Blob } {
  return existsSync(file) ? { loadDataDir: new Blob([readFileSync(file)]) } : {}
}
