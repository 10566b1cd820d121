#!/usr/bin/env node
/** The program `express-rest-conventions`. */
import { runCommand } from './commands.js'
import { documentsOfModule, serviceOfModule } from './service-documents.js'
import { UsageError } from './usage-error.js'
import { reportAt, usageOfModule } from './usage-source.js'

/**
 * Ignores further errors of a refused module. The command refuses some modules, such as one that
 * starts a server. A refused module may keep running, and throw the same error again.
 */
function ignoreRefusals(error: unknown): void {
  if (!(error instanceof UsageError)) throw error
}
process.on('unhandledRejection', ignoreRefusals)
process.on('uncaughtException', ignoreRefusals)

const code = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  now: () => new Date(),
  documentsOf: documentsOfModule,
  serviceOf: serviceOfModule,
  usageOf: usageOfModule,
  reportAt,
  ended: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
    }),
})
// Exits explicitly, because the module may have opened connections that would keep the process
// alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
