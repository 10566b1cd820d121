/** Starts the service: `npm start`. */
import cluster from 'node:cluster'
import { ConfigurationError } from 'express-rest-conventions'
import { serve } from './serve.js'
import { readSettings, SettingError } from './settings.js'
import { endOnSignals } from './shutdown.js'
import { supervise } from './workers.js'

async function start(): Promise<void> {
  const settings = readSettings(process.env)
  const { workers = 1 } = settings
  if (cluster.isPrimary && workers > 1) return supervise(settings, workers)
  await serve(settings, endOnSignals())
}

start().catch((error: unknown) => {
  // Errors that the operator can fix are printed as one line.
  if (!(error instanceof SettingError || error instanceof ConfigurationError)) throw error
  console.error(error.message)
  process.exit(1)
})
