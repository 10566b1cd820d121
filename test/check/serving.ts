/** Servers for checks, on free ports of the loopback interface. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CheckReport } from '../../src/check/index.js'

export interface Serving {
  readonly origin: string
  close(): Promise<void>
}

/** `port`: default a free one. */
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

/** The breaks of a report: check, place, expected and seen. */
export const faultsOf = ({ results }: CheckReport): readonly string[] =>
  results.flatMap(({ check, where, outcome }) =>
    outcome.verdict === 'breaks' || outcome.verdict === 'flaky'
      ? [`${check} ${where}: expected ${outcome.expected}; seen ${outcome.seen}`]
      : [],
  )
