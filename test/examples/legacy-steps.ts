/**
 * Serves the steps of examples/legacy in this process, and loads the clients of the example. Steps
 * and clients are CommonJS modules. From step 1 on, the steps use the built package.
 */
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Usage } from '../../src/usage/index.js'

export const require = createRequire(import.meta.url)
export const folder = (path: string): string => fileURLToPath(new URL(`../../examples/legacy/${path}`, import.meta.url))

type Clients = Readonly<Record<string, (base: string) => Promise<void>>>

export const oldClients = require(folder('clients/old.cjs')) as Clients
export const newClients = require(folder('clients/new.cjs')) as Clients
export const steps: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7]

/**
 * The clauses in the table of the README. `until` is the first step at which the service no longer
 * violates the clause. A clause with `until` 7 is violated until the old version ends.
 */
export const brokenClauses = [
  ...readFileSync(folder('README.md'), 'utf8').matchAll(/^\| ([A-Z]+-\d+) \| .+ \| (\d) \|$/gm),
].map(([, clause = '', until]) => ({
  clause,
  until: Number(until),
}))

/**
 * Dates for the end of version 1 at step 7: one in the future, as in the example, and one in the
 * past.
 */
export const endings = { ahead: '2999-01-01', past: '2025-07-02' }

export interface Served {
  readonly base: string
  readonly usage: Usage
  /** The number of requests so far. */
  requests(): number
  close(): Promise<void>
}

type CreateApp = (store: unknown, usage: Usage, settings?: { readonly sunset: string }) => RequestListener

/** Serves the app of one file of the example on a free port, with its own data and counts. */
export async function serve(file: string, sunset: string = endings.ahead): Promise<Served> {
  const { openStore } = require(folder('store.cjs')) as { openStore: () => unknown }
  const usage = (require(folder('counts.cjs')) as () => Usage)()
  const createApp = require(folder(file)) as CreateApp
  const server = createServer(createApp(openStore(), usage, { sunset }))
  let requests = 0
  server.prependListener('request', () => {
    requests += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    usage,
    requests: () => requests,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await usage.close()
    },
  }
}

export const serveStep = (step: number, sunset?: string): Promise<Served> => serve(`step-${step}/app.cjs`, sunset)
