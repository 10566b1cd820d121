import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { watchServices } from './test/strict/plugin.js'
import { withoutCaches } from './test/without-caches.js'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What each file of `npm test` may not share with others: it replaces modules, or looks at its whole process. */
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

/** The tests of high availability. TEST_HA=short selects those that take two minutes. */
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

// The processes of the tests inherit it, and the global set-up prints it.
process.env.TEST_SEED ||= String(randomInt(2 ** 31))

const plugins = [watchServices(), ...(process.env.TEST_CACHES === 'off' ? [withoutCaches()] : [])]

const shared = {
  setupFiles: ['test/seed.ts', 'test/strict/setup.ts'],
  testTimeout: 30_000,
  // The first embedded database of a process takes its time to start where the machine is busy.
  hookTimeout: 60_000,
  // One more than there are cores: most of what takes long here waits for servers and processes.
  maxWorkers: availableParallelism() + 1,
}

export default defineConfig({
  test: {
    ...shared,
    // Here and not in the projects, each of which would run it again.
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
          // Files share a process and its modules: loading them takes longer than most files.
          isolate: false,
        },
      },
      { resolve: { alias }, plugins, test: { ...shared, name: 'alone', include: alone } },
      // Programs that npm does not bring: `npm run test:ha` alone runs it.
      { resolve: { alias }, plugins, test: { ...shared, name: 'ha', include: haFiles, fileParallelism: false } },
      {
        resolve: { alias },
        plugins,
        test: {
          ...shared,
          name: 'long',
          include: [long],
          testTimeout: 180_000,
          // TEST_LONG=short makes fewer runs, and tries a share of the cases, in a quarter of an hour.
          env: { TEST_SIZE: process.env.TEST_LONG === 'short' ? 'short' : 'long' },
        },
      },
    ],
  },
})
