/** Once, before all tests: builds the library and the example for those that look at what is shipped, and finds a PostgreSQL. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import './servers/databases.js'
import { findPostgres } from './servers/find-postgres.js'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync('npm', ['run', '--silent', 'prestart'], { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' })
  // Without one this throws and no test runs: what is held over PostgreSQL is never skipped.
  const { url, version, line, release } = await findPostgres()
  console.log(line)
  project.provide('postgres', { url, version })
  return release
}
