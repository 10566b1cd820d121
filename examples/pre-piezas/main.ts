/** Starts the service: `npm start`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationError } from 'express-rest-conventions'
import { greeting } from './greeting.js'
import { createService } from './service.js'
import { readSettings, SettingError } from './settings.js'
import { endOnSignals } from './shutdown.js'
import { openStores } from './store/stores.js'

async function start(): Promise<void> {
  const settings = readSettings(process.env)
  const stores = await openStores(settings)
  const { app, ready } = createService(settings, stores)
  await ready()

  const server = createServer(app)
  server.on('error', async (error: NodeJS.ErrnoException) => {
    await stores.close()
    fail(
      error.code === 'EADDRINUSE'
        ? `Port ${settings.port} is in use: set PORT to another, or to 0 for a free one.`
        : `Can not listen on port ${settings.port}: ${error.message}.`,
    )
  })
  endOnSignals(server, stores.close)
  server.listen(settings.port, async () => {
    const { port } = server.address() as AddressInfo
    console.log(await greeting(settings.baseUrl ?? `http://localhost:${port}`, stores))
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
