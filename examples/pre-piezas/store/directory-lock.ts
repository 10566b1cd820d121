/**
 * Allows only one process per directory. Two processes that run PGlite on the same directory would
 * lose each other's rows.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs'
import { SettingError } from '../settings.js'

export interface DirectoryLock {
  /** The real path of the directory. */
  readonly path: string
  release(): void
}

/**
 * Creates the directory if it does not exist, and locks it until `release()` is called or the
 * process ends. The kernel holds the lock, so the lock also ends if the process crashes. The lock
 * is on a file next to the directory. This file is not removed. Throws `SettingError` if the
 * directory can't be used or locked, for example because another process has locked it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const tryLock = await kernelLock()
  let path: string
  let file: number
  try {
    mkdirSync(directory, { recursive: true })
    path = realpathSync(directory)
    file = openSync(`${path}.lock`, 'a+', 0o600)
  } catch (error) {
    throw new SettingError(`DATA_DIR ${directory} cannot be used: ${(error as Error).message}.`, { cause: error })
  }
  if (!tryLock(file)) {
    const owner = ownerOf(`${path}.lock`)
    closeSync(file)
    throw new SettingError(`DATA_DIR ${directory} is in use by ${owner}.`)
  }
  ftruncateSync(file)
  writeSync(file, String(process.pid))
  return { path, release: () => closeSync(file) }
}

/** Loads a package that can lock files, because Node can't. */
async function kernelLock(): Promise<(file: number) => boolean> {
  try {
    const { default: extensions } = await import('fs-native-extensions')
    return extensions.tryLock
  } catch (cause) {
    throw new SettingError(
      `DATA_DIR cannot be locked on ${process.platform}-${process.arch}: fs-native-extensions does not load.`,
      {
        cause,
      },
    )
  }
}

/**
 * Describes the process that has locked the file. On Windows, a locked file can't be read, so the
 * process id is unknown there.
 */
function ownerOf(file: string): string {
  const id = process.platform === 'win32' ? '' : readFileSync(file, 'utf8')
  return id === '' ? 'another process' : `process ${id}`
}
