/**
 * An empty database of PGlite in a file: making one takes seconds and much memory, loading one does not. `npm start` makes the file before it
 * starts the service, which works without it too.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Beside this module where it was built. Another version of PGlite has another file. */
export function preparedFile(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = createRequire(entry)('../package.json') as { version: string }
  return fileURLToPath(new URL(`./pglite-${version}.tar.gz`, import.meta.url))
}

/** Options of `PGlite.create` for a database that there is none of yet. */
export function fromPrepared(file: string): { loadDataDir?: Blob } {
  return existsSync(file) ? { loadDataDir: new Blob([readFileSync(file)]) } : {}
}
