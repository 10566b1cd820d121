/** Starts a mock that listens in this process. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type MockOptions, mockService } from '../../src/mock/mock-service.js'
import { usualPrincipal } from '../../src/mock/visitors.js'

export interface Mocked {
  readonly base: string
  readonly notes: readonly string[]
  readonly paths: readonly { readonly path: string; readonly records: number }[]
  json(path: string, init?: RequestInit): Promise<unknown>
  ask(path: string, init?: RequestInit): Promise<Response>
}

export async function mocked(service: object, options: Partial<MockOptions> = {}): Promise<Mocked> {
  const notes: string[] = []
  const { listener, paths } = await mockService(service, {
    seed: 1,
    records: 25,
    data: {},
    visitors: { auth: 'off', principal: usualPrincipal, isNamed: false },
    note: (text) => notes.push(text),
    ...options,
  })
  const server = createServer((req: IncomingMessage, res) => listener(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(path.startsWith('http') ? path : base + path, { redirect: 'manual', ...init })
  return { base, notes, paths, ask, json: async (path, init) => (await ask(path, init)).json() }
}
