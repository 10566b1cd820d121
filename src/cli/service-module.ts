/** Loads a service's module. During loading, no server in the module can start to listen. */
import { existsSync } from 'node:fs'
import { Server } from 'node:net'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeOf, messageOf, UsageError } from './usage-error.js'

/** The exports of a loaded module. */
export type Exports = Readonly<Record<string, unknown>>

/**
 * Imports a module. `timeout` is in milliseconds. Throws `UsageError` if the module does not load,
 * starts to listen, or takes longer than `timeout`.
 */
export async function loadModule(file: string, timeout = 30_000): Promise<Exports> {
  if (!existsSync(file))
    throw new UsageError(`There is no module ${file}. Give the file that exports your api() or usage().`)
  const name = basename(file)
  let timer: NodeJS.Timeout | undefined
  // The timer also keeps the process alive. Without this timer, Node would end silently if the
  // module awaits a promise and nothing else is pending.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new UsageError(
            `${name} did not finish loading within ${timeout / 1000} s: it awaits something at its top level. ` +
              `${ownModule}`,
          ),
        ),
      timeout,
    )
  })
  const guard = refuseToListen(name)
  try {
    return await Promise.race([import(pathToFileURL(file).href), guard.listened, late])
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(loadFailure(file, name, error))
  } finally {
    clearTimeout(timer)
    guard.release()
  }
}

const ownModule = 'Move api() or usage() to a separate module that neither listens nor connects, and give that.'

function loadFailure(file: string, name: string, error: unknown): string {
  if (codeOf(error) === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?tsx?$/.test(file)) {
    return (
      `${name} is TypeScript, which this Node does not load. Give the compiled file, or a loader: set ` +
      'NODE_OPTIONS="--import tsx" for this command.'
    )
  }
  return `${name} cannot be loaded: ${messageOf(error)}`
}

/**
 * Prevents servers from listening while a module is loaded, because their port may be in use, and
 * because a process with a listening server does not end.
 */
function refuseToListen(name: string): { readonly listened: Promise<never>; release(): void } {
  const { listen } = Server.prototype
  let fail: (error: Error) => void = () => undefined
  const listened = new Promise<never>((_, reject) => {
    fail = reject
  })
  Server.prototype.listen = function refused(): never {
    const error = new UsageError(`${name} starts a server when it is imported. ${ownModule}`)
    fail(error)
    throw error
  }
  return {
    listened,
    release() {
      Server.prototype.listen = listen
    },
  }
}

/** The service that a module exports, as `default` or `api`. */
export function serviceOf(exports: Exports, name: string): object {
  const found = [exports.default, exports.api, nested(exports.default)].find((value) => typeof value === 'function')
  if (found !== undefined) return found
  const names = Object.keys(exports)
  const said = names.length === 0 ? 'It exports nothing' : `It exports ${names.join(', ')}`
  throw new UsageError(
    `${name} exports no service: its default export or its export "api" must be the result of api(). ${said}.`,
  )
}

/**
 * The export `api` of a CommonJS module. `import()` puts the exports of such a module into
 * `default`.
 */
const nested = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'api' in value ? value.api : undefined
