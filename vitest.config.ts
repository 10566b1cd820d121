import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { watchServices } from './test/strict/plugin.js'
import { withoutCaches } from './test/without-caches.js'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Test files of `npm test` that run in a process of their own, because they replace modules or
 * inspect the whole process.
 */
const alone = [
  'test/promise.test.ts',
  'test/router/unawaited.test.ts',
  'test/auth/login/equal-work.test.ts',
  'test/auth/login/no-threads.test.ts',
  'test/auth/login/waiting.test.ts',
  'test/caching/remembered.test.ts',
  'test/clauses/hooks.test.ts',
  'test/clauses/hostile.test.ts',
  'test/limits/redis.test.ts',
  'test/representation/xml-reader.test.ts',
  'test/server/hostile.test.ts',
  'test/timeout.test.ts',
]

const long = 'test/**/*.long.test.ts'

/**
 * The tests of high availability. `TEST_HA=short` runs only some of them, in about a minute and a
 * half.
 */
const haFiles = ['test/ha/**/*.ha.ts', ...(process.env.TEST_HA === 'short' ? [] : ['test/ha/**/*.ha-long.ts'])]

const alias = [
  { find: /^express-rest-conventions$/, replacement: source('src/index.ts') },
  { find: /^express-rest-conventions\/auth$/, replacement: source('src/auth/index.ts') },
  { find: /^express-rest-conventions\/conformance$/, replacement: source('src/check/index.ts') },
  { find: /^express-rest-conventions\/docs$/, replacement: source('src/docs/index.ts') },
  { find: /^express-rest-conventions\/memory$/, replacement: source('src/adapters/memory/index.ts') },
  { find: /^express-rest-conventions\/middleware$/, replacement: source('src/middleware/index.ts') },
  { find: /^express-rest-conventions\/mock$/, replacement: source('src/mock/index.ts') },
  { find: /^express-rest-conventions\/openapi$/, replacement: source('src/openapi/index.ts') },
  { find: /^express-rest-conventions\/postgres$/, replacement: source('src/adapters/postgres/index.ts') },
  { find: /^express-rest-conventions\/server$/, replacement: source('src/server/index.ts') },
  { find: /^express-rest-conventions\/spectral$/, replacement: source('src/spectral/index.ts') },
  { find: /^express-rest-conventions\/testing$/, replacement: source('src/testing/index.ts') },
  { find: /^express-rest-conventions\/transfer$/, replacement: source('src/transfer/index.ts') },
  { find: /^express-rest-conventions\/usage$/, replacement: source('src/usage/index.ts') },
]

// Test processes inherit the seed, and the global set-up prints it.
process.env.TEST_SEED ||= String(randomInt(2 ** 31))

const plugins = [watchServices(), ...(process.env.TEST_CACHES === 'off' ? [withoutCaches()] : [])]

const shared = {
  setupFiles: ['test/seed.ts', 'test/strict/setup.ts'],
  testTimeout: 30_000,
  // On a busy machine, the first embedded database of a process starts slowly.
  hookTimeout: 60_000,
  // One worker more than there are cores, because slow tests mostly wait for servers and processes.
  maxWorkers: availableParallelism() + 1,
}

export default defineConfig({
  test: {
    ...shared,
    // Set only here, because each project would otherwise run it again.
    globalSetup: ['test/global-setup.ts'],
    projects: [
      {
        resolve: { alias },
        plugins,
        test: {
          ...shared,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [long, ...alone],
          // Files share a process and its modules, because loading the modules takes longer than
          // most files.
          isolate: false,
        },
      },
      { resolve: { alias }, plugins, test: { ...shared, name: 'alone', include: alone } },
      // Only `npm run test:ha` runs this project, because it needs programs that npm does not
      // install.
      { resolve: { alias }, plugins, test: { ...shared, name: 'ha', include: haFiles, fileParallelism: false } },
      {
        resolve: { alias },
        plugins,
        test: {
          ...shared,
          name: 'long',
          include: [long],
          testTimeout: 180_000,
          // `TEST_LONG=short` repeats tests less often and tests only some of the cases. It takes a
          // quarter of an hour.
          env: { TEST_SIZE: process.env.TEST_LONG === 'short' ? 'short' : 'long' },
        },
      },
    ],
  },
})
