/** Runs a process that serves requests: the only process, or a worker of `workers.ts`. */
import cluster from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { createServer } from 'express-rest-conventions/server'
import { openAccess } from './access.js'
import { openCounters } from './counters.js'
import { greeting } from './greeting.js'
import { createService } from './service.js'
import { SettingError, type Settings } from './settings.js'
import type { Running } from './shutdown.js'
import { openStores } from './store/stores.js'
import { workersSharePort } from './workers.js'

/**
 * Opens the stores, starts the server, and prints the greeting. A worker sends the greeting to the
 * primary process instead. `started` is called with the parts that must be closed on a signal.
 * Throws `SettingError` if a setting can't be used.
 */
export async function serve(settings: Settings, started: (running: Running) => void): Promise<void> {
  const access = await openAccess(settings)
  const stores = await openStores(settings)
  const counters = await openCounters(settings)
  const { app, ready } = createService(settings, { stores, access, counters })
  await ready()
  const close = async (): Promise<void> => {
    counters.close()
    await stores.close()
  }
  const server = createServer(app)
  started({ server, close, drain: settings.drain })
  const { port } = settings
  await new Promise<void>((resolve, reject) => {
    server.once('error', async (error: NodeJS.ErrnoException) => {
      await close()
      reject(
        new SettingError(
          error.code === 'EADDRINUSE'
            ? `Port ${port} is in use: set PORT to another, or to 0 for a free one.`
            : `Cannot listen on port ${port}: ${error.message}.`,
        ),
      )
    })
    server.listen({ port, ...(cluster.isWorker && workersSharePort(port) ? { reusePort: true } : {}) }, resolve)
  })
  const listening = (server.address() as AddressInfo).port
  const text = await greeting(settings.baseUrl ?? `http://localhost:${listening}`, stores, access)
  // The primary process prints the greeting of one worker.
  if (cluster.isWorker) process.send?.(text)
  else console.log(text)
}
