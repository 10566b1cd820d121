/**
 * The process of one server of a curve (see `../curve.ts`). It runs with `--expose-gc`. It reports
 * its port and the cost of its set-up. On request, it reports its CPU time or its memory.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { loadBuilt } from './built.js'
import { serve } from './index.js'
import type { Serving } from './serving.js'

export type ToServer = { readonly start: { readonly checkout: string; readonly serving: Serving } } | 'usage' | 'memory'

export interface Started {
  readonly port: number
  /**
   * The CPU time (in milliseconds) and the heap (in bytes) for defining, filling and mounting all
   * resources.
   */
  readonly setUp: { readonly cpu: number; readonly heap: number }
}

/** Memory in bytes, after a garbage collection. */
export interface Held {
  readonly heap: number
  readonly resident: number
}

/**
 * CPU time of the whole process in microseconds, and the number of adapter calls, both since its
 * start. Only servers of the kind `linked` count adapter calls. For other servers, the number is 0.
 */
export interface Used {
  readonly cpu: number
  readonly calls: number
}

export type FromServer = Started | { readonly held: Held } | { readonly used: Used } | { readonly failed: string }

let callsSoFar = (): number => 0

/**
 * Sends a message to the parent process. The callback ignores the error if the parent has ended.
 */
const post = (message: FromServer): void => void process.send?.(message, undefined, undefined, () => {})

process.on('message', async (message: ToServer) => {
  try {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage()
      post({ used: { cpu: user + system, calls: callsSoFar() } })
    } else if (message === 'memory') post({ held: await held() })
    else await start(message.start)
  } catch (error) {
    post({ failed: (error as Error).stack ?? String(error) })
  }
})

async function start({ checkout, serving }: { readonly checkout: string; readonly serving: Serving }): Promise<void> {
  const built = await loadBuilt(checkout)
  // Sets up one resource first, so that one-time costs are not measured.
  serve({ kind: 'many', by: 'api', resources: 1 }, built)
  const before = (await held()).heap
  const began = process.cpuUsage()
  const { server, calls } = serve(serving, built)
  const { user, system } = process.cpuUsage(began)
  callsSoFar = calls
  const { heap } = await held()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  post({ port: (server.address() as AddressInfo).port, setUp: { cpu: (user + system) / 1000, heap: heap - before } })
}

/**
 * Returns the memory after two garbage collections, with a turn of the event loop in between. The
 * second collection frees the memory that finalizers have released.
 */
async function held(): Promise<Held> {
  if (globalThis.gc === undefined) throw new Error('The server runs without --expose-gc.')
  globalThis.gc()
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, resident: rss }
}

// Ctrl-C sends SIGINT to the whole process group. This process ignores the signal. It exits when
// the benchmark command disconnects from it or ends.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
