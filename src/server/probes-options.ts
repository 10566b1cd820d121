/** The options of `probes()`, and their defaults. */
import { checkOptions, invalidOption } from '../options/check.js'
import { type Kinds, type TextKind, timer } from '../options/kinds.js'

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
  /** What `type` of a problem begins with, as in `api`. */
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

const path: TextKind = { a: 'a path such as "/live"', like: /^\/[^?#]*$/ }

export const probesKinds: Kinds<ProbesOptions> = {
  check: 'function',
  maxAge: timer,
  timeout: { ...timer, from: 1 },
  livePath: path,
  readyPath: path,
  server: {
    by: 'what createServer() made: it has a boolean "draining"',
    is: (value) => typeof (value as Partial<NonNullable<ProbesOptions['server']>> | null)?.draining === 'boolean',
  },
  problemBase: 'string',
  onFailure: 'function',
}

/** The options with their defaults. Throws `ConfigurationError`. */
export function resolveProbesOptions(given: ProbesOptions): ProbesOptions & Defaults {
  checkOptions('probes()', given, probesKinds)
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const options: ProbesOptions & Defaults = { ...defaults, ...set }
  if (options.livePath === options.readyPath) {
    throw invalidOption(`livePath and readyPath of probes() are both "${options.livePath}". Give each its own.`)
  }
  return options
}
