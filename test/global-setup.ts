/**
 * Runs once, before all tests. It builds the package and the examples, and finds the servers that
 * tests need.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import './servers/databases.js'
import './servers/nats-streams.js'
import './servers/redis-stores.js'
import { findNats } from './servers/find-nats.js'
import { findPostgres } from './servers/find-postgres.js'
import { findRedis } from './servers/find-redis.js'
import { pgliteFiles } from './servers/pglite.js'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const built = promisify(execFile)('npm', ['run', '--silent', 'prestart'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  console.log(`Property tests: TEST_SEED=${process.env.TEST_SEED}.`)
  // A development dependency contains PostgreSQL, and no test runs without PostgreSQL. No
  // dependency contains Redis or NATS. If one of them is missing, only the tests that need it fail,
  // and the error says why.
  const redis = await findRedis().catch((error: Error) => ({
    line: error.message,
    url: undefined,
    release: async () => {},
  }))
  console.log(redis.line)
  project.provide('redis', { url: redis.url, line: redis.line })
  const nats = await findNats().catch((error: Error) => ({
    line: error.message,
    url: undefined,
    release: async () => {},
  }))
  console.log(nats.line)
  project.provide('nats', { url: nats.url, line: nats.line })
  const releases = [redis.release, nats.release]
  const release = async (): Promise<void> => {
    await Promise.all(releases.map((one) => one()))
  }
  try {
    const postgres = await findPostgres()
    releases.push(postgres.release)
    console.log(postgres.line)
    project.provide('postgres', { url: postgres.url, version: postgres.version })
    const pglite = await pgliteFiles()
    releases.push(pglite.release)
    project.provide('pglite', pglite.path)
    await built
  } catch (error) {
    await Promise.allSettled([release(), built])
    throw error
  }
  return release
}
