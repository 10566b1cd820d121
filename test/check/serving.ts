/** Servers for the tests of the checks, on free ports of the loopback interface. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckReport } from '../../src/check/index.js'

export interface Serving {
  readonly origin: string
  close(): Promise<void>
}

/** Starts a server on the port, by default on a free port. */
export async function serving(listener: RequestListener, port = 0): Promise<Serving> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Describes each violation of a report: the check, the path, the expected and the actual result.
 */
export const violationTexts = ({ results }: CheckReport): readonly string[] =>
  results.flatMap(({ check, where, outcome }) =>
    outcome.verdict === 'breaks' || outcome.verdict === 'flaky'
      ? [`${check} ${where}: expected ${outcome.expected}; seen ${outcome.seen}`]
      : [],
  )
