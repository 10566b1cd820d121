/** Runs commands of the package in a temporary folder and captures their output. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../src/cli/commands.js'
import type { Terminal } from '../../src/cli/terminal.js'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export interface Workplace {
  readonly cwd: string
  run(...args: readonly string[]): Promise<Ran>
  read(name: string): string
  write(name: string, text: string): void
  remove(): void
}

/**
 * Creates a temporary folder for commands. For these commands, the time is always noon UTC on the
 * date `today`.
 */
export function workplace(today = '2026-06-15'): Workplace {
  const cwd = mkdtempSync(join(tmpdir(), 'command-'))
  return {
    cwd,
    async run(...args) {
      let [out, error] = ['', '']
      const terminal = {
        cwd,
        now: () => new Date(`${today}T12:00:00Z`),
        out(text: string) {
          out += text
        },
        error(text: string) {
          error += text
        },
      }
      const code = await runCommand(args, terminal as unknown as Terminal)
      return { code, out, error }
    },
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
    write: (name, text) => writeFileSync(join(cwd, name), text),
    remove: () => rmSync(cwd, { recursive: true }),
  }
}
