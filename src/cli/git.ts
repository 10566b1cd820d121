/** Reads the files of a commit from git, and not from the working tree. */
import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, UsageError } from './usage-error.js'

const run = promisify(execFile)

/**
 * Runs git. Resolves to its output, or to `undefined` if git fails. Throws `UsageError` if git is
 * not installed.
 */
async function git(folder: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...args], { maxBuffer: 256 * 1024 * 1024 })
    return stdout
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new UsageError('git is not installed, or not on the PATH. Give --against a file or a folder.')
    return undefined
  }
}

/**
 * Returns the commit of `ref` (a branch, a tag or a hash) in the repository of a folder;
 * `undefined` if there is no such commit.
 */
export async function commitOf(folder: string, ref: string): Promise<string | undefined> {
  return (await git(folder, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`))?.trim()
}

/** Whether a folder is in a working tree of git. */
export const isInRepository = async (folder: string): Promise<boolean> =>
  (await git(folder, 'rev-parse', '--is-inside-work-tree'))?.trim() === 'true'

/**
 * The contents of a folder's JSON and YAML files at a commit, by file name. The folder need not
 * exist in the working tree.
 */
export async function filesAt(cwd: string, commit: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const top = (await git(cwd, 'rev-parse', '--show-toplevel'))?.trim()
  if (top === undefined) throw new UsageError(`${cwd} is not in a git repository.`)
  const path = relative(realpathSync(top), folder).split(sep).join('/')
  if (/^\.\.(?:\/|$)/.test(path))
    throw new UsageError(`${folder} is not in the git repository ${top}. Choose another --out.`)
  const listing = await git(top, 'ls-tree', '-z', '--name-only', commit, path === '' ? './' : `${path}/`)
  const files = new Map<string, string>()
  for (const file of (listing ?? '').split('\0')) {
    const name = file.split('/').at(-1) ?? ''
    if (!/\.(?:json|ya?ml)$/.test(name)) continue
    const text = await git(top, 'show', `${commit}:${file}`)
    if (text === undefined) throw new UsageError(`git cannot show ${file} at ${commit}.`)
    files.set(name, text)
  }
  return files
}
