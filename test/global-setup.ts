/** Once, before all tests: builds the library and the examples for those that look at what is shipped, and finds a PostgreSQL, a Redis and a NATS server. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import './servers/databases.js'
import './servers/nats-streams.js'
import './servers/redis-stores.js'
import { findNats } from './servers/find-nats.js'
import { findPostgres } from './servers/find-postgres.js'
import { findRedis } from './servers/find-redis.js'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync('npm', ['run', '--silent', 'prestart'], { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' })
  // Nothing is ever skipped: without a PostgreSQL, which npm brings, no test runs; without a Redis or a NATS server, which it does not bring, the tests over it
  // fail and say why.
  const redis = await findRedis().catch((error: Error) => ({ line: error.message, url: undefined, release: async () => {} }))
  console.log(redis.line)
  project.provide('redis', { url: redis.url, line: redis.line })
  const nats = await findNats().catch((error: Error) => ({ line: error.message, url: undefined, release: async () => {} }))
  console.log(nats.line)
  project.provide('nats', { url: nats.url, line: nats.line })
  const { url, version, line, release } = await findPostgres().catch(async (error: unknown) => {
    await Promise.all([redis.release(), nats.release()])
    throw error
  })
  console.log(line)
  project.provide('postgres', { url, version })
  return async () => {
    await Promise.all([release(), redis.release(), nats.release()])
  }
}
