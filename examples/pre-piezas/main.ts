/** Starts the service: `npm start`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generate } from './data/generator.js'
import { greeting } from './greeting.js'
import { createService } from './service.js'
import { readSettings, SettingError, type Settings } from './settings.js'
import { endOnSignals } from './shutdown.js'

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

function settingsOrFail(): Settings {
  try {
    return readSettings(process.env)
  } catch (error) {
    if (error instanceof SettingError) fail(error.message)
    throw error
  }
}

const settings = settingsOrFail()
const data = generate(settings.seedSize)
const { app, ready } = createService(settings, data)
await ready()

const server = createServer(app)
server.on('error', (error: NodeJS.ErrnoException) =>
  fail(
    error.code === 'EADDRINUSE'
      ? `Port ${settings.port} is in use: set PORT to another, or to 0 for a free one.`
      : `Can not listen on port ${settings.port}: ${error.message}.`,
  ),
)
endOnSignals(server)
server.listen(settings.port, () => {
  const { port } = server.address() as AddressInfo
  console.log(greeting(settings.baseUrl ?? `http://localhost:${port}`, data))
})
