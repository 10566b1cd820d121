/** Helpers that create git repositories in temporary folders. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a temporary folder. It is removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'contract-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file. Creates its parent folders if they are missing. */
export function put(folder: string, name: string, text: string): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Runs a git command in a folder. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync(
    'git',
    ['-C', folder, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false', ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
    },
  )

/** Creates a repository whose branch is `main`. */
export function repository(): string {
  const folder = temporaryFolder()
  git(folder, 'init', '--quiet', '--initial-branch=main')
  return folder
}

/** Commits all files. */
export function commit(folder: string, message = 'More'): void {
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', message)
}
