import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^express-rest-conventions$/, replacement: source('src/index.ts') },
      { find: /^express-rest-conventions\/memory$/, replacement: source('src/adapters/memory/index.ts') },
      { find: /^express-rest-conventions\/postgres$/, replacement: source('src/adapters/postgres/index.ts') },
      { find: /^express-rest-conventions\/server$/, replacement: source('src/server/index.ts') },
      { find: /^express-rest-conventions\/testing$/, replacement: source('src/testing/index.ts') },
      { find: /^express-rest-conventions\/transfer$/, replacement: source('src/transfer/index.ts') },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.long.test.ts'],
          // Files share a process and its modules: loading them takes longer than most files.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'long', include: ['test/**/*.long.test.ts'], env: { TEST_SIZE: 'long' } } },
    ],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 30_000,
    // The first embedded database of a process takes its time to start where the machine is busy.
    hookTimeout: 60_000,
    // Most of what takes long here waits for servers and processes.
    maxWorkers: Math.max(2, availableParallelism()),
  },
})
