/** One process a directory: two on one of PGlite's would lose each other's rows. */
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs'
import { SettingError } from '../settings.js'

export interface DirectoryLock {
  /** The directory, however it was spelled. */
  readonly path: string
  release(): void
}

/**
 * Makes the directory where there is none, and locks it until `release()` or the end of the process, however it ends: the lock is the kernel's, on a file beside
 * the directory, which stays. Throws `SettingError`.
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
    throw new SettingError(`DATA_DIR ${directory} can not be used: ${(error as Error).message}.`, { cause: error })
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

/** Node has no file locks of its own. */
async function kernelLock(): Promise<(file: number) => boolean> {
  try {
    const { default: extensions } = await import('fs-native-extensions')
    return extensions.tryLock
  } catch (cause) {
    throw new SettingError(
      `DATA_DIR can not be locked on ${process.platform}-${process.arch}: fs-native-extensions does not load.`,
      {
        cause,
      },
    )
  }
}

/** On Windows, what is locked can't be read. */
function ownerOf(file: string): string {
  const id = process.platform === 'win32' ? '' : readFileSync(file, 'utf8')
  return id === '' ? 'another process' : `process ${id}`
}
