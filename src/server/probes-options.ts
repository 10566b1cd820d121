/** The options of `probes()`, and their defaults. */
import { checkKind, checkObject, invalid, wholeNumber } from './options.js'

/** What `probes()` takes. Times are in milliseconds. */
export interface ProbesOptions {
  /**
   * Checks whether the service can do its work, such as by one query on a connection of its own.
   * The check fails if it throws, rejects, or takes longer than `timeout`, when `signal` fires.
   * Default: no check.
   */
  readonly check?: (signal: AbortSignal) => unknown
  /** Time for which a result of `check` is used again. Default 1,000. */
  readonly maxAge?: number
  /** Time that `check` may take; at least 1. Default 2,000. */
  readonly timeout?: number
  /** Path of liveness. Default `/live`. */
  readonly livePath?: string
  /** Path of readiness. Default `/ready`. */
  readonly readyPath?: string
  /**
   * The server whose shutdown makes readiness 503. Default: the server of `createServer()` that
   * took the request. Needed where probes have a server of their own.
   */
  readonly server?: { readonly draining: boolean }
  /** Where `type` of a problem leads, as in `api`. Default: a placeholder. */
  readonly problemBase?: string
  /** Called with the error of each check that failed. Default: `console.error`. */
  readonly onFailure?: (error: unknown) => void
}

type Defaults = Required<Pick<ProbesOptions, 'maxAge' | 'timeout' | 'livePath' | 'readyPath' | 'onFailure'>>

const defaults: Defaults = {
  maxAge: 1_000,
  timeout: 2_000,
  livePath: '/live',
  readyPath: '/ready',
  onFailure: (error) => console.error('The readiness check failed:', error),
}

const kinds: Readonly<Record<keyof ProbesOptions, 'function' | 'number' | 'object' | 'string'>> = {
  check: 'function',
  maxAge: 'number',
  timeout: 'number',
  livePath: 'string',
  readyPath: 'string',
  server: 'object',
  problemBase: 'string',
  onFailure: 'function',
}

/** The options with their defaults. Throws `ConfigurationError`. */
export function resolveProbesOptions(given: ProbesOptions): ProbesOptions & Defaults {
  checkObject('probes()', given)
  for (const [name, value] of Object.entries(given)) {
    const kind = kinds[name as keyof ProbesOptions]
    if (kind === undefined) {
      throw invalid(`probes() has no option "${name}". Options: ${Object.keys(kinds).join(', ')}.`)
    }
    checkKind(`${name} of probes()`, value, kind)
  }
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const options: ProbesOptions & Defaults = { ...defaults, ...set }
  if (options.server !== undefined && typeof options.server.draining !== 'boolean') {
    throw invalid('server of probes() has no boolean "draining". Give what createServer() made.')
  }
  wholeNumber('maxAge of probes()', options.maxAge)
  wholeNumber('timeout of probes()', options.timeout, 1)
  for (const name of ['livePath', 'readyPath'] as const) {
    if (/^\/[^?#]*$/.test(options[name])) continue
    const [path, example] = [JSON.stringify(options[name]), JSON.stringify(defaults[name])]
    throw invalid(`${name} of probes() is ${path}. Give a path such as ${example}.`)
  }
  if (options.livePath === options.readyPath) {
    throw invalid(`livePath and readyPath of probes() are both "${options.livePath}".`)
  }
  return options
}
