/**
 * The process of one server. It receives its options, and reports its port. On request, it reports
 * its CPU time so far and its memory.
 */
import type { AddressInfo } from 'node:net'
import { startServer } from './index.js'
import type { Setting } from './setting.js'

export type ToServer = { readonly start: Setting } | 'usage'
export type FromServer =
  | { readonly port: number }
  | { readonly cpu: number; readonly memory: number }
  | { readonly failed: string }

const post = (message: FromServer): void => void process.send?.(message)

process.on('message', async (message: ToServer) => {
  try {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage()
      post({ cpu: user + system, memory: process.memoryUsage.rss() })
      return
    }
    const server = await startServer(message.start)
    server.listen(0, '127.0.0.1', () => post({ port: (server.address() as AddressInfo).port }))
  } catch (error) {
    post({ failed: (error as Error).stack ?? String(error) })
  }
})

// Ctrl-C sends SIGINT to the whole process group. This process ignores the signal. It exits when
// the benchmark disconnects from it or ends.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
