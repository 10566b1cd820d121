/** The commands of the package by name. */
import { didYouMean, nearMiss } from '../near-miss.js'
import { checkCommand } from './check-command.js'
import { lintCommand } from './lint-command.js'
import { mockCommand } from './mock-command.js'
import { openapiCommand } from './openapi-command.js'
import { reportCommand } from './report-command.js'
import type { Terminal } from './terminal.js'
import { messageOf, UsageError } from './usage-error.js'

interface Command {
  readonly says: string
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<number>
}

const commands: ReadonlyMap<string, Command> = new Map([
  [
    'openapi',
    {
      says: 'write the OpenAPI documents of a service, or check that no change breaks its clients',
      run: openapiCommand,
    },
  ],
  [
    'report',
    {
      says: 'show which clients break if a clause is enforced, and which clients call which version',
      run: reportCommand,
    },
  ],
  ['check', { says: 'check whether a running service follows the conventions, clause by clause', run: checkCommand }],
  ['lint', { says: 'check an OpenAPI document against the conventions', run: lintCommand }],
  ['mock', { says: 'serve the whole interface of a service with example records', run: mockCommand }],
])

const help = (): string => {
  const lines = [...commands].map(([name, { says }]) => `  ${name.padEnd(10)} ${says}\n`)
  return (
    `express-rest-conventions <command>\n\n${lines.join('')}\nexpress-rest-conventions <command> --help ` +
    'says more.\n'
  )
}

/**
 * Runs a command line. Resolves to the exit code, which is 2 if the command could not run. A bug in
 * the command also gives 2, because 1 means that a check has found something.
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [name, ...rest] = args
    if (name === undefined || name === '--help' || name === 'help') {
      terminal.out(help())
      return name === undefined ? 2 : 0
    }
    const command = commands.get(name)
    if (command === undefined) {
      const names = [...commands.keys()]
      throw new UsageError(`"${name}" is not a command. ${didYouMean(nearMiss(name, names), names)}`)
    }
    return await command.run(rest, terminal)
  } catch (error) {
    const isUsage = error instanceof UsageError
    terminal.error(isUsage ? `${messageOf(error)}\n` : `The command failed, which is a bug: ${stackOf(error)}\n`)
    return 2
  }
}

const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || messageOf(error)
