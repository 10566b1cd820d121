/** Starts the service: `npm start`. */
import type { AddressInfo } from 'node:net'
import { ConfigurationError } from 'express-rest-conventions'
import { createServer } from 'express-rest-conventions/server'
import { openAccess } from './access.js'
import { openCounters } from './counters.js'
import { greeting } from './greeting.js'
import { createService } from './service.js'
import { readSettings, SettingError } from './settings.js'
import { endOnSignals } from './shutdown.js'
import { openStores } from './store/stores.js'

async function start(): Promise<void> {
  const started = endOnSignals()
  const settings = readSettings(process.env)
  const access = await openAccess(settings)
  const stores = await openStores(settings)
  const counters = await openCounters(settings.redisUrl)
  const { app, ready } = createService(settings, { stores, access, counters })
  await ready()
  const close = async (): Promise<void> => {
    counters.close()
    await stores.close()
  }

  const server = createServer(app)
  server.on('error', async (error: NodeJS.ErrnoException) => {
    await close()
    fail(
      error.code === 'EADDRINUSE'
        ? `Port ${settings.port} is in use: set PORT to another, or to 0 for a free one.`
        : `Can not listen on port ${settings.port}: ${error.message}.`,
    )
  })
  started({ server, close, drain: settings.drain })
  server.listen(settings.port, async () => {
    const { port } = server.address() as AddressInfo
    console.log(await greeting(settings.baseUrl ?? `http://localhost:${port}`, stores, access))
  })
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

start().catch((error: unknown) => {
  // What the operator can mend is said in one line.
  if (error instanceof SettingError || error instanceof ConfigurationError) fail(error.message)
  throw error
})
