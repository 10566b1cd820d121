/**
 * A server of a curve in a process of its own, run with `--expose-gc`: reports its address, the
 * cost of its setup, and its current CPU and memory.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { loadBuilt } from './built.js'
import { serve } from './index.js'
import type { Serving } from './serving.js'

export type ToServer = { readonly start: { readonly checkout: string; readonly serving: Serving } } | 'usage' | 'memory'

export interface Started {
  readonly port: number
  /** Milliseconds of CPU to declare, fill and mount everything, and bytes of the heap. */
  readonly setUp: { readonly cpu: number; readonly heap: number }
}

/** Bytes after a garbage collection. */
export interface Held {
  readonly heap: number
  readonly resident: number
}

/** Microseconds of the whole process. */
export interface Used {
  readonly cpu: number
  readonly calls: number
}

export type FromServer = Started | { readonly held: Held } | { readonly used: Used } | { readonly failed: string }

let callsSoFar = (): number => 0

/** The parent process may have ended. */
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
  // The one-time cost of the first resource does not belong to those that follow.
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

/** Twice, with a turn between: the second collection frees what finalizers have released. */
async function held(): Promise<Held> {
  if (globalThis.gc === undefined) throw new Error('The server runs without --expose-gc.')
  globalThis.gc()
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, resident: rss }
}

// Ctrl-C reaches the whole process group, but only the command ends this process, after its cleanup
// or when it has ended itself.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
