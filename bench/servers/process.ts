/** A server in a process of its own: told what to serve, it says where it listens, and what it has used so far. */
import type { AddressInfo } from 'node:net'
import type { Setting } from './ground.js'
import { startServer } from './index.js'

export type ToServer = { readonly start: Setting } | 'usage'
export type FromServer =
  | { readonly port: number }
  | { readonly cpu: number; readonly memory: number }
  | { readonly failed: string }

const tell = (message: FromServer): void => void process.send?.(message)

process.on('message', async (message: ToServer) => {
  try {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage()
      tell({ cpu: user + system, memory: process.memoryUsage.rss() })
      return
    }
    const server = await startServer(message.start)
    server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }))
  } catch (error) {
    tell({ failed: (error as Error).stack ?? String(error) })
  }
})

// Ctrl-C reaches the whole group: it is the benchmark that ends this process, when it has cleaned up or is gone.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
