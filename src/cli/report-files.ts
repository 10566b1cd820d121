/** Writes reports to files. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Terminal } from './terminal.js'
import { messageOf, UsageError } from './usage-error.js'

/** Writes a file, and creates the folders above it. Throws `UsageError` if that is impossible. */
export function writeReport(terminal: Terminal, file: string, text: string, mode = 0o644): void {
  const path = resolve(terminal.cwd, file)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`)
  }
}

/**
 * Checks the names of report files before a run. `files` maps the names of flags to files. Throws
 * `UsageError` for a folder, and for a file that is the value of two flags.
 */
export function checkReportFiles(terminal: Terminal, files: Readonly<Record<string, string | undefined>>): void {
  const flagOf = new Map<string, string>()
  for (const [flag, file] of Object.entries(files)) {
    if (file === undefined) continue
    const path = resolve(terminal.cwd, file)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new UsageError(`--${flag} is ${file}, which is a folder. Give a file.`)
    const other = flagOf.get(path)
    if (other !== undefined) throw new UsageError(`--${other} and --${flag} name the same file, ${file}.`)
    flagOf.set(path, flag)
  }
}
