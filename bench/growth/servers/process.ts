/** A server of a curve in a process of its own, run with `--expose-gc`: what it serves, what that took to set up, and what it has used and holds so far. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { loadBuilt } from './built.js'
import { serve } from './index.js'
import type { Serving } from './serving.js'

export type ToServer = { readonly start: { readonly checkout: string; readonly serving: Serving } } | 'usage' | 'memory'

export interface Started {
  readonly port: number
  /** Milliseconds of CPU in which everything was declared, filled and mounted, and bytes of the heap that it took. */
  readonly setUp: { readonly cpu: number; readonly heap: number }
}

/** Bytes, once everything is collected that nobody holds. */
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

/** Whoever asked may be gone by now. */
const tell = (message: FromServer): void => void process.send?.(message, undefined, undefined, () => {})

process.on('message', async (message: ToServer) => {
  try {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage()
      tell({ used: { cpu: user + system, calls: callsSoFar() } })
    } else if (message === 'memory') tell({ held: await held() })
    else await start(message.start)
  } catch (error) {
    tell({ failed: (error as Error).stack ?? String(error) })
  }
})

async function start({ checkout, serving }: { readonly checkout: string; readonly serving: Serving }): Promise<void> {
  const built = await loadBuilt(checkout)
  // What the first resource of all brings with it is not the cost of those that follow.
  serve({ kind: 'many', by: 'api', resources: 1 }, built)
  const before = (await held()).heap
  const began = process.cpuUsage()
  const { server, calls } = serve(serving, built)
  const { user, system } = process.cpuUsage(began)
  callsSoFar = calls
  const { heap } = await held()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  tell({ port: (server.address() as AddressInfo).port, setUp: { cpu: (user + system) / 1000, heap: heap - before } })
}

/** Twice, with a turn between: what a finalizer lets go of goes with the second. */
async function held(): Promise<Held> {
  if (globalThis.gc === undefined) throw new Error('The server runs without --expose-gc.')
  globalThis.gc()
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, resident: rss }
}

// Ctrl-C reaches the whole group: it is the command that ends this process, when it has cleaned up or is gone.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
