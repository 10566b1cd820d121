/** The steps of examples/legacy as servers in this process, and the clients that run against them. They are CommonJS, over the built package. */
import { existsSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export const require = createRequire(import.meta.url)
export const folder = (path: string): string => fileURLToPath(new URL(`../../examples/legacy/${path}`, import.meta.url))

export type Clients = Readonly<Record<string, (base: string) => Promise<void>>>

export const oldClients = require(folder('clients/old.cjs')) as Clients

/** The steps that there are, from 0 on. */
export const steps: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7].filter((step) => existsSync(folder(`step-${step}/app.cjs`)))

export interface Step {
  readonly base: string
  close(): Promise<void>
}

/** The service of a step with data of its own. */
export async function startStep(step: number, ...options: unknown[]): Promise<Step> {
  const { openStore } = require(folder('store.cjs')) as { openStore: () => unknown }
  const createApp = require(folder(`step-${step}/app.cjs`)) as (...given: unknown[]) => RequestListener
  const server = createServer(createApp(openStore(), ...options))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
